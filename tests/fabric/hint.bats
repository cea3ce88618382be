#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Profile sl-hint: the SLs that path records give, and that they are safe.
load lib.bash

hinted() {	# hinted LMC FAMILY KEY=VALUE...
	local lmc=$1
	shift
	plan "$@"
	echo "profile sl-hint" >>"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start lmc "$lmc"
	await_up
	moorectl route "$dir/plan.json" --conf "$dir/moore.conf" --lmc "$lmc" -o "$dir/offline" >/dev/null
}

# SL of the record for two LIDs.
record_sl() {
	echo $(($(on_fabric saquery -p --src-to-dst "$1:$2" |
		sed -n 's/^[[:space:]]*sl\.*\(0x[0-9A-F]*\)$/\1/p')))
}

# GUID of the switch that an endpoint of that name is plugged into.
switch_of() {
	moorectl path "$1" "$1" --tables "$dir/offline" --json | jq -r '.switch // .hops[0].guid'
}

# Do sources at the switch with that GUID use this SL for that LID?
listed() {	# listed GUID LID SL
	awk -v g="$1" -v l="$(printf '0x%04x' "$2")" -v sl="$3" '
		/^Switch/ { sub(/,$/, "", $2); here = $2 == g }
		here && $1 == l { for (i = 2; i <= NF; i++) if ($i == sl) ok = 1 }
		END { exit !ok }' "$dir/dump/moore-path-sl.dump"
}

# LIDs differ between the subnet manager and the plan: the offline list, carried
# over by GUID and offset.
carry_over() {
	python3 - "$dir" <<'PY'
import re, sys
d = sys.argv[1]
def lids(path):
    by, seen = {}, {}
    for line in open(path):
        m = re.match(r'(0x[0-9a-fA-F]+).*portguid (0x[0-9a-f]+)', line)
        if m:
            by.setdefault(m[2], set()).add(int(m[1], 16))
    return {(g, i): l for g, s in by.items() for i, l in enumerate(sorted(s))}
ours, theirs = lids(d + '/offline/opensm-lfts.dump'), lids(d + '/dump/opensm-lfts.dump')
to = {ours[k]: theirs[k] for k in ours}
to[0] = 0
with open(d + '/dump/moore-path-sl.dump', 'w') as out:
    for line in open(d + '/offline/moore-path-sl.dump'):
        if line.startswith('0x'):
            lid, rest = line.split(' ', 1)
            line = '0x%04x %s' % (to[int(lid, 16)], rest)
        out.write(line)
PY
}

@test "path records give an SL that is listed, the same both ways" {
	hinted 2 slimfly q=5
	carry_over
	diff <(tables "$dir/offline") <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
	local names a b i j sl back n=0 other=0
	mapfile -t names < <(awk -F"'" '/Channel Adapter/ { print $2 }' \
		"$dir/dump/opensm-lfts.dump" | uniq | awk '!seen[$0]++')
	for a in 0 37 149; do
		for b in 12 81; do
			for i in 0 1 3; do
				for j in 0 2; do
					sl=$(record_sl $(($(lid_of "${names[a]}") + i)) \
						$(($(lid_of "${names[b]}") + j)))
					back=$(record_sl $(($(lid_of "${names[b]}") + j)) \
						$(($(lid_of "${names[a]}") + i)))
					[ -n "$sl" ] && [ "$sl" = "$back" ] || fail "there $sl, back $back"
					[ $((i + j)) -ne 0 ] || [ "$sl" -eq 0 ] || fail "base LIDs on SL $sl"
					listed "$(switch_of "${names[a]}")" \
						$(($(lid_of "${names[b]}") + j)) "$sl" ||
						fail "${names[a]} to ${names[b]} +$j: SL $sl is not listed"
					n=$((n + 1)) other=$((other + (sl > 0)))
				done
			done
		done
	done
	echo "# $n records, $other of them not on SL 0"
}

@test "OpenSM's tables are sound for the SLs it hands out, and not for all" {
	hinted 2 slimfly q=5
	carry_over
	moorectl verify --sl hint --json "$dir/dump" | jq -e .sound
	run moorectl verify --json "$dir/dump"
	[ "$status" -eq 1 ]
}

@test "ibdmchk finds no loop for SL 0 on base LIDs" {
	hinted 0 slimfly q=5
	no_credit_loop
}

@test "a link lost: SL 0 on base LIDs and the list stay safe" {
	hinted 1 slimfly q=5
	change sim "Unlink $(first_link)"
	settled
	moorectl verify --lids base --sl 0 --json "$dir/dump" | jq -e .sound
}

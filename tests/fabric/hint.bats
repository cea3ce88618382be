#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Profile sl-hint: the SLs in path records, and a check that they are safe.
load lib.bash

hinted() {	# hinted LMC FAMILY KEY=VALUE...
	local lmc=$1
	shift
	plan "$@"
	echo "profile sl-hint" >>"$dir/moore.conf"
	[ -z "${layers:-}" ] || echo "layers $layers" >>"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start lmc "$lmc"
	await_up
	moorectl route "$dir/plan.json" --conf "$dir/moore.conf" --lmc "$lmc" -o "$dir/offline" >/dev/null
}

# The SL of the path record for two LIDs.
record_sl() {
	echo $(($(on_fabric saquery -p --src-to-dst "$1:$2" |
		sed -n 's/^[[:space:]]*sl\.*\(0x[0-9A-F]*\)$/\1/p')))
}

# The GUID of the switch that the named endpoint is connected to.
switch_of() {
	moorectl path "$1" "$1" --tables "$dir/offline" --json | jq -r '.switch // .hops[0].guid'
}

# True if the list of SLs has this SL for this LID at the switch with that GUID.
listed() {	# listed GUID LID SL
	awk -v g="$1" -v l="$(printf '0x%04x' "$2")" -v sl="$3" '
		/^Switch/ { sub(/,$/, "", $2); here = $2 == g }
		here && $1 == l { for (i = 2; i <= NF; i++) if ($i == sl) ok = 1 }
		END { exit !ok }' "$dir/dump/moore-path-sl.dump"
}

# credit_loops PSL: ibdmchk's verdict on these SLs and our lanes.
credit_loops() {
	(cd "$dir/dump" && ibdmchk -s "${2:-opensm-subnet.lst}" -f opensm.fdbs -m opensm.mcfdbs \
		-d moore-slvl.dump -c "$1" -l 0 2>&1) | grep -oE 'no credit loops found|credit loops in routing' | head -n 1
}

# as_base OFFSET: rewrites the fabric so that the LIDs at this offset become base LIDs,
# since ibdmchk supports no others.  Writes subnet.OFFSET, and psl.OFFSET with the first SL
# of the list.
as_base() {
	python3 - "$dir/dump" "$1" <<'PY'
import re, sys
d, k = sys.argv[1], int(sys.argv[2])
at, lids, sls = {}, set(), {}
def shift(m):
    lids.add(int(m[2], 16) + k)
    return '%s%04X' % (m[1], int(m[2], 16) + k)
with open(f'{d}/subnet.{k}', 'w') as out:
    for line in open(d + '/opensm-subnet.lst'):
        m = re.match(r'{ CA.*?NodeGUID:(\w+).*{ SW.*?NodeGUID:(\w+)', line)
        if m:
            at['0x' + m[1]] = '0x' + m[2]
        out.write(re.sub(r'({ CA[^}]*} LID:)(\w+)', shift, line))
for line in open(d + '/moore-path-sl.dump'):
    if line.startswith('Switch'):
        here = sls[line.split()[1].rstrip(',')] = {}
    elif line.startswith('0x'):
        lid, *some = line.split()
        if some:
            here[int(lid, 16)] = some[0]
with open(f'{d}/psl.{k}', 'w') as out:
    for node, switch in at.items():
        for lid in lids:
            print(node, lid, sls[switch][lid], file=out)
PY
}

# records_agree [LAYERS]: OpenSM's tables equal those made off line, and its path records
# for LIDs of all layers have an SL that the list allows.
records_agree() {
	layers=${1:-} hinted 2 slimfly q=5
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
	[ $other -gt 0 ]
	moorectl verify --sl hint --json "$dir/dump" >"$dir/verdict"
	jq -e '.sound and .vls == [0,1]' "$dir/verdict"
}

@test "path records give an SL that is listed, the same both ways" {
	records_agree
}

@test "path records and tables agree in layers of kind valiant, of four hops on two lanes" {
	records_agree valiant
	jq -e '.hops["4"] > 0' "$dir/verdict"
}

@test "path records and tables agree in layers of kind nta" {
	records_agree nta
	jq -e '.hops["4"] > 0' "$dir/verdict"
}

@test "path records and tables agree in layers of kind inr" {
	records_agree inr
	jq -e '.hops["4"] > 0' "$dir/verdict"
}

@test "OpenSM's tables are sound for the SLs it hands out, and not for all" {
	hinted 2 slimfly q=5
	moorectl verify --sl hint --json "$dir/dump" | jq -e .sound
	run moorectl verify --json "$dir/dump"
	[ "$status" -eq 1 ]
}

@test "ibdmchk finds no loop on the SLs of path records" {
	hinted 0 slimfly q=5
	no_credit_loop
	[ "$(wc -l <"$dir/dump/moore-psl.dump")" -eq $((150 * 199)) ]
	[ "$(credit_loops moore-psl.dump)" = 'no credit loops found' ]
	# The lanes computed off line are the same, although LIDs differ.
	diff <(sort "$dir/offline/moore-slvl.dump") <(sort "$dir/dump/moore-slvl.dump")
}

@test "ibdmchk finds none in a layer on the SLs of the list, and one on SL 0" {
	hinted 1 slimfly q=5
	as_base 1
	[ "$(credit_loops psl.1 subnet.1)" = 'no credit loops found' ]
	sed -i 's/ [0-9]*$/ 0/' "$dir/dump/psl.1"
	[ "$(credit_loops psl.1 subnet.1)" = 'credit loops in routing' ]
}

# answer [OPTION]... FROM TO: the SL of the path record, or the error.
answer() {
	local to=${*: -1}
	since
	on_fabric saquery -p "${@:1:$#-2}" --src-to-dst "${*: -2:1}:$to" >"$dir/record" || true
	log | grep -oE 'ERR 1F[0-9A-F]+' || echo $(($(sed -n 's/^[[:space:]]*sl\.*\(0x[0-9A-F]*\)$/\1/p' "$dir/record")))
}

@test "classes: what a query or its partition asks for is a class" {
	plan slimfly q=5
	printf 'profile sl-hint\nclasses 0,0,0,0,1\n' >>"$dir/moore.conf"
	printf '%s\n' 'Default=0x7fff, ipoib : ALL=full, ALL_SWITCHES=full;' \
		'Gold=0x8002, sl=4 : ALL=full;' >"$dir/partitions"
	sim_start "$dir/net"
	sm_start lmc 2 max_op_vls 3 partition_config_file "$dir/partitions"
	await_up
	settled
	! log_has 'ERR' || fail "$(log | grep ERR)"
	moorectl route "$dir/plan.json" --conf "$dir/moore.conf" --lmc 2 -o "$dir/offline" >/dev/null
	moorectl verify --sl hint --json "$dir/dump" | jq -e '.sound and .vls == [0,1,2,3]'
	local names a b i sl x right=0
	mapfile -t names < <(awk -F"'" '/Channel Adapter/ { print $2 }' "$dir/dump/opensm-lfts.dump" | awk '!seen[$0]++')
	for i in 0 1 3; do
		a=$(($(lid_of "${names[0]}") + i)) b=$(($(lid_of "${names[81]}") + i))
		sl=$(answer --pkey 0xffff $a $b)
		[ "$sl" -lt 4 ] && { [ $i -ne 0 ] || [ "$sl" -eq 0 ]; }
		[ "$(answer --pkey 0x8002 $a $b)" -eq $((sl + 4)) ]
		for x in 0 1 2 3 4 5 6 7; do	# the SL that was asked for, or an error
			case $(answer --sl $x $a $b) in
			$x) right=$((right + 1)) && listed "$(switch_of "${names[0]}")" $b $x ;;
			'ERR 1F2A') [ $x -ne "$sl" ] && [ $x -ne $((sl + 4)) ] ;;
			*) fail "SL $x: $(cat "$dir/record")" ;;
			esac
		done
		[ "$(answer --sl 8 $a $b)" = 'ERR 1F24' ]	# no class has SL 8
	done
	[ $right -ge 6 ] && [ $right -lt 24 ]
	lid=$(sed -n 's/^Unicast.*switch Lid \([0-9]*\) .*/\1/p' "$dir/dump/opensm-lfts.dump" | head -n 1)
	on_fabric smpquery vlarb "$lid" 6 | grep -A 2 'Low priority' | grep -q '^WEIGHT: |0x40|0x40|0x40|0x40|0x0 |'
}

@test "SLs of partitions that mean no class: told once" {
	plan slimfly q=5
	echo "profile sl-hint" >>"$dir/moore.conf"
	echo 'Default=0x7fff, ipoib, sl=1 : ALL=full, ALL_SWITCHES=full;' >"$dir/partitions"
	sim_start "$dir/net"
	sm_start partition_config_file "$dir/partitions"
	await_up
	change sm_hup
	seen=0
	[ "$(log_count 'ERR MR17: .*partitions:1: sets SL 1')" -eq 1 ]
	echo 'Default=0x7fff, ipoib : ALL=full, ALL_SWITCHES=full;' >"$dir/partitions"
	change sm_hup
	since
	sm_hup
	await 'MR17 is over'
}

@test "a link lost: SL 0 on base LIDs and the list stay safe" {
	hinted 1 slimfly q=5
	change sim "Unlink $(first_link)"
	settled
	moorectl verify --lids base --sl 0 --json "$dir/dump" | jq -e .sound
}

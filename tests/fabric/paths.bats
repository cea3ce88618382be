#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The SA's path records, the tables, and `moorectl path` agree.
load lib.bash

# hosts STEP: the name of every STEP-th endpoint.
hosts() { grep -o "^0x.*Channel Adapter.*" "$dir/dump/opensm-lfts.dump" | awk -F"'" '!seen[$2]++ { print $2 }' |
	awk -v step="$1" 'NR % step == 1'; }

# hops FROM LID: the route as lines "switch out-port", from the dumps alone.
hops() {
	awk -v from="$1" -v lid="$(printf '0x%04x' "$2")" '
		function hex(t,   i, n) {
			for (i = 1; i <= length(t); i++)
				n = n * 16 + index("0123456789ABCDEF", substr(t, i, 1)) - 1
			return n
		}
		FNR == NR {	# { KIND ... {NAME} LID: PN: } { KIND ... {NAME} LID: PN: }
			split($0, half, "} { ")
			for (k = 1; k <= 2; k++) {
				match(half[k], /[{][^{}]*[}] LID/)
				name[k] = substr(half[k], RSTART + 1, RLENGTH - 6)
				match(half[k], /PN:[0-9A-F]+/)
				pn[k] = hex(substr(half[k], RSTART + 3, RLENGTH - 3))
			}
			peer[name[1], pn[1]] = name[2]
			if ($2 == "SW") is_sw[name[1]]
			next
		}
		/^Unicast/ { split($0, q, "\047"); at = q[2] }
		$1 == lid { out[at] = $2 + 0 }
		END {
			for (s = peer[from, 1]; s in is_sw && n++ < 64; s = peer[s, out[s]])
				print s, out[s]
			print s
		}' "$dir/dump/opensm-subnet.lst" "$dir/dump/opensm-lfts.dump"
}

# agree FROM TO: compares path record, tables and moorectl.
agree() {
	local dlid sl
	path_record "$1" "$2"
	dlid=$(sed -n 's/.*dlid\.*\([0-9]*\).*/\1/p' "$dir/path")
	sl=$(sed -n 's/.*sl\.*\(0x\)\?\([0-9a-f]*\)$/\2/p' "$dir/path" | tail -n 1)
	moorectl path "$1" "$2" --sl "$((sl))" --tables "$dir/dump" --json >"$dir/told"
	[ "$(jq .lid "$dir/told")" = "$dlid" ] || fail "$1 to $2: SA says LID $dlid: $(cat "$dir/told")"
	[ "$(jq .sl "$dir/told")" = "$((sl))" ]
	[ "$(lid_of "$2")" = "$(printf '0x%04x' "$dlid")" ]
	jq -r '(.hops[] | "\(.switch) \(.out)"), .hops[-1].peer.endpoint' "$dir/told" >"$dir/hops"
	diff <(hops "$1" "$dlid") "$dir/hops" >"$dir/diff" || fail "$1 to $2: $(cat "$dir/diff")"
	[ "$(tail -n 1 "$dir/hops")" = "$2" ]
}

sample() {	# sample STEP: checks pairs of every STEP-th endpoint
	local a b n=0
	for a in $(hosts "$1"); do
		for b in $(hosts "$1"); do
			[ "$a" = "$b" ] || { agree "$a" "$b"; n=$((n + 1)); }
		done
	done
	[ $n -ge 12 ] || fail "only $n pairs"
}

@test "Slim Fly q=5" { planned slimfly q=5; sample 37; }
@test "MLFM h=4, LMC 2: base LIDs" { planned mlfm h=4 -- lmc 2; sample 17; }
@test "with a link cut" {
	planned slimfly q=5
	change sim "Unlink $(first_link)"
	settled
	sample 37
	agree s0-0-0-h0 s0-0-1-h0
}

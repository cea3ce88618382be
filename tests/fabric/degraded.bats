#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Links and switches fail and return: the tables are sound after each sweep, and the same
# bits as before when everything is back.
load lib.bash

@test "a link goes and comes back" {
	planned slimfly q=5
	tables "$dir/dump" >"$dir/before"
	was=$(hash)
	change sim "Unlink $(first_link)"
	sound
	no_credit_loop
	log_has 'moore: .*; missing links: 1 \([^ ]+\[[0-9]+\] -- [^ ]+\[[0-9]+\]\); hash' || fail "$(log | grep moore)"
	change sim "ReLink $(first_link)"
	sound
	diff "$dir/before" <(tables "$dir/dump")
	[ "$(hash)" = "$was" ]
}

@test "what a lost link does not touch stays" {
	planned slimfly q=7
	change sim "Unlink $(first_link)"
	read -r changed total < <(log | sed -n 's/.* \([0-9]*\) of \([0-9]*\) LFT blocks.*/\1 \2/p' | tail -n 1)
	echo "$changed of $total"
	[ "$changed" -gt 0 ]
	[ $((changed * 5)) -lt "$total" ]
}

@test "a switch goes and comes back" {
	planned slimfly q=5
	tables "$dir/dump" >"$dir/before"
	s=$(awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net")
	change sim "Unlink \"$s\""
	sound
	log_has "moore: .*: 49 switches, .*; missing switches: 1; missing links: [0-9]+ \\([^ ]+\\[[0-9]+\\], " || fail "$(log | grep moore)"
	change sim "ReLink \"$s\""
	until_ok "$DEADLINE" log_has 'moore: .*: 50 switches, .* LFT blocks change(; SL2VL [^;]*)?; hash'
	change sm_hup
	sound
	diff "$dir/before" <(tables "$dir/dump")
}

@test "ten links go, one after the other" {
	planned mlfm h=4
	cables | awk 'NR % 9 == 4' | head -n 10 >"$dir/cut"
	while read -r link; do
		change sim "Unlink $link"
		sound
	done <"$dir/cut"
	[ "$(wc -l <"$dir/cut")" -eq 10 ]
}

@test "an endpoint takes another one's place" {
	planned slimfly q=4
	read -r mover port < <(awk -F'"' '/^Hca/ { h = $2 } /^\[1\]/ && h { split($3, a, /[][]/)
		if (++n == 2) m = h; last = "\"" $2 "\"[" a[2] "]" } END { print m, last }' "$dir/net")
	gone=$(awk -F'"' '/^Hca/ { h = $2 } END { print h }' "$dir/net")
	change sim "Unlink \"$mover\"[1]"
	change sim "Unlink \"$gone\"[1]"
	change sim "Link \"$mover\"[1] $port"
	sound
	! lid_of "$gone" | grep -q . || fail "$gone is still routed"
	at=${port%[*} p=${port##*[}
	lid=$(lid_of "$mover")
	awk -v l="$lid" -v at="(${at//\"/\'}):" '/^Unicast/ { here = $NF == at } here && $1 == l { print $2 + 0 }' \
		"$dir/dump/opensm-lfts.dump" | grep -qx "${p%]}" || fail "LID $lid is not at $port"
}

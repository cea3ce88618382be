#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# An MLFM with several LIDs for each endpoint has entry turns: its middle switches send what takes one on
# VL 0, as what comes from endpoints.
load lib.bash

# The SL2VL rows that the switches hold: switch, in port, out port, VL of SL 0.
rows() {
	awk '/^Switch/ { sub(/,$/, "", $2); sw = $2; name = $NF }
		/^[0-9]/ && $1 != $2 { print sw, name, $1, $2, $4 }' "$dir/dump/opensm-sl2vl.dump" | sort
}
entries() { rows | awk '$2 ~ /^"g/ && $3 && !$5 { print $2, $3, $4 }'; }

# cut_but SWITCH NAME...: cuts all links of a switch but those to these nodes and to hosts.
cut_but() {
	local s=$1 line
	shift
	while read -r line; do
		sim "Unlink $line"
	done < <(awk -F'"' -v s="$s" -v but=" $* " '/^Switch/ { at = $2 }
		/^\[/ && at == s && $2 !~ /-h/ && !index(but, " " $2 " ") {
			sub(/\].*/, "]"); print "\"" s "\"" $0 }' "$dir/net")
}

# behind NAME PORT: what a port of a switch leads to.
behind() {
	awk -F'"' -v s="$1" -v p="[$2]" '/^Switch/ { at = $2 } at == s && index($1, p) { print $2 }' "$dir/net"
}

@test "entry turns of middle switches, and a lost link or switch changes no lanes" {
	planned mlfm h=4 -- lmc 2
	settled
	sound
	no_credit_loop
	[ "$(entries | wc -l)" -eq 60 ]
	rows >"$dir/before"
	link=$(cables | sed -n 31p)
	for line in "Unlink $link" "ReLink $link" 'Unlink "l1-1"' 'ReLink "l1-1"'; do
		change sim "$line"
		settled
		calm
		sound
		no_credit_loop
		[ -z "$(comm -13 "$dir/before" <(rows))" ]	# no row has changed
	done
	diff "$dir/before" <(rows)
	read_back lmc 2
}

@test "one LID has no entry turns, four have, and back: lanes are replaced first" {
	planned mlfm h=4 -- lmc 0
	settled
	[ "$(entries | wc -l)" -eq 0 ]
	for lmc in 2 0; do
		sm_stop
		since
		sm_start lmc "$lmc"
		await_up
		log_has 'count with fewer lanes than they run: .* yet$' || fail "$(log | grep moore)"
		settled
		sound
		[ "$(entries | wc -l)" -eq $((lmc * 30)) ]
		sweep_lacks ' one-lane links'
	done
}

# Middle switch m keeps its links to i and to j, between which it has entry turns, and j has no other link.
@test "an entry turn that alone joins two parts is one no longer, and is one again" {
	planned mlfm h=4 -- lmc 2
	settled
	keep_whole
	rows >"$dir/before"
	read -r m in out < <(entries | tr -d '"')
	i=$(behind "$m" "$in")
	j=$(behind "$m" "$out")
	since
	cut_but "$m" "$i" "$j"
	cut_but "$j" "$m"
	await_up
	settled
	sound
	no_credit_loop
	rows | grep -q "\"$m\" $in $out 1" || fail "$m has an entry turn from $in to $out: $(entries)"
	! log_has 'ERR MR' || fail "$(log | grep 'ERR MR')"
	since
	sim "ReLink \"$m\""
	sim "ReLink \"$j\""
	await_up
	settled
	sound
	diff "$dir/before" <(rows)
}

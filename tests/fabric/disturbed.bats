#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Links are cut and restored under the real OpenSM while requests are lost, while clients ask
# for paths and join groups, and on larger fabrics (all of these only with MOORE_SOAK).
load lib.bash

setup_file() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -o "$BATS_FILE_TMPDIR/mcjoin" \
		"$BATS_TEST_DIRNAME/mcjoin.c" -libumad
}

# lossy PERCENT: so many LinearForwardingTable requests and answers are lost at each switch.
lossy() { awk -F'"' -v r="$1" '/^Switch/ { printf "Error \"%s\" %s 25\n", $2, r }' "$dir/net" >&7; }

# lossy_step STEP LMC: cuts a link, and loses requests while that step is sent; restores it
# likewise.  OpenSM sweeps every five seconds: if requests are still lost after three sweeps in a
# row, the plugin asks for no more.
lossy_step() {
	local step=$1 lmc=$2 line link
	planned slimfly q=5 -- lmc "$lmc" sweep_interval 5
	settled
	keep_whole
	link=$(cables | sed -n 7p)
	echo 'motion_wait 2000' >>"$dir/moore.conf"
	for line in "Unlink $link" "ReLink $link"; do
		since
		[ "$step" -gt 1 ] || lossy 70
		sim "$line"
		[ "$step" -eq 1 ] || await "moore: step $((step - 1)) of [0-9]+: .*|moore: step 1 of 1: .*"
		lossy 70
		await 'ERR MR21: |SUBNET UP'
		lossy 0
		harmless
		await_up
		settled
		harmless
		change sm_hup
		settled
		sound
		no_credit_loop
	done
	grep -q 'ERR MR21: ' "$dir/opensm.log" || fail "none was lost"
	sed -i '/motion_wait/d' "$dir/moore.conf"
	read_back lmc "$lmc"
}

@test "requests of the first step are lost, LMC 0" { lossy_step 1 0; }
@test "requests of the second step are lost, LMC 2" { lossy_step 2 2; }
@test "soak: requests of the first step are lost, LMC 2" { soak; lossy_step 1 2; }
@test "soak: requests of the second step are lost, LMC 0" { soak; lossy_step 2 0; }
@test "soak: requests of the third step are lost, LMC 2" { soak; lossy_step 3 2; }

# client SRC DST GUID...: asks for the paths between two LIDs and joins the next port to one of
# four groups, until $dir/stop exists.  What is refused goes to $dir/refused.
client() {
	local pair=$1:$2 n=0
	shift 2
	while [ ! -e "$dir/stop" ] && [ $# -gt 0 ]; do
		on_fabric saquery -p --src-to-dst "$pair" >"$dir/path"
		grep -q 'dlid\.*[1-9]' "$dir/path" || cat "$dir/path" >>"$dir/refused"
		on_fabric "$BATS_FILE_TMPDIR/mcjoin" $((n % 4)) "$1" >"$dir/joined" ||
			cat "$dir/joined" >>"$dir/refused"
		awk -v m="$dir/members." '{ print $1 >>(m substr($2, 3)) }' "$dir/joined"
		n=$((n + 1))
		shift
	done
	echo "$n" >"$dir/asked"
}

# True if the dump has a tree for each group that reaches all its members.
covered() {
	local f
	for f in "$dir"/members.*; do
		python3 "$BATS_TEST_DIRNAME/mctree.py" "$dir/dump" "$(tr a-f A-F <<<"${f##*.}")" "$f" \
			>"$dir/mctree.out" 2>&1 || return 1
	done
}

# asked_meanwhile LMC LINK...: a client asks while each link is cut and restored.
asked_meanwhile() {
	local lmc=$1 i link a b guids
	shift
	planned slimfly q=5 -- lmc "$lmc"
	settled
	echo 'motion_wait 500' >>"$dir/moore.conf"
	read -r a b < <(awk -F'"' '/^Hca/ { print $2 }' "$dir/net" | sed -n '100p;150p' | xargs)
	guids=$(grep -o 'CA[^{]*PortGUID:[0-9a-f]*' "$dir/dump/opensm-subnet.lst" |
		sed 's/.*PortGUID:/0x/' | sort -u)
	client $(($(lid_of "$a"))) $(($(lid_of "$b"))) $guids 3>&- 7>&- &
	client_pid=$!
	for i in "$@"; do
		link=$(cables | sed -n "${i}p")
		change sim "Unlink $link"
		change sim "ReLink $link"
	done
	touch "$dir/stop"
	wait "$client_pid"
	echo "$(cat "$dir/asked") paths and joins" >&3
	[ "$(cat "$dir/asked")" -ge 10 ]
	[ ! -e "$dir/refused" ] || fail "$(cat "$dir/refused")"
	settled
	change sm_hup
	settled
	until_ok "$DEADLINE" covered || fail "$(cat "$dir/mctree.out")"
	! grep 'ERR MR' "$dir/opensm.log"
	sound
	sed -i '/motion_wait/d' "$dir/moore.conf"
	read_back lmc "$lmc"
}

@test "clients ask for paths and join groups while links are cut and restored" {
	asked_meanwhile 2 7 30
}
@test "soak: clients ask while ten links are cut and restored" {
	soak
	asked_meanwhile 1 $(seq 5 17 158)
}

# sample LMC FAMILY KEY=VALUE...: a link, and then a switch, is cut and restored.
sample() {
	local lmc=$1 link switch line
	shift
	DEADLINE=${MOORE_DEADLINE:-300}
	planned "$@" -- lmc "$lmc"
	settled
	keep_whole
	link=$(cables | sed -n 77p)
	switch=$(awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net")
	for line in "Unlink $link" "ReLink $link" "Unlink \"$switch\"" "ReLink \"$switch\""; do
		change sim "$line"
		settled
		calm
		sound
		harmless
	done
	read_back lmc "$lmc"
}

@test "Slim Fly q=9: a link and a switch" { sample 0 slimfly q=9 p=3; }
@test "soak: Slim Fly q=9, LMC 2" { soak; sample 2 slimfly q=9; }
@test "soak: OFT k=12" { soak; sample 0 oft k=12; }
@test "soak: MLFM h=15" { soak; sample 0 mlfm h=15; }

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# backup.bats - backups on real kernels: a cable is cut while all hosts send, and no controller acts.
# Prints how many packets are lost, with backups and without.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
M=$BUILD/moorectl PINGS=$BUILD/tests/ether/pings LAB=$ROOT/tests/ether/lab
PATH=$PATH:/usr/sbin

setup() {
	[ "$(id -u)" = 0 ] || skip "network namespaces with names need root"
	cd "$BATS_TEST_TMPDIR"
	"$M" plan new slimfly q=5 p=1 -o plan.json >/dev/null
	peer=$(jq -r '.cables[] | select([.a, .b] | any(.switch == "s0-0-0" and .port == 2)) | .a, .b | .switch' plan.json |
		grep -vx s0-0-0)
}

teardown() {
	[ ! -e lab/lab.json ] || "$LAB" down lab
}

# lab_with OPTION...: the lab, which has loaded files emitted with these options into the directory net.
lab_with() {
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 "$@" -o net >/dev/null
	"$LAB" up plan.json lab --no-lldp
	"$LAB" load lab net
	"$LAB" hosts lab net >hosts
	id=$(jq -r .id lab/lab.json)
}

# Cuts the cable while all hosts send; then each pair tries again: into the files during and after.
cut_while_sending() {
	"$PINGS" --seconds 6 <hosts >during &
	sleep 2
	"$LAB" cut lab s0-0-0 2
	wait $! || true
	"$PINGS" <hosts >after || true
}

# The packets lost in `during` of pairs (a host, and an address of another) that answer in `after`.
lost_of_the_living() {
	jq -s '.[1].lost_list | map({ key: "\(.from) \(.to) \(.address)", value: true }) | from_entries' during after >dead
	jq --slurpfile dead dead '[.lost_list[] | select("\(.from) \(.to) \(.address)" as $k | $dead[0] | has($k) | not) |
		.packets] | add // 0' during
}

# unusable SWITCH: the addresses of the input that the switch has no route to.
unusable() {
	while read -r to; do
		ip -n "$id.$1" route get "$to" >/dev/null 2>&1 || echo "$to"
	done
}

@test "a cable is cut while all hosts send: with backups, the switches at it repair themselves" {
	lab_with
	cut_while_sending
	without=$(jq .lost during) dead=$(jq .lost_pairs after)
	[ "$(lost_of_the_living)" = 0 ]
	"$LAB" down lab
	lab_with --backup
	cut_while_sending
	at_once=$(lost_of_the_living) left=$(jq .lost_pairs after)
	echo "# without backups $dead pairs are cut off, which lose $without packets in 4 s" >&3
	echo "# with backups $left pairs are; the $((dead - left)) others lose $at_once packets, and then none" >&3
	[ "$dead" -gt 0 ] && [ "$left" -lt $((dead * 2 / 3)) ] && [ "$at_once" -lt $((without / 4)) ]
	# Those that stay cut off have no backup, at one end of the cable or the other.
	jq -r '.lost_list[] | "\(.to) \(.address)"' after | sort -u |
		awk 'NR == FNR { host[$1] = $0; next } { split(host[$1], w); print w[$2 + 3] }' hosts - | sort -u >lost
	[ -s lost ]
	for s in s0-0-0 "$peer"; do unusable "$s" <lost; done | sort -u | diff - lost
	# The cable is back.  The end that had been set down has lost its routes for good.
	"$LAB" mend lab s0-0-0 2
	sleep 0.5
	"$LAB" load lab net
	run -0 "$PINGS" <hosts
}

# ours SWITCH FAMILY: how many of our routes lead over port 2, backups apart, and how many it has.
ours() {
	ip -n "$id.$1" "$2" -N route show proto 109 >routes
	echo "$(grep ' dev swp2 ' routes | grep -vc ' metric 2048 ') $(wc -l <routes)"
}

@test "after lost carrier the routes come back; of a port set down, or a switch restarted, they are gone" {
	lab_with --backup
	for family in -4 -6; do
		whole=$(ours s0-0-0 "$family")
		[ "${whole% *}" -gt 10 ]
		"$LAB" cut lab s0-0-0 2
		[ "$(ours s0-0-0 "$family")" = "$whole" ]
		"$LAB" mend lab s0-0-0 2
		[ "$(ours s0-0-0 "$family")" = "$whole" ]
	done
	"$LAB" load lab net
	run -0 "$PINGS" <hosts
	ip -n "$id.s0-0-0" link set swp2 down
	ip -n "$id.s0-0-0" link set swp2 up
	sleep 0.5
	for family in -4 -6; do
		left=$(ours s0-0-0 "$family")
		[ "${left% *}" = 0 ] && [ "${left#* }" -gt 50 ]
	done
	# The backups, whose metric alone is left, carry all that they are for.
	run -1 "$PINGS" <hosts
	for port in $(seq 1 20); do
		ip -n "$id.s0-0-0" link set "swp$port" down 2>/dev/null || true
		ip -n "$id.s0-0-0" link set "swp$port" up 2>/dev/null || true
	done
	for family in -4 -6; do [ "$(ours s0-0-0 "$family")" = "0 0" ]; done
}

@test "apply after a cut: from the backups in force to new routes with new backups, and back" {
	lab_with --backup
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --backup --fail s0-0-0:2 -o around >/dev/null
	load="ip netns exec $id.{switch} ip -force -batch -" read="ip netns exec $id.{switch} ip -N {family} -json route show"
	"$LAB" cut lab s0-0-0 2
	"$PINGS" <hosts >cut || true
	# From here on, all that answered goes on answering.
	"$PINGS" --seconds 8 <hosts >during &
	sleep 1
	run -0 "$M" ethernet apply around --command "$load" --read "$read" --json
	echo "$output" >applied
	wait $! || true
	run -0 "$PINGS" <hosts
	jq -s '.[1].lost_list | map({ key: "\(.from) \(.to) \(.address)", value: true }) | from_entries' during cut >dead
	lost=$(jq --slurpfile dead dead '[.lost_list[] | select("\(.from) \(.to) \(.address)" as $k | $dead[0] | has($k) | not) |
		.packets] | add // 0' during)
	echo "# $(jq .lost_pairs cut) pairs were cut off; from then on the others lost $lost packets; $(jq -c '[.edits, .steps_to_load]' applied) edits and steps" >&3
	[ "$lost" = 0 ]
	# What runs now is the new directory, backups included.
	run -0 "$M" ethernet apply around --command "$load" --read "$read" --dry-run --json
	jq -e '.edits == 0' <<<"$output"
	"$LAB" mend lab s0-0-0 2
	sleep 0.5
	run -0 "$M" ethernet apply net --command "$load" --read "$read" --json
	run -0 "$PINGS" <hosts
	run -0 "$M" ethernet apply net --command "$load" --read "$read" --dry-run --json
	jq -e '.edits == 0' <<<"$output"
}

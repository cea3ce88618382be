#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The links file: after a SIGHUP, or when the plugin finds that it has changed, a port or a switch
# is drained, and later it is used again.
bats_require_minimum_version 1.5.0
load lib.bash

drainable() {
	plan slimfly q=5
	echo "links $dir/links" >>"$dir/moore.conf"
	echo '# nothing yet' >"$dir/links"
	sim_start "$dir/net"
	sm_start
	await_up
	tables "$dir/dump" >"$dir/before"
	was=$(hash)
}

# How many rows of a switch in the dump lead to a port.
rows_by() {	# NODE_GUID PORT
	tables "$dir/dump" | awk -v g="$1" -v p="$(printf %03d "$2")" '$1 == g && $4 == p' | wc -l
}
guid_of() { sed -n "s/^Unicast.* guid \(0x[0-9a-f]*\) ('$1').*/\1/p" "$dir/dump/opensm-lfts.dump"; }

@test "a port is drained: its rows move away, sound, and it comes back" {
	drainable
	read -r name port < <(first_link | tr -d '"]' | tr '[' ' ')
	guid=$(guid_of "$name")
	[ "$(rows_by "$guid" "$port")" -gt 0 ]
	echo "$name:$port avoid" >"$dir/links"
	change sm_hup
	log_has ' avoided 1 links, drained 0 switches, repaired [1-9]' || fail "$(log | grep moore)"
	[ "$(rows_by "$guid" "$port")" -eq 0 ]
	sound
	no_credit_loop
	[ "$(diff "$dir/before" <(tables "$dir/dump") | grep -c '^>')" -lt 200 ]
	moorectl route "$dir/plan.json" --conf "$dir/moore.conf" -o "$dir/offline" >/dev/null
	diff <(tables "$dir/offline") <(tables "$dir/dump")
	[ "$(hash)" != "$was" ]
	echo >"$dir/links"
	change sm_hup
	diff "$dir/before" <(tables "$dir/dump")
	[ "$(hash)" = "$was" ]
}

@test "a file that changes is in force without a signal, and each version is asked for once" {
	drainable
	read -r name port < <(first_link | tr -d '"]' | tr '[' ' ')
	guid=$(guid_of "$name")
	change tee "$dir/links" <<<"$name:$port avoid"
	log_has "moore: $dir/links has changed: a sweep is asked for" || fail "$(log | grep moore)"
	log_has ' avoided 1 links, ' || fail "$(log | grep moore)"
	[ "$(rows_by "$guid" "$port")" -eq 0 ]
	sound
	calm
	change tee "$dir/links" <<<"$name:$port evade"
	log_has "ERR MR14: $dir/links:1: " || fail "$(log | grep moore)"
	[ "$(rows_by "$guid" "$port")" -eq 0 ]
	since
	sleep 4
	[ "$(log_count 'moore: .* hash')" -eq 0 ] || fail "$(log | grep moore)"
	change tee "$dir/links" </dev/null
	calm
	diff "$dir/before" <(tables "$dir/dump")
}

# Both ends of a link as moorectl names them.
ends_of() { jq -r '.links[] | "\(.switch) \(.port) \(.peer) \(.peer_port)"'; }

# errs LINK N: its error counter is N.
errs() { sim "PerformanceSet $1 PortCounters.SymbolErrorCounter=$2"; }

@test "a switch is drained: it is reached, and nothing passes through it" {
	drainable
	name=s0-0-0
	cables | grep "^\"$name\"" >/dev/null || fail "no $name"
	echo "$(guid_of "$name") avoid" >"$dir/links"
	change sm_hup
	log_has ' avoided 0 links, drained 1 switches,' || fail "$(log | grep moore)"
	sound
	no_credit_loop
	# Its neighbours send it only what is for the switch itself and its three hosts.
	awk -F'"' -v s="$name" '/^Switch/ { on = $2; next }
		/^\[/ && $2 == s && on != "" { gsub(/[^0-9]/, "", $1); print on, $1 } /^$/ { on = "" }' \
		"$dir/net" >"$dir/neighbours"
	[ "$(wc -l <"$dir/neighbours")" -eq 7 ]
	while read -r peer port; do
		[ "$(rows_by "$(guid_of "$peer")" "$port")" -eq 4 ] || fail "$peer[$port] sends it more"
	done <"$dir/neighbours"
	path_record "$(awk -F'"' '/^Hca/ { print $2 }' "$dir/net" | tail -n 1)" "$name-h0"
	: >"$dir/links"
	change sm_hup
	diff "$dir/before" <(tables "$dir/dump")
}

@test "an error in the links file: the last good one stays; an unknown name is a warning" {
	drainable
	read -r name port < <(first_link | tr -d '"]' | tr '[' ' ')
	echo "$name:$port avoid" >"$dir/links"
	change sm_hup
	tables "$dir/dump" >"$dir/drained"
	echo "$name:$port evade" >"$dir/links"
	change sm_hup
	log_has "ERR MR14: $dir/links:1: \"evade\" is neither avoid nor weight.*the last good settings stay" ||
		fail "$(log | grep moore)"
	diff "$dir/drained" <(tables "$dir/dump")
	printf '%s:%s avoid\nnobody avoid\n' "$name" "$port" >"$dir/links"
	change sm_hup
	log_has "ERR MR14: $dir/links: 1 lines name switches that are neither there nor planned, the first is line 2"
	diff "$dir/drained" <(tables "$dir/dump")
	sound
}

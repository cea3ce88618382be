#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The links file: after a SIGHUP, or when the plugin finds that it has changed, a port or a switch
# is drained, and later it is used again.
# Other tests run beside this file, which mostly waits.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	moored_kill
	fabric_stop
}

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
	log_has '; avoided links: 1; next hops repaired: [1-9]' || fail "$(log | grep moore)"
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
	log_has '; avoided links: 1;' || fail "$(log | grep moore)"
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

@test "a link with errors: moorectl drain proposes it, drains it, and undoes it" {
	drainable
	moored_start poll_ms 200 moore_conf "$dir/moore.conf"
	drain() { moorectl --socket "$dir/moored.sock" drain "$@"; }
	will 60 .lanes_read fabric.summary
	drain | grep 'no link has errors or flaps'
	will 60 '.poll >= 8' hotspots.list
	link=$(first_link)
	errs "$link" 200
	will 60 '[.hotspots[] | select(.finding == "errors")] | length == 1' hotspots.list
	run -1 drain --json
	jq -e '.links | length == 1 and .[0].verdict == "fine" and .[0].finding == "errors"' <<<"$output"
	jq -e '.load_after >= .load_before and .load_before > 0' <<<"$output"
	before=$(jq .load_before <<<"$output") after=$(jq .load_after <<<"$output")
	read -r sw port peer peer_port < <(ends_of <<<"$output")
	[[ $link == "\"$sw\"[$port]" || $link == "\"$peer\"[$peer_port]" ]]
	[ "$(cat "$dir/links")" = '# nothing yet' ]	# it was only judged
	# The module of each end, where ibdiagnet has left its files.
	mkdir "$dir/ibdiagnet"
	jq -r '"START_CABLE_INFO", "NodeGuid,PortNum,SN", (.links[0] | "\(.guid),\(.port),near", "\(.peer_guid),\(.peer_port),far"),
		"END_CABLE_INFO"' <<<"$output" >"$dir/ibdiagnet/ibdiagnet2.db_csv"
	run -1 drain --ibdiagnet "$dir/ibdiagnet" --json
	jq -e '.links[0] | .optics.serial == "near" and .peer_optics.serial == "far"' <<<"$output"
	run -1 drain --ibdiagnet "$dir/ibdiagnet"
	[[ $output == *" serial near"*" serial far"* ]] || fail "$output"
	# The same from what mlxlink printed at each end.
	mkdir "$dir/mlxlink"
	run -1 drain --json
	jq -r '.links[0] | "\(.guid)-\(.port) near", "\(.peer_guid)-\(.peer_port) far"' <<<"$output" |
		while read -r port which; do
			printf 'Module Info\n-----------\nVendor Serial Number : %s\n' "$which" >"$dir/mlxlink/$port.txt"
		done
	run -1 drain --mlxlink "$dir/mlxlink" --json
	jq -e '.links[0] | .optics.serial == "near" and .peer_optics.serial == "far"' <<<"$output"
	run -1 drain --json
	change drain --apply
	calm
	log_has '; avoided links: 1;' || fail "$(log | grep moore)"
	[ "$(rows_by "$(guid_of "$sw")" "$port")" -eq 0 ]
	[ "$(rows_by "$(guid_of "$peer")" "$peer_port")" -eq 0 ]
	sound
	# The load that was foretold is that of OpenSM's dumps.
	jq -e ".max_load == $after" <<<"$(verify)"
	drain | grep "drained .* by moorectl, for .*: errors $sw\[$port\] -> $peer\[$peer_port\]"
	echo "$peer:2 weight 1" >>"$dir/links"
	change drain --undo "$peer[$peer_port]" >"$dir/undo"
	grep "was drained .* by moorectl, for .*: errors $sw\[$port\]" "$dir/undo"
	grep "^1 line changed in $dir/links; OpenSM's plugin sweeps" "$dir/undo"
	[ "$(wc -l <"$dir/undo")" -eq 2 ] || fail "$(cat "$dir/undo")"
	calm
	[ "$(rows_by "$(guid_of "$sw")" "$port")" -gt 0 ]
	jq -e ".max_load == $before" <<<"$(verify)"
	[ "$(cat "$dir/links")" = $'# nothing yet\n'"$peer:2 weight 1" ]
	moored_stop
}

@test "moorectl drain: what it refuses, and where it fails" {
	drainable
	moored_start moore_conf "$dir/moore.conf" drain_most 2
	drain() { moorectl --socket "$dir/moored.sock" drain "$@"; }
	will 60 .lanes_read fabric.summary
	mapfile -t link < <(cables | grep '"s0-0-0"' | tr -d '"' | head -n 3)
	run -1 drain --apply "${link[@]}"
	[[ $output == *"as many links as allowed"*"2 lines changed in $dir/links"* ]]
	run -1 drain 's0-0-0[1]'
	[[ $output == *"no link to another switch"* ]]
	run -2 drain 'nobody[1]'
	run -2 drain --apply --undo
	echo 'sw evade' >>"$dir/links"
	run -2 drain --undo
	[[ $output == *"$dir/links:6: \"evade\" is neither avoid nor weight"* ]]
	sed -i '$d; /drain: end/d' "$dir/links"
	run -2 drain
	[[ $output == *"$dir/links:2: "*"write"*"drain: end"* ]]
	sed -i '/^links/d' "$dir/moore.conf"
	run -2 drain
	[[ $output == *"names no file of links: write a line"* ]]
}

@test "moored drains by itself only if it may, within its limit, and ends it after a quiet time" {
	drainable
	moored_start poll_ms 200 moore_conf "$dir/moore.conf"
	will 60 .lanes_read fabric.summary
	will 60 '.poll >= 8' hotspots.list
	mapfile -t link < <(cables | grep '"s0-0-0"\|"s1-4-4"' | head -n 2)
	for l in "${link[@]}"; do errs "$l" 200; done
	will 60 '[.hotspots[] | select(.finding == "errors")] | length == 2' hotspots.list
	sleep 6
	[ "$(cat "$dir/links")" = '# nothing yet' ]	# drain is off
	printf '%s\n' 'drain on' 'drain_most 1' 'drain_quiet_s 10' >>"$dir/moored.conf"
	change kill -HUP "$daemon_pid"
	calm
	log_has '; avoided links: 1;' || fail "$(log | grep moore)"
	[ "$(grep -c ' avoid # .* moored errors ' "$dir/links")" -eq 1 ]
	grep 'drain: 0x.* is drained: errors ' "$dir/moored.log"
	holds '.events | length == 1 and .[0].params.drained' events.past '{"kinds":["drain"]}'
	run -1 moorectl --socket "$dir/moored.sock" drain --json
	[ "$(jq -c '[.links[].verdict] | sort' <<<"$output")" = '["already","many"]' ]
	sound
	# Errors go on: quiet is over only when the finding is.
	since
	sleep 12
	[ "$(log_count 'moore: .* hash')" -eq 0 ] || fail "$(log | grep moore)"
	# To another moored the counters stand still.
	moored_stop
	since
	moored_start poll_ms 200 moore_conf "$dir/moore.conf" drain on drain_quiet_s 10
	await_up
	calm
	[ "$(cat "$dir/links")" = '# nothing yet' ]
	diff "$dir/before" <(tables "$dir/dump")
	grep 'drain: 0x.* was quiet and is used again' "$dir/moored.log"
	# What moored keeps of the link tells it all, from before the restart too.
	link=$(ask events.past '{"kinds":["drain"]}' | jq -r '.events[0].params.why | split(" ")[1]')
	run -0 moorectl --socket "$dir/moored.sock" history "$link" --since 1h --json
	[ "$(jq -c '[.events[].method]' <<<"$output")" = '["event.hotspot","event.drain","event.drain"]' ]
	jq -e '[.events[].params | .raised // .drained] == [true, true, false]' <<<"$output"
	jq -e '[.counters[] | select(.counter == "symbol_error") | .value] == [200]' <<<"$output"
	run -0 moorectl --socket "$dir/moored.sock" history "$link"
	[[ $output == "$link"*" drain "*" is drained: "*" is used again: "* ]] || fail "$output"
	run -0 moorectl --socket "$dir/moored.sock" history s1-0-3
	[[ $output == *"no event names it"* ]] || fail "$output"
	# A file that cannot be written is logged once.
	sed -i "s|^links.*|links $dir/none/links|" "$dir/moore.conf"
	until_ok 20 grep "drain: $dir/none/links: " "$dir/moored.log"
	moored_stop
}

@test "a switch is drained: it is reached, and nothing passes through it" {
	drainable
	name=s0-0-0
	cables | grep "^\"$name\"" >/dev/null || fail "no $name"
	echo "$(guid_of "$name") avoid" >"$dir/links"
	change sm_hup
	log_has 'change; drained switches: 1;' || fail "$(log | grep moore)"
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

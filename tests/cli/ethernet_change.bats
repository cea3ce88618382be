# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet_change.bats - ethernet diff and apply.
load lib
load ethernet

around() { $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --fail s0-0-0:4 -o "$T/around" >/dev/null; }

@test "diff: nothing differs from itself; a cut and its repair go in safe steps" {
	run -0 $M ethernet diff "$N" "$N"
	[[ $output == *"run the routes of the directory"* ]]
	around
	for way in "around net" "net around"; do
		read -r new old <<<"$way"
		run -1 $M ethernet diff "$T/$new" "$T/$old" --json
		holds '(.ok | not) and .edits > 100 and .steps.ok and all(.steps.list[]; .safe and .interrupted == 0)'
		# Played on the old files, the steps leave exactly the new ones.
		$M ethernet diff "$T/$new" "$T/$old" -o "$T/steps-$new" >/dev/null || true
		for s in "$T/$old"/s*; do
			name=${s##*/}
			cat "$s/routes.ipbatch" "$T/steps-$new"/step-*/"$name.ipbatch" 2>/dev/null | awk '
				$1 != "route" { next } $2 == "replace" { route[$3] = $0 } $2 == "del" { delete route[$3] }
				END { for (r in route) print route[r] }' | sort | diff - <(sort "$T/$new/$name/routes.ipbatch")
		done
	done
}

# play OLD STEPS SWITCH: the routes of a switch after it has loaded all steps; what leads over the dead
# cable of `around` counts as a route, but never alone where a backup is there.
play() {
	cat "$1/$3/routes.ipbatch" "$2"/step-*/"$3.ipbatch" 2>/dev/null | awk '
		$1 != "route" { next } { key = $3 (/ metric 2048$/ ? " backup" : "") }
		$2 == "replace" { route[key] = $0 } $2 == "del" { delete route[key] }
		END { for (r in route) print route[r] }' | sort
}

@test "diff with backups: idle ones go first, those in force stay until the routes are new" {
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --backup -o "$T/with" >/dev/null
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --backup --fail s0-0-0:4 -o "$T/cut" >/dev/null
	run -0 $M ethernet diff "$T/with" "$T/with"
	for way in "with $N" "cut with" "with cut" "$N with"; do
		read -r new old <<<"$way"
		[[ $new == /* ]] || new=$T/$new
		[[ $old == /* ]] || old=$T/$old
		rm -rf "$T/steps"
		run -1 $M ethernet diff "$new" "$old" -o "$T/steps" --json
		for s in "$old"/s*; do
			name=${s##*/}
			play "$old" "$T/steps" "$name" | diff - <(sort "$new/$name/routes.ipbatch")
		done
		last=$(ls -d "$T"/steps/step-* | wc -l)
		holds ".steps_to_load == $last"
		# Backups are added in the last step alone, where nothing else changes.
		! grep -l "replace.* metric 2048" "$T"/steps/step-*/* | grep -v "/step-$last/" || return 1
		grep -q "replace.* metric 2048" "$T/steps/step-$last"/* || continue
		! grep -hv "replace.* metric 2048" "$T/steps/step-$last"/* || return 1
	done
	# After the cut: the first step withdraws idle backups alone; those of routes over the dead cable are in
	# force, and go with the step before the last.
	rm -rf "$T/steps"
	run -1 $M ethernet diff "$T/cut" "$T/with" -o "$T/steps" --json
	holds '.steps.ok and all(.steps.list[]; .safe and .interrupted == 0)'
	! grep -hv "del .* metric 2048$" "$T"/steps/step-1/* || return 1
	join -j 1 <(awk '$7 == "swp4" && !/2048$/ { print $3 }' "$T/with/s0-0-0/routes.ipbatch" | sort) \
		<(awk '/2048$/ { print $3 }' "$T/with/s0-0-0/routes.ipbatch" | sort) >"$T/in-force"
	[ -s "$T/in-force" ]
	! grep -qFwf "$T/in-force" "$T/steps/step-1/s0-0-0.ipbatch" || return 1
	# Pairs that have a backup are not dead at first.
	dead=$(jq .steps.dead <<<"$output")
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --fail s0-0-0:4 -o "$T/bare" >/dev/null
	run -1 $M ethernet diff "$T/bare" "$N" --json
	[ "$dead" -lt "$(jq .steps.dead <<<"$output")" ]
	# Only a backup differs: it alone is written, and no step of routes.
	cp -r "$T/with" "$T/few"
	sed -i '0,/ metric 2048$/{/ metric 2048$/d}' "$T/few/s0-0-0/routes.ipbatch"
	run -1 $M ethernet diff "$T/with" "$T/few" --json
	holds '.edits == 1 and .steps == null and .steps_to_load == 1'
	run -1 $M ethernet diff "$T/few" "$T/with" --json
	holds '.edits == 1 and .removed == 1 and .steps == null and .steps_to_load == 1'
	# A directory whose backups are not safe is refused.
	to=$(sed -n 's|^route replace \(10[^ ]*/[0-9]*\) via .* proto 109$|\1|p' "$T/few/s0-0-0/routes.ipbatch" | head -1)
	echo "route replace $to via 10.0.0.1 dev swp200 onlink proto 109 metric 2048" >>"$T/few/s0-0-0/routes.ipbatch"
	run -2 --separate-stderr $M ethernet diff "$T/few" "$T/with"
	says "the backups of the directory are not safe"
}

@test "diff: what is written otherwise, missing or ours alone is changed last" {
	S=$N/s0-0-0/routes.ipbatch
	cp -r "$N" "$T/old"
	O=$T/old/s0-0-0/routes.ipbatch
	sed -i '/ 10\.0\.0\.3 /d' "$O"
	echo "route replace 172.20.0.0/16 dev swp1 proto 109" >>"$O"
	echo "route replace 172.21.0.0/16 dev swp1 proto 11" >>"$O"
	run -1 $M ethernet diff "$N" "$T/old"
	[[ $output == *"# step 1: s0-0-0"*"route replace 10.0.0.3 dev swp2 proto 109"*"route del 172.20.0.0/16 proto 109"* ]]
	[[ $output != *172.21* ]]
	run -1 $M ethernet diff "$N" "$T/old" --json
	holds '.edits == 2 and .removed == 1 and .steps == null'
}

@test "diff: a port that has no route gets its addresses and neighbours before the first one" {
	around
	# Without the cable its ports have no route; with it, both need what the kernel drops when a port is set down.
	run -1 $M ethernet diff "$T/around" "$N"
	[[ $output == *"route replace"* && $output != *neigh* && $output != *addr* ]]
	run -1 $M ethernet diff "$N" "$T/around" -o "$T/steps"
	at=$(jq -r '.cables[] | [.a, .b] | select(any(.switch == "s0-0-0" and .port == 4))[] | "\(.switch) swp\(.port)"' "$P")
	[ "$(wc -l <<<"$at")" = 2 ]
	while read -r s port; do
		grep -h " dev $port " "$N/$s/interfaces.ipbatch" "$N/$s/neighbours.ipbatch" | grep -v "^link" >"$T/want"
		[ "$(wc -l <"$T/want")" = 3 ]
		grep -hv "^route" "$T/steps"/step-*/"$s.ipbatch" | diff "$T/want" -
		cat "$T/steps"/step-*/"$s.ipbatch" | awk -v port="$port" '
			$1 == "neigh" { n++ } / dev / && $0 ~ port && $1 == "route" { exit n != 2 }'
	done <<<"$at"
	[ "$(grep -l "^neigh" "$T/steps"/step-*/* | wc -l)" = 2 ]
	# A switch that was started anew has nothing: all of its ports are set, those of hosts as well.
	cp -r "$N" "$T/empty"
	: >"$T/empty/s0-0-0/routes.ipbatch"
	$M ethernet diff "$N" "$T/empty" | grep "^neigh" | sort >"$T/got" || true
	sort "$N/s0-0-0/neighbours.ipbatch" | diff - "$T/got"
}

# running DIR: what `ip -json route show` would print of emitted files, with a route of another.
running() {
	for s in "$N"/s*; do
		mkdir -p "$1/${s##*/}"
		for family in "routes:\\." "routes6::.*"; do
			awk -v f="${family#*:}" '$3 ~ f {
				o = $0 ~ / onlink / ? "\"onlink\"" : ""; g = $4 == "via" ? "\"gateway\": \"" $5 "\", " : ""
				d = $4 == "via" ? $7 : $5
				printf "%s{\"dst\": \"%s\", %s\"dev\": \"%s\", \"protocol\": \"109\", \"flags\": [%s]}",
					n++ ? ",\n" : "[{\"dst\":\"default\",\"dev\":\"eth0\",\"protocol\":\"boot\",\"flags\":[]},\n", $3, g, d, o }
				END { print "]" }' "$s/routes.ipbatch" >"$1/${s##*/}/${family%%:*}.json"
		done
	done
}

@test "diff: reads what ip prints, and bad files say where they are wrong" {
	running "$T/run"
	run -0 $M ethernet diff "$N" "$T/run"
	sed -i '3s/"swp[0-9]*"/"eth0"/' "$T/run/s0-0-0/routes.json"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json: [2].dev: a route of this protocol leaves by an interface that is no port"
	# The kernel replaces a route of that prefix and metric, whatever its protocol.
	running "$T/run"
	cp "$T/run/s0-0-0/routes.json" "$T/whole"
	for other in '{dst: "10.0.0.8/29", dev: "eth0", protocol: "static"}' \
		'{dst: "10.0.0.8/29", dev: "eth0", protocol: "static", metric: 2048}' \
		'{dst: "10.0.0.3", type: "blackhole", protocol: "boot"}'; do
		jq ". + [$other]" "$T/whole" >"$T/run/s0-0-0/routes.json"
		run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
		says "s0-0-0/routes.json: ["
		says ", and one of ours would replace it"
	done
	jq '. + [{dst: "10.0.0.8/29", dev: "eth0", protocol: "bgp", metric: 20}, {dst: "10.0.0.1", dev: "lo", protocol: "kernel"},
		{dst: "10.200.0.0/29", dev: "eth0", protocol: "static"}]' "$T/whole" >"$T/run/s0-0-0/routes.json"
	run -0 $M ethernet diff "$N" "$T/run"
	# It takes the longest match, and the least metric.
	for other in '{dst: "10.0.0.9", dev: "lo", protocol: "kernel"}' '{dst: "10.0.0.12/30", dev: "eth0", protocol: "static"}'; do
		jq ". + [$other]" "$T/whole" >"$T/run/s0-0-0/routes.json"
		run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
		says ", and takes packets of the network: remove it"
	done
	echo "[" >"$T/run/s0-0-0/routes.json"

	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json:"
	echo '{"10.0.0.0/24": 3}' >"$T/run/s0-0-0/routes.json"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json: 10.0.0.0/24: a list of routes is wanted"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/nowhere"
	says "no file of routes there"
	: >"$T/file"
	run -2 --separate-stderr $M ethernet diff "$N" "$N" -o "$T/file/steps"
	says "/file/steps: cannot make: Not a directory"
	# A network of one family has no file of the other.
	rm "$T"/run/*/routes.json
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json: is missing: add it"
	for family in "ipv4 10.0.0.0/8 routes6" "ipv6 fd00::/48 routes"; do
		read -r option range other <<<"$family"
		$M ethernet emit "$P" "--$option" "$range" -o "$T/net" >/dev/null
		rm -rf "$T/run"
		running "$T/run"
		rm "$T"/run/*/"$other.json"
		run -0 $M ethernet diff "$N" "$T/run"
	done
}

@test "diff: what runs is the configuration of SONiC; what is not ours in it is left alone" {
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 2 --links-ipv4 172.16.0.0/16 --format sonic -o "$T/sonic" >/dev/null
	for s in "$T"/sonic/s*; do mkdir -p "$T/db/${s##*/}" && cp "$s/config_db.json" "$T/db/${s##*/}"; done
	D=$T/db/s0-0-0/config_db.json
	while read -r change; do
		jq "$change" "$T/sonic/s0-0-0/config_db.json" >"$D"
		run -0 $M ethernet diff "$T/sonic" "$T/db"
	done <<-'END'
		.STATIC_ROUTE["default|192.168.0.0/16"] = {nexthop: "172.16.0.1", ifname: "Ethernet12"}
		.STATIC_ROUTE["default|0.0.0.0/0"] = {nexthop: "192.0.2.1", ifname: "eth0"}
		.STATIC_ROUTE["default|0.0.0.0/0"] = {nexthop: "192.0.2.1"}
		.STATIC_ROUTE["Vrf-red|10.0.0.8/29"] = {nexthop: "192.0.2.1", ifname: "Ethernet12"}
		.STATIC_ROUTE |= with_entries(.key |= sub("default\\|"; ""))
		.PORT_QOS_MAP.global = {dscp_to_tc_map: "AZURE"} | .PORT_QOS_MAP.Ethernet400 = {}
		del(.PORT_QOS_MAP, .DSCP_TO_TC_MAP)
	END
	jq 'del(.STATIC_ROUTE["default|10.0.0.8/29"]) | .STATIC_ROUTE["default|10.0.200.0/29"] = {nexthop: "172.16.0.1",
		ifname: "Ethernet12"}' "$T/sonic/s0-0-0/config_db.json" >"$D"
	run -1 $M ethernet diff "$T/sonic" "$T/db"
	[[ $output == *"route replace 10.0.0.8/29 "*"route del 10.0.200.0/29 proto 109"* ]]
	run -1 $M ethernet diff "$T/sonic" "$T/db" --json
	holds '.edits == 2 and .removed == 1'
}

# several PREFIX PORT: $T/run, in which s0-0-0 sends a prefix to a second port as well.
several() {
	local hop
	hop=$(awk -v p="swp$2" '$7 == p { print $5; exit }' "$N/s0-0-0/routes.ipbatch")
	jq --arg to "$1" --arg hop "$hop" --arg dev "swp$2" 'map(if .dst == $to then {dst, protocol, flags: [],
		nexthops: [del(.dst, .protocol), {gateway: $hop, dev: $dev, flags}]} else . end)' \
		"$T/run/s0-0-0/routes.json" >"$T/routes"
	cp "$T/routes" "$T/run/s0-0-0/routes.json"
}

@test "diff: a route with several next hops is every one of them" {
	running "$T/run"
	several 10.0.0.24/29 4
	run -1 $M ethernet diff "$N" "$T/run"
	[[ $output == "# step 1: s0-0-0"$'\n'"route replace 10.0.0.24/29 via 10.0.0.33 dev swp5 onlink proto 109"* ]]
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '.edits == 1 and .steps.ok and .steps_to_load == 1'
	# A route to a host, which the steps do not judge.
	several 10.0.0.3 4
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '.edits == 2'
	# Over this port, waiting packets can form a cycle: the switches may hold that already.
	running "$T/run"
	several 10.0.0.88/29 5
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '(.steps.ok | not) and (.steps.start_safe | not)'
}

@test "diff: to and from several next hops, which are added when all else is done" {
	$M plan new mlfm h=4 -o "$T/p.json" >/dev/null
	emit="$M ethernet emit $T/p.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 2"
	$emit -o "$T/one" >/dev/null
	$emit --ecmp 4 -o "$T/sets" >/dev/null
	$emit --ecmp 4 --fail "$(jq -r .switches[0].name "$T/p.json"):6" -o "$T/around" >/dev/null
	run -0 $M ethernet diff "$T/sets" "$T/sets"
	while read -r new old edits steps waits; do
		rm -rf "$T/steps"
		run -1 $M ethernet diff "$T/$new" "$T/$old" -o "$T/steps" --json
		echo "# $old to $new: $(jq -c '[.edits, .steps_to_load, .last_waits, .steps.ok]' <<<"$output")"
		holds ".steps.ok and (.steps.list | all(.safe)) and .edits $edits and .steps_to_load $steps and .last_waits == $waits"
		for s in "$T/$old"/*/routes.ipbatch; do
			name=$(basename "${s%/*}")
			cat "$s" "$T"/steps/step-*/"$name.ipbatch" 2>/dev/null | awk '
				$1 != "route" { next } $2 == "replace" { route[$3] = $0 } $2 == "del" { delete route[$3] }
				END { for (r in route) print route[r] }' | sort | diff - <(sort "$T/$new/$name/routes.ipbatch")
		done
	done <<-END
		sets one ==636 ==1 false
		one sets >=636 >=1 false
		around sets >620 >1 true
		sets around >620 >1 true
	END
	# Next hops that are not safe are not loaded.
	also_over "$R/r1/routes.ipbatch" 10.0.0.8/30 3
	run -2 --separate-stderr $M ethernet diff "$R" "$BATS_FILE_TMPDIR/ring"
	says "can loop or deadlock over some of their next hops"
}

@test "apply: commands that fail, hang or lie stop it" {
	running "$T/run"
	cat >"$T/read" <<-END
		#!/bin/sh
		[ "\$2" = -4 ] && cat $T/run/\$1/routes.json || cat $T/run/\$1/routes6.json
	END
	chmod +x "$T/read"
	run -0 $M ethernet apply "$N" --command "false" --read "$T/read {switch} {family}"
	around
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "false" --read "$T/read {switch} {family}"
	says "false: the command exited with 1"
	# Of the reads, eight at a time, none begins once one has failed.
	printf '#!/bin/sh\necho >>%s\nexit 3\n' "$T/reads" >"$T/failing"
	chmod +x "$T/failing"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "$T/failing"
	says "the command exited with 3"
	echo "reads: $(wc -l <"$T/reads")"
	[ "$(wc -l <"$T/reads")" -le 8 ]
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "$T/read {switch} {family}"
	says "does not run the routes of the step"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "sleep 60" --timeout 1
	says "it took too long"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "$T/none"
	says "No such file"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "yes"
	says "its answer is longer than 64 MiB"
	run -0 $M ethernet apply "$T/around" --command "false" --read "$T/read {switch} {family}" --dry-run
	[[ $output == *"pairs (switch, prefix) are dead"*" routes, 0 of them to nowhere: "* ]] || { echo "$output"; false; }
	run -2 --separate-stderr $M ethernet apply "$T/around"
	says "--command and --read are missing"
}

@test "apply: a signal ends its commands with it" {
	printf '#!/bin/sh\necho $$ >>%s\nexec sleep 77\n' "$T/pids" >"$T/slow"
	chmod +x "$T/slow"
	$M ethernet apply "$N" --command true --read "$T/slow" 3>&- &
	for _ in $(seq 100); do
		[ "$(wc -l <"$T/pids")" = 8 ] && break
		sleep 0.05
	done 2>/dev/null
	kill -TERM $!
	rc=0
	wait $! || rc=$?
	[ $rc = 143 ] && [ "$(wc -l <"$T/pids")" = 8 ]
	while read -r pid; do
		! kill -0 "$pid" || return 1
	done <"$T/pids"
}

# A program that stands for all switches: `load SWITCH` takes lines for ip, `read SWITCH FAMILY` prints
# the routes as ip does.  The routes of a switch are lines in $T/state/SWITCH; $T/loads counts loads, and
# while $T/stop holds a number, that load and those after it take half of their lines and hang.
switches() {
	mkdir "$T/state"
	for s in "$1"/s*; do
		cp "$s/routes.ipbatch" "$T/state/${s##*/}"
	done
	cat >"$T/switch" <<-END
		#!/bin/bash
		f=$T/state/\$2
		if [ "\$1" = read ]; then
			exec awk -v six="\$3" '(\$3 ~ /:/) == (six == -6) {
				v = \$4 == "via"
				printf "%s{\"dst\":\"%s\",%s\"dev\":\"%s\",\"protocol\":\"109\",\"flags\":[%s]}", n++ ? "," : "[",
					\$3, v ? "\"gateway\":\"" \$5 "\"," : "", v ? \$7 : \$5, / onlink / ? "\"onlink\"" : "" }
				END { print n ? "]" : "[]" }' "\$f"
		fi
		lines=\$(cat)
		echo "\$2" >>$T/loads
		if [ -s $T/stop ] && [ "\$(wc -l <$T/loads)" -ge "\$(cat $T/stop)" ]; then
			lines=\$(head -n "\$((\$(wc -l <<<"\$lines") / 2))" <<<"\$lines")
		fi
		awk '\$1 != "route" { next } \$2 == "del" { delete r[\$3]; next } { r[\$3] = \$0 } END { for (k in r) print r[k] }' \\
			"\$f" - <<<"\$lines" | grep . | sort >"\$f.new"
		mv "\$f.new" "\$f"
		[ ! -s $T/stop ] || [ "\$(wc -l <$T/loads)" -lt "\$(cat $T/stop)" ] || { echo \$\$ >>$T/left; exec sleep 77; }
	END
	chmod +x "$T/switch"
}

apply() { "$@" $M ethernet apply "$T/around" --wait 0 --command "$T/switch load {switch}" --read "$T/switch read {switch} {family}"; }

@test "apply: killed in the middle of any load, it goes on from there; and not while a command is left" {
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 2 -o "$N" >/dev/null
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 2 --fail s0-0-0:4 -o "$T/around" >/dev/null
	run -1 $M ethernet diff "$T/around" "$N" --json
	loads=$(jq .loads <<<"$output")
	[ "$loads" -gt 8 ] || { echo "$output" | head -c 600; false; }
	for at in 1 $((loads / 2)) $((loads - 1)); do
		rm -rf "$T/state" "$T/loads" "$T/left"
		switches "$N"
		echo "$at" >"$T/stop"
		apply exec 3>&- & pid=$!
		for _ in $(seq 300); do
			[ "$(cat "$T/loads" 2>/dev/null | wc -l)" -ge "$at" ] && break
			sleep 0.1
		done
		sleep 0.5
		kill -KILL "$pid"
		wait "$pid" || true
		: >"$T/stop"
		run -2 --separate-stderr apply
		says "another apply of this directory runs, or a command that it started"
		kill $(cat "$T/left")
		sleep 0.2
		run -0 apply env
		for s in "$T/around"/s*; do
			sort "$s/routes.ipbatch" | diff - <(sort "$T/state/${s##*/}")
		done
	done
}

@test "apply: when it is killed, no switch has got a part of a line" {
	$M plan new slimfly q=3 p=1 -o "$T/q3.json" >/dev/null
	$M ethernet emit "$T/q3.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 60 -o "$T/q3" >/dev/null
	# More lines than a pipe holds, for commands that do not read at first.
	[ "$(wc -c <"$T/q3/s0-0-0/routes.ipbatch")" -gt 131072 ]
	mkdir "$T/got"
	printf '#!/bin/sh\nsleep 6\ncat >"%s/got/$1"\n>"%s/got/$1.end"\n' "$T" "$T" >"$T/slow"
	printf '#!/bin/sh\necho "[]"\n' >"$T/none"
	chmod +x "$T/slow" "$T/none"
	run timeout -s KILL 5 $M ethernet apply "$T/q3" --command "$T/slow {switch}" --read "$T/none" 3>&-
	for _ in $(seq 100); do
		n=$(find "$T/got" -name '*.end' | wc -l)
		[ "$n" = 8 ] && break
		sleep 0.1
	done
	[ "$n" = 8 ]
	for f in "$T"/got/*.end; do
		[ "$(wc -c <"${f%.end}")" -gt 60000 ]
		[ -z "$(tail -c 1 "${f%.end}" | tr -d '\n')" ] || { tail -c 60 "${f%.end}"; false; }
	done
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# conf_doctor.bats - moore.conf, and moorectl doctor: would OpenSM load the plugin and use
# it?
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	# An OpenSM that only prints its version, or with -c its defaults; and plugins built
	# for this version and for others.
	cat >opensm <<-'SH'
		#!/bin/sh
		echo "------"
		echo "OpenSM 9.8.7"
		echo "Command Line Arguments:"
		[ "$1$2$3$4" = -F/dev/null-c/dev/stdout ] || exit 0
		printf '# comment\n%s\n' 'event_plugin_name (null)' 'event_plugin_options (null)' \
			'routing_engine (null)' 'qos FALSE' 'max_op_vls 5' 'use_ucast_cache FALSE' \
			'lmc 0' 'lmc_esp0 FALSE' 'head_of_queue_lifetime 0x12' 'sm_sl 0' \
			'leaf_head_of_queue_lifetime 0x10' 'sm_priority 0' 'sweep_interval 10' \
			'packet_life_time 0x12' 'vl_stall_count 0x07' 'perfmgr FALSE' 'm_key 0x0' \
			'qos_sl2vl (null)' 'qos_ca_sl2vl (null)' 'qos_swe_sl2vl (null)' \
			'qos_vlarb_low (null)' 'qos_swe_vlarb_high (null)' 'qos_high_limit -1' \
			'qos_ca_vlarb_low (null)' 'subnet_timeout 18' 'console off' 'partition_config_file x' 'qos_policy_file x'
	SH
	chmod +x opensm
	sed '/-F/,$d' opensm >opensm-mute	# an OpenSM that writes no defaults
	chmod +x opensm-mute
	plugin() { echo "$2" | ${CC:-cc} -shared -fPIC -x c -o "$1" -; }
	plugin good.so 'struct { const char *v; void *f[3]; } osm_event_plugin = { "OpenSM 9.8.7", { 0 } };'
	plugin other.so 'struct { const char *v; void *f[3]; } osm_event_plugin = { "OpenSM 3.3.20", { 0 } };'
	plugin ancient.so 'struct { unsigned v; void *f[3]; } osm_event_plugin = { 1, { 0 } };'
	plugin empty.so 'int nothing_here;'
	plugin deadly.so '#include <stdlib.h>
		__attribute__((constructor)) static void die(void) { abort(); }'
	head -c 3000 good.so >cut.so
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	q5 "$T/p.json"
	cat >"$T/opensm.conf" <<-'CONF'
		# as it should be
		event_plugin_name osmmoore
		routing_engine moore,no_fallback
		qos TRUE
		max_op_vls 2
		use_ucast_cache FALSE
		lmc 2
		head_of_queue_lifetime 0x12
	CONF
	echo "plan $T/p.json" >"$T/moore.conf"
}

doctor() {
	run --separate-stderr $M doctor --opensm ./opensm --plugin "${PLUGIN:-./good.so}" \
		--opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf" "$@"
}

@test "conf prints what it reads; every key in JSON" {
	run -0 $M conf
	$M conf >"$T/conf"
	run -0 $M conf check "$T/conf" --json
	holds '.valid and .plan == "" and .seed == 0'
	run -0 $M conf --json
	holds '["plan", "seed", "profile", "layers", "classes", "links", "moored"] as $all |
		[.keys[].key | select(IN($all[]))] == $all'
	[ "$(jq -r '.keys[].key' <<<"$output")" = "$(sed -n 's/^\([a-z_]*\) .*/\1/p' "$T/conf")" ]
	run -0 $M conf check "$T/conf"
	[[ $output == *valid* ]]
	$M conf | $M conf check -
}

@test "conf check says line and key" {
	while IFS='|' read -r text line part; do
		printf "$text" >"$T/c"
		run --separate-stderr -1 $M conf check "$T/c"
		says "moorectl: $T/c:$line: "
		says "$part"
		run -1 $M conf check "$T/c" --json
		holds ".ok == false and .valid == false and .error.line == $line"
	done <<-'ROWS'
	# comment\n\nsede 3\n|3|sede
	seed x\n|1|seed
	seed\n|1|seed
	seed 99999999999999999999999\n|1|seed
	ROWS
	run --separate-stderr -2 $M conf check "$T/none"
	says "No such file"
}

@test "conf check names every fault, and the files that are missing or wrong" {
	printf 'x y z\n' >"$T/links"
	printf '{"moore_plan": 1,\n' >"$T/half.json"
	mkdir "$T/folder"
	cat >"$T/c" <<-EOF2
	profile any
	plan $T/none.json
	# a comment
	seed
	links $T/links
	seed 3
	sede 4
	EOF2
	run --separate-stderr -1 $M conf check "$T/c"
	printf '%s\n' "$T/c:1: profile: " "$T/c:2: plan: $T/none.json: No such file" "$T/c:4: seed: has no value" \
		"$T/c:5: links: $T/links:1: " "$T/c:7: sede: unknown key" >"$T/want"
	[ "${#stderr_lines[@]}" = 5 ] || { echo "$stderr"; false; }
	i=0
	while read -r want; do
		[[ ${stderr_lines[i++]} == "moorectl: $want"* ]] || { echo "$want: ${stderr_lines[i - 1]}"; false; }
	done <"$T/want"
	run -1 $M conf check "$T/c" --json
	holds '[.errors[].line] == [1, 2, 4, 5, 7] and .error == .errors[0] and .valid == false'
	for plan in "$T/half.json|$T/half.json:" "$T/folder|$T/folder: is no regular file"; do
		echo "plan ${plan%|*}" >"$T/d"
		run --separate-stderr -1 $M conf check "$T/d"
		says "$T/d:1: plan: ${plan#*|}"
	done
	# The same key in every line, and no line end: bounded, and soon done.
	yes 'seed x' | head -n 100000 | head -c -1 >"$T/many"
	run --separate-stderr -1 timeout 20 $M conf check "$T/many"
	[ "${#stderr_lines[@]}" = 101 ]
	says "100 faults are shown, there may be more"
}

@test "doctor: all is well" {
	doctor
	[ $status = 0 ]
	[[ $output != *FAIL* && $output != *warn* ]]
	[[ $output == *"ok    ./good.so: plugin: loads, made for OpenSM 9.8.7"* ]]
	doctor --json
	[ $status = 0 ]
	holds '.ok and all(.checks[]; .status == "ok")'
	holds '[.checks[].check] == ["opensm", "plugin", "event_plugin_name", "routing_engine", "qos", "max_op_vls", "use_ucast_cache", "lmc", "head_of_queue_lifetime", "leaf_head_of_queue_lifetime", "lines", "moore.conf", "plan"]'
}

@test "doctor: a plugin for another OpenSM, none, a broken one" {
	while read -r so part; do
		PLUGIN=./$so doctor
		[ $status = 1 ]
		[[ $output == *"FAIL  ./$so: "*"$part"* ]] || { echo "$so: $output"; false; }
	done <<-'ROWS'
	other.so is made for "OpenSM 3.3.20", but OpenSM is "OpenSM 9.8.7", which will skip it: build it with `make OPENSM=PREFIX`, where
	ancient.so oldest plugin interface
	empty.so is no OpenSM plugin
	deadly.so a program that loads it crashes
	absent.so cannot be loaded
	cut.so a program that loads it crashes
	ROWS
	PLUGIN=$T/p.json doctor
	[ $status = 1 ]
	run -1 $M doctor --opensm ./none --plugin ./good.so --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"FAIL  ./none:"* ]]
}

@test "doctor: the plugin that was built loads into the OpenSM that it was built for" {
	build=${MOORE_BUILD:-$ROOT/build}
	build=${build%-san}
	so=$build/libosmmoore.so
	[ -e "$so" ]
	run -0 $M doctor --opensm "$(cat "$build/opensm")/sbin/opensm" --plugin "$so" --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"libosmmoore.so: plugin: loads, made for OpenSM "* ]]
}

@test "doctor: each line of opensm.conf that is wrong, by its number" {
	while IFS='|' read -r line value want mark part; do
		sed -i "${line}s/.*/$value/" "$T/opensm.conf"
		doctor
		[ "$status" = "$want" ]
		[[ $output == *"$mark  $T/opensm.conf:$line: "*"$part"* ]] || { echo "$value: $output"; false; }
		setup
	done <<-'ROWS'
	2|event_plugin_name (null)|1|FAIL|event_plugin_name osmmoore
	2|event_plugin_name a,b,osmmoore|1|FAIL|first comma only
	3|routing_engine minhop,moore|1|FAIL|moore is not the first engine
	3|routing_engine moore|1|FAIL|without no_fallback
	4|qos FALSE|1|FAIL|write `qos TRUE`
	4|qos true|1|FAIL|write `qos TRUE`
	5|max_op_vls 1|1|FAIL|two lanes are needed
	5|max_op_vls 6|1|FAIL|two lanes are needed
	5|max_op_vls many|1|FAIL|many is not a number
	6|use_ucast_cache TRUE|1|FAIL|bypasses the routing engine
	7|lmc 8|1|FAIL|it must be 0 to 7
	8|head_of_queue_lifetime 0x14|0|warn|for ever
	ROWS
}

@test "doctor: classes that need more lanes than max_op_vls gives are warned of" {
	echo 'classes 0,1' >>"$T/moore.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *"warn  $T/opensm.conf:5: classes: max_op_vls gives 2 lanes and "*"need 4"*'`max_op_vls 3`'* ]] || { echo "$output"; false; }
	sed -i 's/^max_op_vls.*/max_op_vls 3/' "$T/opensm.conf"
	doctor
	[ $status = 0 ]
	[[ $output != *"classes: max_op_vls"* ]]
}

@test "doctor: profile one-vl needs neither lanes nor QoS" {
	echo 'profile one-vl' >>"$T/moore.conf"
	sed -i 's/^max_op_vls.*/max_op_vls 1/; s/^qos .*/qos FALSE/' "$T/opensm.conf"
	doctor
	[ $status = 0 ] || { echo "$output"; false; }
	[[ $output != *"classes: max_op_vls"* ]]
	sed -i 's/^max_op_vls.*/max_op_vls 0/' "$T/opensm.conf"
	doctor
	[[ $status = 1 && $output == *'0: one lane is needed: write `max_op_vls 1`'* ]] || { echo "$output"; false; }
}

@test "doctor reads the links file too" {
	echo "links $T/links" >>"$T/moore.conf"
	printf '# spare\ns0-0-0:9 avoid\ns0-0-1 weight 101\n' >"$T/links"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/links:3: links: "*"weight 1..100"* ]] || { echo "$output"; false; }
	echo 's0-0-0:9 avoid' >"$T/links"
	doctor
	[ $status = 0 ]
	[[ $output == *"ok    $T/links: links: 1 rule"* ]]
	rm "$T/links"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/links: links: cannot be read"* ]]
}

@test "doctor: FAIL is 1, warn is 0" {
	sed -i 's/^qos.*/qos FALSE/' "$T/opensm.conf"
	doctor
	[ $status = 1 ]
	doctor --json
	[ $status = 1 ]
	holds '.ok == false and ([.checks[] | select(.status == "FAIL")] | length) == 1'
	holds '.checks[] | select(.check == "qos") | .line == 4 and (.file | endswith("opensm.conf"))'
	setup
	sed -i 's/^head.*/leaf_head_of_queue_lifetime 31/' "$T/opensm.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *warn* ]]
}

@test "doctor reads as OpenSM does: comments, quotes, the last line counts" {
	printf 'qos FALSE # no\nqos  "TRUE" \t # yes\nqosx FALSE\n#qos FALSE\n' >>"$T/opensm.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *"opensm.conf:10: qos: TRUE"* ]]
	: >"$T/opensm.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/opensm.conf: "*"event_plugin_name osmmoore"* ]]
	rm "$T/opensm.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"No such file or directory: make it with \`moorectl opensm-conf --write $T/opensm.conf\`"* ]]
	mkdir "$T/opensm.conf"
	doctor
	[ $status = 1 ]
}

@test "doctor --if-used: an OpenSM that does not use moore starts, whatever else is wrong" {
	PLUGIN=./absent.so
	printf 'sede 2\n' >"$T/moore.conf"
	doctor
	[ $status = 1 ]
	for engine in minhop 'updn,minhop' '(null)' ''; do
		sed -i "3s/.*/routing_engine $engine/" "$T/opensm.conf"
		doctor --if-used
		[ $status = 0 ]
		[[ $output == "ok    $T/opensm.conf:3: routing_engine: "*"moore is not used; nothing else was checked" ]] || { echo "$output"; false; }
	done
	sed -i 3d "$T/opensm.conf"
	doctor --if-used --json
	[ $status = 0 ]
	holds '.ok and .equal_on_both == [] and [.checks[].check] == ["routing_engine"]'
	rm "$T/opensm.conf"	# as Debian installs OpenSM
	doctor --if-used
	[ $status = 0 ]
	[[ $output == *"opensm.conf: does not exist, so moore is not used"* ]]
	mkdir "$T/opensm.conf"
	doctor --if-used
	[ $status = 0 ]
	[[ $output == "warn "*"cannot be read; nothing was checked" ]]
}

@test "doctor --if-used: an OpenSM that is to use moore starts when all is well, and only then" {
	doctor --if-used
	[ $status = 0 ]
	[[ $output == *"ok    ./good.so: plugin: loads"* ]]
	# An OpenSM in another place: its unit starts it, so it exists.
	run -0 $M doctor --if-used --opensm ./none --plugin ./good.so --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"warn  ./none: opensm: "* ]]
	for so in other absent deadly empty; do
		PLUGIN=./$so.so doctor --if-used
		[ $status = 1 ]
	done
	while read -r line; do
		echo "$line" >>"$T/opensm.conf"
		doctor --if-used
		[ $status = 1 ] || { echo "$line"; false; }
		setup
	done <<-'ROWS'
	routing_engine minhop,moore
	routing_engine moore
	event_plugin_name (null)
	qos FALSE
	use_ucast_cache TRUE
	max_op_vls 1
	ROWS
	printf 'sede 2\n' >"$T/moore.conf"
	doctor --if-used
	[ $status = 1 ]
}

@test "doctor follows moore_conf= to the settings and plan" {
	echo "event_plugin_options other=1 moore_conf=$T/there.conf" >>"$T/opensm.conf"
	run -1 $M doctor --opensm ./opensm --plugin ./good.so --opensm-conf "$T/opensm.conf"
	[[ $output == *"FAIL  $T/there.conf: "* ]]
	mv "$T/moore.conf" "$T/there.conf"
	run -0 $M doctor --opensm ./opensm --plugin ./good.so --opensm-conf "$T/opensm.conf"
	[[ $output == *"ok    $T/p.json: plan: 50 switches, 200 endpoints"* ]]
	sed -i 's/moore_conf=.*/moore_conf=/' "$T/opensm.conf"
	run -1 $M doctor --opensm ./opensm --plugin ./good.so --opensm-conf "$T/opensm.conf"
	[[ $output == *"moore_conf= names no file"* ]]
}

@test "doctor: moore.conf and its plan" {
	printf 'seed 1\nsede 2\n' >"$T/moore.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/moore.conf:2: "* ]]
	echo "plan $T/none.json" >"$T/moore.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/none.json: plan: cannot be read"* ]]
	head -c 500 "$T/p.json" >"$T/cut.json"
	echo "plan $T/cut.json" >"$T/moore.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/cut.json:"* ]]
	: >"$T/moore.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *"names no plan"* ]]
}

@test "doctor reads every line of opensm.conf" {
	while IFS='|' read -r line want mark part; do
		echo "$line" >>"$T/opensm.conf"
		doctor
		[ "$status" = "$want" ] || { echo "$line: $status $output"; false; }
		if [ -n "$mark" ]; then
			[[ $output == *"$mark  $T/opensm.conf:9: ${line%% *}: "*"$part"* ]] || { echo "$line: $output"; false; }
		else
			[[ $output != *"opensm.conf:9:"* && $output == *"all of them known"* ]] || { echo "$line: $output"; false; }
		fi
		setup
	done <<-'ROWS'
	sweep_intervall 10|0|warn|did you mean sweep_interval?
	no_such_key_at_all_anywhere 1|0|warn|remove it
	dimn_ports_file /etc/ports|0||
	console local|0||
	perfmgr yes|0|warn|"yes" counts as FALSE
	perfmgr TRUE|0||
	sweep_interval often|0|warn|OpenSM keeps its default, 10
	sweep_interval 0|0|warn|goes unnoticed
	sm_priority 16|0|warn|write 0 to 15
	sm_priority 15|0||
	vl_stall_count 0|0|warn|write 1 to 7
	packet_life_time 0x14|0|warn|never expire
	subnet_timeout 32|0|warn|five bits
	qos_swe_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7|0|warn|has no effect
	qos_swe_sl2vl (null)|0||
	qos_swe_vlarb_high 0:4|0|warn|has no effect
	qos_vlarb_low 0:4|0|warn|write qos_ca_vlarb_low
	qos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0|0|warn|write qos_ca_sl2vl
	qos_ca_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7|0||
	qos_ca_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15|0|warn|maps SL 15 to VL 15
	qos_ca_sl2vl 15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0|1|FAIL|maps SL 0 to VL 15
	qos_ca_sl2vl 0,1,2|0|warn|no list of 16
	qos_ca_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7,0|0|warn|no list of 16
	qos_ca_vlarb_low 0:4,1:4|0||
	qos_high_limit 255|0|warn|VL 1 then starves VL 0
	qos_high_limit 0|0||
	ROWS
}

@test "doctor: a key set twice, with OpenSM's default and without" {
	# A default above and the choice below: the file that opensm -c writes, with the
	# fragment added.
	{ echo "qos FALSE"; echo "sm_priority 0"; cat "$T/opensm.conf"; echo "sm_priority 3"; } >"$T/c"
	mv "$T/c" "$T/opensm.conf"
	doctor
	[ $status = 0 ]
	[[ $output != *warn* && $output == *":6: qos: TRUE"* ]]
	echo "sm_priority 4" >>"$T/opensm.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *"warn  $T/opensm.conf:11: sm_priority: is set again on line 12, "* ]]
	# A value that a later line corrects is no fault.
	printf 'sweep_interval 0\nsweep_interval 9\n' >>"$T/opensm.conf"
	doctor
	[[ $output != *unnoticed* && $output == *":13: sweep_interval: is set again on line 14"* ]]
}

@test "doctor: an OpenSM that writes no defaults is said, and checked without" {
	echo "sweep_intervall 10" >>"$T/opensm.conf"
	echo "sm_priority 99" >>"$T/opensm.conf"
	run -0 $M doctor --opensm ./opensm-mute --plugin ./good.so --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"whether it knows their keys was not checked"* && $output == *":10: sm_priority: 99"* ]]
	[[ $output != *"no such key"* ]]
}

@test "doctor: a long file is not compared with itself for ever" {
	seq 1 100000 | sed 's/.*/key_& 1/' >>"$T/opensm.conf"
	run -0 timeout 20 $M doctor --opensm ./opensm-mute --plugin ./good.so --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"100007 settings are more than OpenSM has"* ]]
}

@test "doctor: the plan's LIDs must fit at this LMC" {
	$M plan new slimfly q=13 p=9 -o "$T/big.json" >/dev/null
	echo "plan $T/big.json" >"$T/moore.conf"
	while IFS='|' read -r lmc esp0 want need; do
		sed -i "s/^lmc .*/lmc $lmc/; /^lmc_esp0/d" "$T/opensm.conf"
		echo "lmc_esp0 $esp0" >>"$T/opensm.conf"
		doctor
		[ $status = "$want" ] || { echo "$lmc: $output"; false; }
		[ -z "$need" ] || [[ $output == *"FAIL  $T/opensm.conf:7: lmc: $lmc: "*"then need $need LIDs, and there are 49151"* ]] ||
			{ echo "$output"; false; }
	done <<-'ROWS'
	3|FALSE|0|
	4|FALSE|0|
	4|TRUE|1|54080
	5|FALSE|1|97682
	ROWS
	[[ $output == *"write a smaller one"* ]]
	# With one LID each there is no smaller LMC.
	$M plan new slimfly q=37 p=30 -o "$T/big.json" >/dev/null
	sed -i "s/^lmc .*/lmc 0/" "$T/opensm.conf"
	doctor
	[[ $output == *"then need 84878 LIDs, and there are 49151: divide the plan into several subnets"* ]] || { echo "$output"; false; }
}

@test "doctor: sl-hint wants SL 0 for the subnet manager" {
	echo "profile sl-hint" >>"$T/moore.conf"
	echo "sm_sl 1" >>"$T/opensm.conf"
	doctor
	[ $status = 1 ]
	[[ $output == *"FAIL  $T/opensm.conf:9: sm_sl: 1: in profile sl-hint"* ]]
	sed -i 's/^profile.*/profile any-sl/' "$T/moore.conf"
	doctor
	[ $status = 0 ]
}

@test "doctor: sl-hint and the SLs of partitions and QoS policies" {
	printf 'Default=0x7fff,ipoib:ALL=full;\nB=0x8002,sl=2:ALL;\n' >"$T/parts"
	printf 'qos-ulps\n default : 4\nend-qos-ulps\n' >"$T/policy"
	echo "partition_config_file $T/parts" >>"$T/opensm.conf"
	echo "qos_policy_file $T/policy" >>"$T/opensm.conf"
	doctor
	[[ $output != *"sets SL"* ]]
	echo "profile sl-hint" >>"$T/moore.conf"
	doctor
	[ $status = 0 ]
	[[ $output == *"warn  $T/parts:2: partition_config_file: sets SL 2: under profile sl-hint"* ]]
	[[ $output == *"warn  $T/policy:2: qos_policy_file: sets SL 4: "* ]]
	echo "classes 0,0,0,0,1" >>"$T/moore.conf"
	doctor
	[[ $output == *"$T/policy: qos_policy_file: 1 SLs, each the first of its class"* ]]
}

@test "doctor lists what two subnet managers must agree on" {
	echo "seed 7" >>"$T/moore.conf"
	echo "m_key 0xdeadbeef" >>"$T/opensm.conf"
	doctor
	[[ $output == *"must agree"*"opensm.conf: routing_engine moore,no_fallback"*"opensm.conf: lmc 2"*"moore.conf: plan (contents 0x"*"moore.conf: seed 7"* ]]
	[[ $output == *"m_key (not shown)"* && $output != *deadbeef* ]]
	doctor --json
	holds '.equal_on_both | any(.file == "opensm.conf" and .key == "sm_sl" and .value == "0")'
	jq .equal_on_both <<<"$output" >"$T/one"
	# The same plan with another layout in another place makes no difference; another
	# seed does.
	jq -c . "$T/p.json" >"$T/elsewhere.json"
	printf 'plan %s\nseed 7\n' "$T/elsewhere.json" >"$T/moore.conf"
	doctor --json
	diff "$T/one" <(jq .equal_on_both <<<"$output")
	echo "plan $T/elsewhere.json" >"$T/moore.conf"
	doctor --json
	holds '.equal_on_both | any(.key == "seed" and .value == "0")'
}

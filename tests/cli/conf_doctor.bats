# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# conf_doctor.bats - moore.conf, and whether the plugin would load and act.
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	# An OpenSM that only says its version, and plugins for it and for others.
	printf '#!/bin/sh\necho "------"\necho "OpenSM 9.8.7"\necho "Command Line Arguments:"\n' >opensm
	chmod +x opensm
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
	holds '[.[].key] == ["plan", "seed", "profile", "layers", "classes", "links"]'
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
		holds ".valid == false and .error.line == $line"
	done <<-'ROWS'
	# comment\n\nsede 3\n|3|sede
	seed x\n|1|seed
	seed\n|1|seed
	seed 99999999999999999999999\n|1|seed
	ROWS
	run --separate-stderr -2 $M conf check "$T/none"
	says "No such file"
}

@test "doctor: all is well" {
	doctor
	[ $status = 0 ]
	[[ $output != *FAIL* && $output != *warn* ]]
	[[ $output == *"ok    ./good.so: plugin: loads, made for OpenSM 9.8.7"* ]]
	doctor --json
	[ $status = 0 ]
	holds '.ok and all(.checks[]; .status == "ok")'
	holds '[.checks[].check] == ["opensm", "plugin", "event_plugin_name", "routing_engine", "qos", "max_op_vls", "use_ucast_cache", "lmc", "head_of_queue_lifetime", "leaf_head_of_queue_lifetime", "moore.conf", "plan"]'
}

@test "doctor: a plugin for another OpenSM, none, a broken one" {
	while read -r so part; do
		PLUGIN=./$so doctor
		[ $status = 1 ]
		[[ $output == *"FAIL  ./$so: "*"$part"* ]] || { echo "$so: $output"; false; }
	done <<-'ROWS'
	other.so is made for "OpenSM 3.3.20" and this is "OpenSM 9.8.7"
	ancient.so oldest plugin interface
	empty.so is no OpenSM plugin
	deadly.so loading it kills the program that does
	absent.so cannot be loaded
	cut.so loading it kills
	ROWS
	PLUGIN=$T/p.json doctor
	[ $status = 1 ]
	run -1 $M doctor --opensm ./none --plugin ./good.so --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
	[[ $output == *"FAIL  ./none:"* ]]
}

@test "doctor: the plugin that was built loads into the OpenSM that is installed" {
	so=$ROOT/build/libosmmoore.so
	[ -e "$so" ]
	run -0 $M doctor --plugin "$so" --opensm-conf "$T/opensm.conf" --moore-conf "$T/moore.conf"
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
	7|lmc 8|1|FAIL|it is 0 to 7
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
	[[ $output != *classes* ]]
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
	[[ $output == *"ok    $T/links: links: 1 rules"* ]]
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
	[[ $output == *"opensm -c FILE"* ]]
	mkdir "$T/opensm.conf"
	doctor
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

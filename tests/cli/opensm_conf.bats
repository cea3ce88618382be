# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# opensm_conf.bats - moorectl opensm-conf: what it changes in an opensm.conf, and what it keeps.
load lib

setup() {
	T=$T/here	# run keeps its own files in the folder above
	mkdir "$T"
	cd "$T"
	echo 'classes 0' >moore.conf
	O="event_plugin_options moore_conf=$T/moore.conf"
	printf '%s\n' '# kept' 'event_plugin_name osmmoore' "$O" 'routing_engine moore,no_fallback' \
		'qos TRUE' 'max_op_vls 2' 'lmc 2 # kept' >right.conf
}
conf() { run --separate-stderr -"$rc" $M opensm-conf --moore-conf "$T/moore.conf" "$@"; }

@test "each setting: what becomes of it, and then nothing is left to change" {
	while IFS='|' read -r why key was want; do
		grep -v "^$key " right.conf >o.conf
		[ -z "$was" ] || echo "$key $was" >>o.conf
		grep -v "^$key " right.conf >want.conf
		case $was in
		'') [ -z "$want" ] || printf '\n# Settings of the routing engine moore, see osmmoore(8).\n' >>want.conf ;;
		esac
		[ -z "${want:-$was}" ] || echo "$key ${want:-$was}" >>want.conf
		rc=0
		[ -z "$want" ] || rc=1
		conf --diff o.conf
		rc=0 conf --write o.conf
		diff o.conf want.conf || { echo "$why"; false; }
		rc=0 conf --diff o.conf
		[ "$output" = "o.conf: has all settings that the plugin needs" ]
	done <<-ROWS
	absent|event_plugin_name||osmmoore
	OpenSM's default|event_plugin_name|(null)|osmmoore
	another plugin stays|event_plugin_name|other|other osmmoore
	quotes belong to no name|event_plugin_name|"other"|other osmmoore
	among others|event_plugin_name|osmmoore other|
	one comma is read|event_plugin_name|other,osmmoore|
	a second comma is not|event_plugin_name|a,b,osmmoore|a b osmmoore
	part of a name|event_plugin_name|notosmmoore|notosmmoore osmmoore
	absent|event_plugin_options||moore_conf=$T/moore.conf
	OpenSM's default|event_plugin_options|(null)|moore_conf=$T/moore.conf
	options of another plugin stay|event_plugin_options|x=1 -y|moore_conf=$T/moore.conf x=1 -y
	another file|event_plugin_options|x=1 moore_conf=/a y=2|x=1 moore_conf=$T/moore.conf y=2
	no file|event_plugin_options|moore_conf=|moore_conf=$T/moore.conf
	part of a name|event_plugin_options|amoore_conf=/a|moore_conf=$T/moore.conf amoore_conf=/a
	absent|routing_engine||moore,no_fallback
	another engine|routing_engine|minhop|moore,no_fallback
	not the first|routing_engine|minhop,moore,no_fallback|moore,no_fallback
	nothing keeps minhop out|routing_engine|moore|moore,no_fallback
	others after it|routing_engine|moore,updn,no_fallback|
	absent|qos||TRUE
	not in capitals|qos|true|TRUE
	a comment behind it|qos|FALSE # why|TRUE
	absent|max_op_vls||2
	OpenSM's default|max_op_vls|5|2
	one lane|max_op_vls|1|2
	no number|max_op_vls|two|2
	no code|max_op_vls|6|2
	more than is needed|max_op_vls|4|
	OpenSM's default is not written|use_ucast_cache||
	the cache|use_ucast_cache|TRUE|FALSE
	other values mean FALSE|use_ucast_cache|FALSE|
	ROWS
}

@test "classes of moore.conf need lanes" {
	while IFS='|' read -r classes was want; do
		echo "classes $classes" >moore.conf
		sed "s/^max_op_vls.*/max_op_vls $was/" right.conf >o.conf
		rc=0 conf --write o.conf
		grep -qx "max_op_vls $want" o.conf || { cat o.conf; false; }
	done <<-'ROWS'
	0,1|2|3
	0,1|3|3
	0,1|4|4
	0,1|5|3
	0,1,2,3|3|4
	0,1,2,3,4,5,6|4|5
	0,1,2,3,4,5,6|5|5
	ROWS
	# Without --moore-conf the file that opensm.conf names is read.
	echo 'classes 0,1' >moore.conf
	cp right.conf o.conf
	run -1 $M opensm-conf --diff o.conf
	[ "$output" = $'line 6: - max_op_vls 2\nline 6: + max_op_vls 3' ]
	echo 'clases 0,1' >moore.conf
	rc=2 conf --write o.conf
	says "$T/moore.conf:1: "
	cmp o.conf right.conf
}

@test "profile one-vl needs neither lanes nor QoS" {
	echo 'profile one-vl' >moore.conf
	sed 's/^max_op_vls.*/max_op_vls 1/; s/^qos .*/qos FALSE/' right.conf >o.conf
	cp o.conf was.conf
	rc=0 conf --write o.conf
	cmp o.conf was.conf
}

@test "the last line of a key is the one in force; other lines stay byte for byte" {
	printf 'qos TRUE\n\n\t lmc 3\r\n  qos \t FALSE\n#qos FALSE\nxqos FALSE' >o.conf
	rc=0 conf --write o.conf
	printf 'qos TRUE\n\n\t lmc 3\r\nqos TRUE\n#qos FALSE\nxqos FALSE\n' | cmp - <(head -c 50 o.conf) ||
		{ cat -A o.conf; false; }
	[ "$(grep -c '^qos TRUE$' o.conf)" = 2 ]
	# What make install writes beside moore.conf has all of it.
	build=${M%/*}
	run -0 $M opensm-conf --diff "$build/etc/opensm.conf"
}

@test "doctor accepts what is written, also into OpenSM's own defaults" {
	opensm=$(cat "${M%/*}/opensm")/sbin/opensm
	[ -x "$opensm" ] || skip "no OpenSM"
	"$opensm" -c "$T/o.conf" >/dev/null
	rc=0 conf --write o.conf
	run $M doctor --opensm "$opensm" --plugin "${M%/*}/libosmmoore.so" --opensm-conf o.conf
	[[ $output != *"FAIL"*"o.conf"* && $output == *"ok    o.conf:"*": routing_engine: moore,no_fallback"* ]] ||
		{ echo "$output"; false; }
	[[ $output == *"settings, all of them known"* ]]
}

@test "a backup has the old bytes and permissions, and replaces none" {
	echo 'qos FALSE' >o.conf
	chmod 600 o.conf
	inode=$(stat -c %i o.conf)
	rc=0 conf --write o.conf --json
	holds '.ok and .written and (.backup | endswith("/o.conf.before-moore")) and (.changes | length) == 5'
	holds '.changes[] | select(.key == "qos") | .line == 1 and .was == "FALSE" and .value == "TRUE"'
	holds '.changes[] | select(.key == "max_op_vls") | .line == null and .was == null'
	[ "$(stat -c %i o.conf.before-moore)" = "$inode" ]
	[ "$(stat -c %a o.conf)$(stat -c %a o.conf.before-moore)" = 600600 ]
	rc=0 conf --write o.conf
	only . o.conf o.conf.before-moore moore.conf right.conf	# nothing changed, so there is no other backup
	echo 'qos FALSE' >>o.conf
	ln -s o.conf link.conf
	rc=0 conf --write link.conf
	[ -L link.conf ]
	[ "$(cat o.conf.before-moore)" = 'qos FALSE' ]
	[ "$(tail -n 1 o.conf.before-moore.1)" = 'qos FALSE' ]
	only . link.conf o.conf o.conf.before-moore o.conf.before-moore.1 moore.conf right.conf
}

@test "a file that does not exist is made" {
	rc=1 conf --diff new.conf
	[ ! -e new.conf ]
	rc=0 conf --write new.conf
	[ "$(wc -l <new.conf)" = 6 ]
	only . moore.conf new.conf right.conf
}

@test "what cannot be done: why, and nothing is changed" {
	printf 'qos FALSE\0\n' >zero.conf
	printf 'event_plugin_options %01100d\n' 0 >long.conf
	mkdir dir.conf
	cp zero.conf zero.old
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M opensm-conf $args
		says "$part"
	done <<-'ROWS'
	right.conf|give either --diff or --write
	--diff --write right.conf|give either --diff or --write
	--write -|give the path of an opensm.conf
	--write right.conf --moore-conf moore.conf|give its whole path
	--write zero.conf|zero.conf: holds a byte 0
	--write long.conf|long.conf:1: event_plugin_options: the value is longer than 1022 bytes
	--write dir.conf|dir.conf: is no regular file
	--diff /dev/null|/dev/null: is no regular file
	--write none/o.conf|none/o.conf: cannot write
	ROWS
	cmp zero.conf zero.old
	# The new file cannot be written: the old one stays, without a backup.
	printf 'qos FALSE\n#%02000d\n' 0 >o.conf
	cp o.conf o.old
	run --separate-stderr -2 bash -c "ulimit -f 1; trap '' XFSZ; exec $M opensm-conf --write o.conf"
	says "o.conf: cannot write: File too large: nothing was changed"
	cmp o.conf o.old
	only . dir.conf long.conf moore.conf o.conf o.old right.conf zero.conf zero.old
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet_discover.bats - ethernet discover: the fabric that LLDP documents make, what each
# disagreement between them is called, and that bad documents change no file.
load lib

setup_file() {
	load lib
	$M plan new slimfly q=3 p=2 -o "$BATS_FILE_TMPDIR/p.json" >/dev/null
	"$ROOT/tests/ether/fake-lldp" "$BATS_FILE_TMPDIR/p.json" "$BATS_FILE_TMPDIR/d"
}

setup() {
	P=$BATS_FILE_TMPDIR/p.json D=$BATS_FILE_TMPDIR/d
	# Port 3 of s0-0-0 leads to port 3 of s0-0-1; hosts are on ports 1 and 2.
}

# sees RC CHANGE...: what is found with --plan on documents with these changes.
sees() {
	local rc=$1
	shift
	rm -rf "$T/d"
	"$ROOT/tests/ether/fake-lldp" "$P" "$T/d" "$@"
	run "-$rc" $M ethernet discover "$T/d" --plan "$P" -o "$T/f.json" --json
}

# kinds KIND...: exactly these kinds of findings were found, each perhaps several times.
kinds() { holds "([.findings[].kind] | unique) == $(jq -nc '$ARGS.positional | sort' --args "$@")"; }

@test "what lldpd prints is read" {
	mkdir -p "$T/real/s-ea"
	cp "$BATS_TEST_DIRNAME"/../ether/lldpd/*.json "$T/real/s-ea"
	run -1 $M ethernet discover "$T/real" -o "$T/f.json" --json
	holds '.switches == 2 and .cables == 2 and [.findings[].kind] == ["not-asked"]'
	jq -e '.switches[0].guid == "0xdead78fffe8ee875"' "$T/f.json"
	jq -e '.cables[0] == {a: {switch: "s-ea", port: 1}, b: {switch: "s-eb", port: 7}}' "$T/f.json"
}

@test "the fabric is that of the plan, with and without it" {
	run -0 $M ethernet discover "$D" -o "$T/f.json" --json
	holds '.ok and .asked == 18 and .answered == 18 and .hosts == 36 and .findings == []'
	run -0 $M check "$P" "$T/f.json"
	run -0 $M ethernet discover "$D" --plan "$P" -o "$T/again.json"
	diff "$T/f.json" "$T/again.json"
	run -0 --separate-stderr $M ethernet discover "$D" -o -
	diff "$T/f.json" <(echo "$output")
}

@test "two cables swapped: both ends agree, and check names what to move" {
	sees 0 swap=s0-0-0:4,s0-1-0:4
	holds '.ok and .cables == 45'
	run -1 $M check "$P" "$T/f.json" --json
	holds '[.deviations[].verdict] | unique == ["wrong-peer"]'
	run -1 $M repair "$P" "$T/f.json" --json
	holds '.moves | length == 2'
}

@test "reports that disagree" {
	sees 1 drop=s0-0-0:3
	kinds one-sided && holds '.cables == 44'
	sees 1 drop=s0-0-0:3 add=s0-0-0:3,s0-1-0:3
	kinds disagrees
	# Three ports that name each other in a ring.
	sees 1 drop=s0-0-0:3 drop=s0-1-0:3 drop=s0-2-0:3 drop=s0-0-1:3 drop=s0-1-1:3 drop=s0-2-1:3 \
		add=s0-0-0:3,s0-1-0:3 add=s0-1-0:3,s0-2-0:3 add=s0-2-0:3,s0-0-0:3
	kinds disagrees
	holds '.findings | length == 3'
	sees 1 drop=s0-0-0:3 add=s0-0-0:3,s0-0-0:4
	kinds itself one-sided
}

@test "several neighbours: the one that confirms counts, then the planned one" {
	sees 1 add=s0-0-0:3,s1-0-0:5
	kinds stale && holds '.cables == 45'
	sees 1 add=s0-0-0:1,elsewhere:eth0
	kinds chosen stale && holds '.hosts == 36 and (.findings[] | select(.kind == "chosen").note)'
	# Without a plan there is nothing to choose by.
	run -1 $M ethernet discover "$T/d" -o "$T/f.json" --json
	kinds several && holds '.hosts == 35'
	sees 1 down=s0-0-0:3
	kinds one-sided stale
}

@test "a host that two ports report is where it is planned" {
	sees 1 drop=s0-0-0:1 add=s0-0-0:1,s0-0-1-h0:eth0
	kinds twice
	run -1 $M check "$P" "$T/f.json" --json
	holds '[.deviations[].verdict] == ["missing-endpoint"]'
}

@test "names and MACs" {
	sees 1 name=s0-0-0,s0-0-1
	kinds same-name && holds '.switches == 18 and .cables == 45'
	sees 1 $(jq -r '.switches[] | "name=\(.name),localhost"' "$P")
	kinds same-name
	run -0 $M check "$P" "$T/f.json"
	sees 1 mac=s0-0-0,02:00:00:00:00:02
	kinds same-mac && holds '.cables == 45'
	sees 0 'name=s0-0-0,$(reboot)'
	kinds unnamed && holds '.ok and .cables == 45'
	sees 1 'host=s0-0-0-h0,;reboot'
	kinds bad-name && holds '.hosts == 35'
	sees 0 name=s0-0-0,s0-0-0.example.com hostport=s0-0-1-h0
	kinds
	run -0 $M check "$P" "$T/f.json"
}

@test "a switch that was not asked, or did not answer" {
	sees 1 silent=s0-0-0
	kinds not-asked && holds '.asked == 17 and .cables == 45 and .hosts == 34'
	mkdir "$T/d/s0-0-0"
	run -1 $M ethernet discover "$T/d" --json
	kinds silent && holds '.asked == 18 and .answered == 17 and .cables == 45'
}

@test "interfaces that are no ports are left alone, and said" {
	sees 0 add=s0-0-0:9,office:ge-0/0/1 rename=s0-0-0:9,mgmt0
	kinds left-alone && holds '.findings[0] | .note and .port == "mgmt0"'
	sees 1 rename=s0-0-0:3,mgmt0
	kinds left-alone no-number
	sees 0 rename=s0-0-0:3,Ethernet8
	kinds && holds '.cables == 45'
}

@test "MTU from host to host" {
	sees 1 mtu=s0-0-0:3,1500
	kinds mtu
	sees 1 mtu=s0-0-0:1,1500
	kinds odd-mtu
	sees 0 mtu=1500
}

@test "the greatest frame of hosts, against one another and against the MTU of their ports" {
	sees 0 mtu=1500
	frames() {
		for f in "$T"/d/*/neighbors.json; do
			jq "(.lldp[0].interface[] | select(.port[0].id[0].value | startswith(\"eth\")).port[0].mfs) =
				[{value: \"$1\"}]" "$f" >"$T/f" && mv "$T/f" "$f"
		done
		run "-$2" $M ethernet discover "$T/d" --plan "$P" --json
	}
	# With a VLAN tag and checksum, without them, and smaller ones.
	for n in 1522 1514 576; do
		frames $n 0
		kinds
	done
	frames 9018 1
	kinds large-frame && holds '(.findings | length) == 36 and .hosts == 36'
	holds '.findings[0].text == "s0-0-0-h0[eth0] may send frames of 9018 bytes, more than s0-0-0[swp1] takes with its MTU of 1500"'
	cp "$D"/s0-0-0/links.json "$T/d/s0-0-0"
	run -1 $M ethernet discover "$T/d" --plan "$P" --json
	kinds mtu odd-mtu large-frame && holds '[.findings[] | select(.kind == "large-frame")] | length == 34'
	frames 1518 1
	sed -i 's/"1518"/"1514"/' "$T/d/s1-0-0/neighbors.json"
	run -1 $M ethernet discover "$T/d" --plan "$P" --json
	kinds mtu odd-mtu odd-frame
}

@test "speed and negotiation" {
	sees 0
	with() {
		jq "(.lldp[0].interface[] | select(.name == \"swp3\") | .port[0][\"auto-negotiation\"][0]) |= ($1)" \
			"$D/s0-0-0/neighbors.json" >"$T/d/s0-0-0/neighbors.json"
		run -1 $M ethernet discover "$T/d" --plan "$P" --json
	}
	with '.enabled = true'
	kinds autoneg
	with '.current[0].value = "25GbaseR - 1x"'
	kinds speed && holds '.findings[0].text | test("100000 Mbit/s, .* at 25000|25000 Mbit/s, .* at 100000")'
}

@test "the command is run for each document, and may follow the neighbours" {
	run -0 $M ethernet discover --command "cat $D/{switch}/{what}.json" --plan "$P" -o "$T/f.json"
	run -0 $M check "$P" "$T/f.json"
	run -0 $M ethernet discover --command "cat $D/{switch}/{what}.json" --from s1-2-2 -o "$T/f.json"
	run -0 $M check "$P" "$T/f.json"
}

@test "no shell sees the command, and one that fails costs only its switch" {
	sees 0
	rm "$T/d/s0-0-0/neighbors.json" "$T/d/s0-0-1/links.json"
	echo '{' >"$T/d/s0-1-1/chassis.json"
	run -1 $M ethernet discover --command "cat $T/d/{switch}/{what}.json" --plan "$P" --json
	kinds silent && holds '.answered == 16 and .cables == 45 and .hosts == 32'
	holds '.findings[0].text | test("did not answer: cat: .*neighbors.json")'
	holds '.findings[1].text | test("did not answer: chassis.json:[12]: ")'
	run -2 --separate-stderr $M ethernet discover --command "echo {switch} {what} ; touch $T/x" --plan "$P"
	says "no switch answered: s0-0-0: "
	[ ! -e "$T/x" ]
	run -2 --separate-stderr $M ethernet discover --command "$T/none {switch} {what}" --plan "$P"
	says "cannot run"
}

@test "a command is bounded in time and size, with all its children" {
	printf '#!/bin/sh\n[ $1 = s0-0-0 ] && { sleep 77 & echo $! >%s; wait; }\nexec cat %s/$1/$2.json\n' \
		"$T/pid" "$D" >"$T/slow"
	printf '#!/bin/sh\n[ $1 = s0-0-0 ] && exec cat /dev/zero\nexec cat %s/$1/$2.json\n' "$D" >"$T/long"
	chmod +x "$T/slow" "$T/long"
	run -1 $M ethernet discover --command "$T/slow {switch} {what}" --plan "$P" --timeout 1 --json
	kinds silent && holds '.findings[0].text | test("too long: more than 1 second$")'
	! kill -0 "$(cat "$T/pid")"
	run -1 $M ethernet discover --command "$T/long {switch} {what}" --plan "$P" --json
	kinds silent && holds '.findings[0].text | test("longer than 16 MiB")'
}

@test "a signal ends all commands with the program, and nothing is written" {
	printf '#!/bin/sh\necho $$ >>%s\nexec sleep 77\n' "$T/pids" >"$T/slow"
	chmod +x "$T/slow"
	$M ethernet discover --command "$T/slow {switch} {what}" --plan "$P" -o "$T/f.json" 3>&- &
	for _ in $(seq 100); do
		[ "$(wc -l <"$T/pids")" = 16 ] && break
		sleep 0.05
	done 2>/dev/null
	kill -TERM $!
	rc=0
	wait $! || rc=$?
	[ $rc = 143 ]
	[ "$(wc -l <"$T/pids")" = 16 ] && [ ! -e "$T/f.json" ]
	while read -r pid; do
		! kill -0 "$pid" || return 1
	done <"$T/pids"
}

@test "bad documents: file and place, and the old file stays" {
	cp -r "$D" "$T/d"
	echo old >"$T/f.json"
	N=$T/d/s0-0-0/neighbors.json
	bad() {
		run -2 --separate-stderr $M ethernet discover "$T/d" -o "$T/f.json"
		says "$1"
		[ "$(cat "$T/f.json")" = old ]
		cp "$D/s0-0-0/neighbors.json" "$N"
	}
	head -c 2000 "$D/s0-0-0/neighbors.json" >"$N"
	bad "$N:"
	jq '.lldp[0]' "$D/s0-0-0/neighbors.json" | jq '{lldp: {interface: .interface[0]}}' >"$N"
	bad "lldp: is an object: print it with lldpcli -f json0, not -f json"
	jq '.lldp[0].interface[3].chassis = {}' "$D/s0-0-0/neighbors.json" >"$N"
	bad "interface[3].chassis: is an object"
	jq -c '.lldp[0].interface = [range(100000) as $i | {name: "swp1"}]' "$D/s0-0-0/neighbors.json" >"$N"
	bad "at most 4096"
	jq '.lldp[0].interface[0].chassis[0].name[0].value = "n" * 300' "$D/s0-0-0/neighbors.json" >"$N"
	bad "text of at most 255 bytes"
	head -c 17M /dev/zero >"$N"
	bad "larger than 16 MiB"
	mkdir "$T/d/a b"
	bad "is no name of a switch"
	run -2 --separate-stderr $M ethernet discover "$T/none"
	says "$T/none: cannot read: No such file or directory: name a directory that has one for each switch"
	run -2 --separate-stderr $M ethernet discover
	says "either DIR or --command"
	for opt in '--from s0-0-0' '--timeout 5'; do
		run -2 --separate-stderr $M ethernet discover "$D" $opt
		says "--from and --timeout go with --command"
	done
}

@test "ports: each port of a switch in the columns of ptmctl" {
	run -0 $M ethernet ports "$P" "$D" -j
	holds '.ok and .pass == 18 * 7 and .fail == 0 and (.ports | length) == .pass'
	"$ROOT/tests/ether/fake-lldp" "$P" "$T/d" swap=s0-0-0:4,s0-1-0:4 drop=s0-0-0:1 \
		add=s0-0-0:3,elsewhere:swp1 add=s0-0-0:9,new:swp1 down=s0-0-0:2
	run -1 $M ethernet ports "$P" "$T/d" s0-0-0
	[[ ${lines[0]} =~ ^switch\ +port\ +cbl\ status\ +exp\ nbr\ +act\ nbr$ ]]
	[[ $output =~ s0-0-0\ +swp1\ +fail\ +s0-0-0-h0:eth0\ +no-info ]]
	[[ $output =~ s0-0-0\ +swp2\ +fail\ +s0-0-0-h1:eth0\ +s0-0-0-h1:eth0 ]]
	[[ $output =~ s0-0-0\ +swp3\ +pass\ +s0-0-1:swp3\ +s0-0-1:swp3,elsewhere:swp1 ]]
	[[ $output =~ s0-0-0\ +swp4\ +fail\ +([^ ]+)\ +([^ ]+) && ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" ]]
	[[ $output =~ s0-0-0\ +swp9\ +N/A\ +N/A\ +new:swp1 ]]
	run -2 --separate-stderr $M ethernet ports "$P" "$T/d" nobody
	says "no switch of that name"
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# online.bats - moorectl's answers from moored have the same words and numbers as those from
# files.
load lib

m() { $M --socket "$SOCK" "$@"; }
# Replaces the fabric, as a whole, by what a jq filter makes of the plan.
becomes() { jq "$1" "$T/plan.json" >"$T/new.json"; mv "$T/new.json" "$T/still.json"; }
q5_changing() { q5; cp "$T/plan.json" "$T/still.json"; export MOORED_STILL=$T/still.json; }
unplug='del(.cables[] | select(.a == {"switch": "s0-0-0", "port": 5}))'
swap='([.cables[].a] | index({"switch": "s0-1-0", "port": 7})) as $x
	| ([.cables[].a] | index({"switch": "s0-2-1", "port": 8})) as $y
	| (.cables[$x].b) as $b | .cables[$x].b = .cables[$y].b | .cables[$y].b = $b'

@test "no daemon: why, how to start it, and how to do without" {
	while IFS='|' read -r words part; do
		run --separate-stderr -2 m $words
		[ -z "$output" ]
		[[ $stderr == "moorectl: cannot reach moored at $SOCK: no such socket: start it "*"$part"* ]] || {
			echo "$words: $stderr"; false; }
	done <<-ROWS
	status|--socket PATH
	switches|
	links|
	watch|
	events|
	check|; without it: name PLAN and FABRIC
	repair|; without it: name PLAN and FABRIC
	path a b|; without it: moorectl path A B --tables DIR
	find a|; without it: moorectl find WORD PLAN
	table lft a|; without it: moorectl table lft SWITCH --tables DIR
	verify|; without it: moorectl verify DIR
	accept a|; without it: moorectl accept SWITCH... --tables CAPTURE|DIR
	shadow|; without it: moorectl shadow CAPTURE|DIR
	capture --key $T/key -o $T/x.tar|; without it: moorectl capture DIR
	ROWS
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/dead"
	run --separate-stderr -2 $M status --socket "$T/dead"
	[[ $stderr == *"cannot reach moored at $T/dead: nobody listens"* ]]
}

@test "a frozen moored: the wait ends after 10 s, with what to do" {
	q5
	start --plan "$T/plan.json"
	kill -STOP "$PID"
	begin=$SECONDS
	run --separate-stderr -2 m status
	[ $((SECONDS - begin)) -ge 9 ] && [ $((SECONDS - begin)) -le 15 ]
	[ -z "$output" ]
	[[ $stderr == "moorectl: $SOCK: moored does not answer: "*"systemctl restart moored" ]]
	kill -CONT "$PID"
	run -0 m status
	kill -STOP "$PID"
	# The queue of connections fills; python ends and leaves none of them.
	python3 - "$SOCK" "$T/full" 3>&- <<-'PY' &
	import socket, sys, time
	all = []
	try:
	    while True:
	        all.append(s := socket.socket(socket.AF_UNIX))
	        s.setblocking(False)
	        s.connect(sys.argv[1])
	except BlockingIOError:
	    open(sys.argv[2], "w")
	    time.sleep(9)
	PY
	until_ok test -e "$T/full"
	run --separate-stderr -2 m status
	[[ $stderr == *"it takes no connections now"* ]]
	wait $!
	kill -CONT "$PID"
}

@test "a method that takes longer than a frozen moored is waited for" {
	python3 - "$T/slow" >"$T/asked" 3>&- <<-'PY' &
	import json, socketserver, sys, time
	class Slow(socketserver.StreamRequestHandler):
	    def handle(self):
	        for line in self.rfile:
	            ask = json.loads(line)
	            print(ask["method"], flush=True)
	            time.sleep(0 if ask["method"] == "system.ping" else 12)
	            self.wfile.write(json.dumps({"id": ask["id"], "result": {"took": 12}}).encode() + b"\n")
	class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
	    daemon_threads = True
	Server(sys.argv[1], Slow).serve_forever()
	PY
	PID=$!
	until_ok test -S "$T/slow"
	run -0 $M --socket "$T/slow" call routes.verify
	[ "$(jq .took <<<"$output")" = 12 ]
	[ "$(cat "$T/asked")" = $'routes.verify\nsystem.ping\nsystem.ping' ]
}

@test "status, switches, links: text and JSON, before and after the verb" {
	q5
	start --plan "$T/plan.json"
	run -0 m status
	[[ $output == *"plane 0        up"*"50 switches, 200 endpoints, 175 cables in scan 1"*"plan           $T/plan.json: 50 switches"* ]]
	run -0 m status --json
	jq -e '.planes[0].state == "up" and .plan.cables == 175' <<<"$output"
	run -0 $M switches --socket "$SOCK"
	[ ${#lines[@]} = 51 ]
	[[ ${lines[0]} == SWITCH*GUID*LID*PORTS*CABINET && ${lines[1]} == s0-0-0* ]]
	run -0 m links
	[ ${#lines[@]} = 176 ]
	run -0 m links s1-2-3
	[ ${#lines[@]} = 8 ]
	for l in "${lines[@]:1}"; do [[ $l == *"s1-2-3["* ]]; done
	run -0 m links s1-2-3 --json
	jq -e '.links | length == 7' <<<"$output"
	run --separate-stderr -2 m links nobody
	[[ $stderr == *"moored: nobody: no switch of that name"* ]]
	run --separate-stderr -2 m switches --plane 8
	[[ $stderr == *"--plane 8: not a number from 0 to 7"* ]]
	run --separate-stderr -2 m switches --plane 3
	[[ $stderr == *"moored: params.plane: there is no plane 3: moored has 1, from 0 on"* ]]
	# These show all planes.
	for verb in status events; do
		run --separate-stderr -2 m $verb --plane 0
		[[ $stderr == *"--plane"* ]]
		run -0 m $verb --help
		[[ $output != *"--plane"* ]]
	done
}

@test "switches stand where the plan has them, which the fabric does not report" {
	q5
	$M plan place "$T/plan.json" --cabinet-size 5 --iterations 0 -o "$T/placed.json" >/dev/null
	start --plan "$T/placed.json"
	jq -c '[.switches[] | [.name, .cabinet, .unit]] | sort' "$T/placed.json" >"$T/want"
	m switches --json | jq -c '[.switches[] | [.name, .cabinet, .unit]] | sort' | diff "$T/want" -
	run -0 m switches
	[[ ${lines[1]} =~ ^s0-0-0\ .*\ A0[1-9]$ ]]
}

@test "no fabric is a state: status says so and exits with 1" {
	start
	run -1 m status
	[[ $output == *"no-device: there is no umad port"*"plan           none: set \`plan\` in "* ]]
	run --separate-stderr -2 m switches
	[[ $stderr == "moorectl: moored: "* ]]
	run --separate-stderr -2 m check
	[[ $stderr == *"moored: there is no plan"* ]]
}

@test "path, tables and verify say of the live tables what they say of the files" {
	q5
	start --plan "$T/plan.json"
	$M route "$T/plan.json" --lmc 2 -o "$T/d" >/dev/null
	for words in "path s0-0-0-h0 s1-2-3-h1 --offset 2" "path s0-0-0 s0-0-1 --sl 3" \
		"table lft s0-3-3" "table sl2vl s0-3-3"; do
		diff <(m $words) <($M $words --tables "$T/d")
		diff <(m $words --json | jq -S 'del(.sweep, .plane, .at_ms)') <($M $words --tables "$T/d" --json | jq -S .)
	done
	run -0 m verify --sl 0,2-3 --lids base
	[[ $output == *"asked          SL 0 2 3, base LIDs, from and to endpoints and switches"* ]]
	[[ $output == *"sound: no cycle of waiting packets exists"* ]]
	# What only moored can compute, the comparison with plan and moore.conf, is null off
	# line; and the operational VLs come from PortInfo on line, from a file off line.
	for words in "" "--sl 0,2-3 --lids base" "--sources endpoints"; do
		diff <(m verify $words --json | jq -S 'del(.sweep, .plane, .at_ms) | .expected |= null | .op_vls.from |= "file"') \
			<($M verify "$T/d" $words --json | jq -S .)
	done
	diff <(ask routes.quality | jq -S 'del(.sweep, .plane, .at_ms)') \
		<($M quality "$T/plan.json" --lmc 2 --json | jq -S .)
	run --separate-stderr -2 m path s0-0-0-h0 nobody
	[[ $stderr == "moorectl: moored: to: nobody"* ]]
	run --separate-stderr -2 m verify --sl hint
	[[ $stderr == *"need a DIR of dumps"* ]]
}

@test "check and repair: as planned; a cable out and two swapped; the same as from files" {
	q5_changing
	start --plan "$T/plan.json"
	run -0 m check
	[[ $output == "50 switches, 200 endpoints, 175 cables: cabled as planned" ]]
	run -0 m repair
	[[ $output == "nothing to move" ]]
	becomes "$unplug | $swap"
	will '.sweep == 2' fabric.summary
	run -1 m check
	[[ $output == *"missing          s0-0-0[5] -- s0-0-1[5]"*": 3 deviations" ]]
	# Only moored knows since when a deviation stands.
	[ "$(sed 's/; since 20[-0-9]* [0-9:]*$//' <<<"$output")" = "$($M check "$T/plan.json" "$T/still.json")" ]
	output=$($M check "$T/plan.json" "$T/still.json") || true
	[ "$output" = "$(cd "$T" && m check plan.json)" ]
	run -1 m repair --json
	jq -e '.moves | length == 4' <<<"$output"
	[ "$output" = "$($M repair "$T/plan.json" "$T/still.json" --json)" ]
}

@test "watch: a verdict follows each change within 2 s; what came and what went" {
	q5_changing
	start --plan "$T/plan.json"
	m watch >"$T/watch" 2>&1 3>&- &
	text=$!
	m watch --json >"$T/json" 3>&- &
	json=$!
	until_ok grep -q '175 of 175' "$T/watch"
	begin=$EPOCHREALTIME
	becomes "$unplug | $swap"
	until_ok grep -q '172 of 175 cables as planned, 50 of 50 switches live, 2 wrong (scan 2)' "$T/watch"
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 2) }'
	grep -q '^  + missing          s0-0-0\[5\] -- s0-0-1\[5\]' "$T/watch"
	grep -q '^next: plug s0-0-0\[5\] -- s0-0-1\[5\]' "$T/watch"
	becomes "$swap"
	until_ok grep -q '(scan 3)' "$T/watch"
	grep -q '^  - missing ' "$T/watch"
	kill $text $json
	wait $text $json || true
	jq -se 'length == 3 and .[0].ok and .[0].as_planned == 175 and (.[1].ok | not)
		and .[1].as_planned == 172 and .[1].wrong == 2 and .[1].next.verdict == "missing"
		and .[2].next == null' "$T/json"
	timeout 10 $M --socket "$SOCK" watch --until-complete >"$T/done" 3>&- &
	until_ok test -s "$T/done"
	becomes .
	wait $!
	tail -n 3 "$T/done" | grep -q '175 of 175'
}

@test "watch counts by cabinet, and finishes one before the next" {
	q5
	jq '.switches |= [range(length) as $i | .[$i] + {cabinet: "C\($i / 10 | floor)", unit: ($i % 10 + 1)}]' \
		"$T/plan.json" >"$T/p2.json"
	mv "$T/p2.json" "$T/plan.json"
	# C1 lacks one cable inside the cabinet, C0 two.
	jq '(.switches | map({key: .name, value: .cabinet}) | from_entries) as $in
		| def inside(c): [.cables[] | select($in[.a.switch] == c and $in[.b.switch] == c)];
		inside("C0")[:2] as $x | inside("C1")[:1] as $y | .cables -= ($x + $y)' "$T/plan.json" >"$T/still.json"
	export MOORED_STILL=$T/still.json
	start --plan "$T/plan.json"
	timeout 10 $M --socket "$SOCK" watch --json >"$T/json" 3>&- &
	until_ok test -s "$T/json"
	kill $!
	jq -e '[.cabinets[] | .cables - .as_planned] == [2, 1, 0, 0, 0] and .next.a.cabinet == "C1"
		and (.cabinets | map(.switches) == [10, 10, 10, 10, 10])' "$T/json"
}

@test "events: those asked for, a line or an object each" {
	q5_changing
	start --plan "$T/plan.json"
	m events sweep >"$T/text" 3>&- &
	a=$!
	m events --json >"$T/json" 3>&- &
	b=$!
	m events >"$T/all" 3>&- &
	all=$!
	until_ok holds '.server.subscribers == 3' system.status
	becomes "$unplug"
	until_ok grep -q 'sweep  ' "$T/text"
	ask system.reload >/dev/null
	until_ok grep -q event.reload "$T/json"
	until_ok grep -q reload "$T/all"
	until_ok grep -q wiring "$T/all"
	kill $a $b $all
	grep -Eq '^[0-9:]{8}  sweep     scan 2: 50 switches, 200 endpoints$' "$T/text"
	[ "$(wc -l <"$T/text")" = 1 ]
	# all kinds in text: a line each, and no JSON
	grep -q '  wiring    missing s0-0-0\[5\] -- s0-0-1\[5\]: planned, and nothing is there; 1 deviation in all$' "$T/all"
	grep -q '  reload    configuration and plan were read again$' "$T/all"
	[ "$(wc -l <"$T/all")" -ge 3 ]
	! grep -q '[{}"]' "$T/all"
	jq -se 'map(.method) | index("event.sweep") != null and index("event.reload") != null' "$T/json"
	run --separate-stderr -2 m events nothing
	[[ $stderr == *"moored: "* ]]
}

@test "moored ends: who waits is told, with exit code 2" {
	q5
	start
	m watch >"$T/watch" 2>"$T/err" 3>&- &
	w=$!
	m events >"$T/events" 2>"$T/err2" 3>&- &
	e=$!
	until_ok holds '.server.subscribers == 2' system.status || true
	stop
	rc=0; wait $w || rc=$?
	[ $rc = 2 ]
	rc=0; wait $e || rc=$?
	[ $rc = 2 ]
	grep -q 'moored ended the connection' "$T/err2"
}

# terminal COLUMNS ROWS COMMAND...: prints what COMMAND writes on such a terminal.
terminal() {
	python3 - "$@" <<-'PY'
	import fcntl, os, pty, struct, sys, termios
	cols, rows, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
	pid, fd = pty.fork()
	if pid == 0:
	    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
	    os.execvp(words[0], words)
	out = b""
	try:
	    while chunk := os.read(fd, 65536):
	        out += chunk
	except OSError:
	    pass
	os.waitpid(pid, 0)
	sys.stdout.buffer.write(out)
	PY
}

@test "a terminal: tables fit it, names are cut in the middle, colour, a pager when long" {
	q5
	jq '.switches[0].name = "a-switch-with-a-very-long-name-at-the-end-of-row-17"
		| (.. | select(. == "s0-0-0")?) |= "a-switch-with-a-very-long-name-at-the-end-of-row-17"' \
		"$T/plan.json" >"$T/long.json"
	export MOORED_STILL=$T/long.json
	start --plan "$T/plan.json"
	terminal 40 500 $M --no-pager --socket "$SOCK" switches | tr -d '\r' >"$T/out"
	awk 'length > 40 { print; bad = 1 } END { exit bad }' "$T/out"
	grep -q 'a-.*\.\..*17' "$T/out"
	m switches | grep -q 'a-switch-with-a-very-long-name-at-the-end-of-row-17'
	export MOORED_STILL=$T/plan.json
	printf '#!/bin/sh\necho PAGER; wc -l\n' >"$T/pager"
	chmod +x "$T/pager"
	PAGER=$T/pager terminal 80 20 $M --socket "$SOCK" switches | tr -d '\r' | grep -A1 PAGER | grep -q 51
	PAGER=$T/pager terminal 80 60 $M --socket "$SOCK" switches >"$T/out"
	! grep -q PAGER "$T/out"
	PAGER=$T/pager terminal 80 20 $M --socket "$SOCK" switches --no-pager >"$T/out"
	! grep -q PAGER "$T/out"
	PAGER=$T/none terminal 80 20 $M --socket "$SOCK" switches | grep -q s1-4-4
	terminal 80 60 $M --socket "$SOCK" status | grep -q $'\033\[32mup'
	NO_COLOR=1 terminal 80 60 $M --socket "$SOCK" status >"$T/out"
	! grep -q $'\033' "$T/out"
	! m status | grep -q $'\033'
}

@test "a terminal: watch fills it with deviations, and wraps them" {
	q5
	jq 'del(.cables[:30])' "$T/plan.json" >"$T/few.json"
	export MOORED_STILL=$T/few.json
	start --plan "$T/plan.json"
	for rows in 24 40; do
		terminal 60 $rows timeout -s INT 2 $M --socket "$SOCK" watch | tr -d '\r' |
			sed $'s/.*\033\\[2J//; s/\033\\[[0-9;]*[A-Za-z]//g' >"$T/out"
		awk 'length > 60 { print; bad = 1 } END { exit bad }' "$T/out"
		grep -q '^missing .* planned, and$' "$T/out"
		grep -qx "and $((30 - $(grep -c '^missing' "$T/out"))) more: moorectl check" "$T/out"
		n=$(wc -l <"$T/out")	# the last row has no end of line
		[ "$n" -lt $rows ] && [ "$n" -ge $((rows - 3)) ] || { cat "$T/out"; false; }
	done
}

# 60 polls, a second apart by their own clock.  From the 20th on, endpoint 0 floods endpoint
# 130 on its base LID.
flooded() {
	q5
	jq '.rate = "4xEDR"' "$T/plan.json" >"$T/rated.json"
	mv "$T/rated.json" "$T/plan.json"
	echo "flow 20 90 0 130 0 ${1:-7e9}" >"$T/traffic"
	export MOORED_STILL_POLLS=60 MOORED_STILL_TRAFFIC=$T/traffic
	start --plan "$T/plan.json"
	will '.poll >= 60' hotspots.list
}

@test "hotspots and explain: the link, whose traffic, what to try" {
	flooded
	run -1 m hotspots
	[[ ${lines[0]} == FINDING*LINK*TO*VALUE*LOAD*WAIT*RANK*FOR*CABLE ]]
	[[ ${lines[1]} == load*s0-0-0\[* ]]
	[[ $output == *"load: min "*" of 350 links"* ]]
	run -1 m hotspots --json
	first=$(jq -r '.hotspots | map(select(.switch == "s0-0-0"))[0] | "\(.switch)[\(.port)]"' <<<"$output")
	dest=$(jq -r '.endpoints[130].name' "$T/plan.json")
	run -0 m explain "$first"
	[[ $output == "$first -> "*"routes over it offset 0: "*"s0-0-0-h0"*"$dest"*"try            send "*" on offset "* ]]
	run -0 m explain "$(sed 's/\[\(.*\)\]/:\1/' <<<"$first")" --json
	jq -e --arg d "$dest" '.suspects[0].source == "s0-0-0-h0" and .suspects[0].dest == $d
		and .suspects[0].share > 0.5' <<<"$output"
	while IFS='|' read -r link part; do
		run --separate-stderr -2 m explain "$link"
		[[ $stderr == *"$part"* ]] || { echo "$link: $stderr"; false; }
	done <<-ROWS
	s0-0-0|is named by the switch and port
	s0-0-0[|is named by
	s0-0-0[0]|is named by
	s0-0-0[x]|is named by
	[3]|is named by
	s0-0-0:300|is named by
	nobody[3]|moored: nobody
	s0-0-0[200]|moored: s0-0-0:200: there is no link
	ROWS
}

@test "status counts what deviates and stands out; links have their load, there and back" {
	q5_changing
	start --plan "$T/plan.json"
	will '.planes[0].deviations == 0 and .planes[0].hotspots == null' system.status
	run -0 m links s0-0-0
	[[ ${lines[0]} == LINK*TO*RATE*LOAD*BACK && ${lines[1]} =~ -\ +-$ ]]
	run -0 m status
	[[ $output == *"cabled as planned"* && $output != *"stand"* ]]
	becomes "$unplug | $swap"
	will '.planes[0].deviations == 3' system.status
	run -0 m status
	[[ $output == *"3 deviations from the plan: moorectl check names them"* ]]
	stop
	flooded
	run -0 m status
	[[ $output == *" findings now: moorectl hotspots names them"* || $output == *"1 finding now: "* ]]
	[ "$(ask system.status | jq .planes[0].hotspots)" = "$(m hotspots --json | jq .total)" ]
	# The loads are those of hotspots.list, whichever end names the link.
	ask hotspots.list >"$T/hot"
	ask fabric.links >"$T/links"
	jq -ne --slurpfile h "$T/hot" --slurpfile l "$T/links" '
		($l[0].links | map({"\(.a.switch):\(.a.port)": .load}, {"\(.b.switch):\(.b.port)": .load_back}) | add) as $load
		| ($h[0].hotspots | map(select(.finding == "load"))) as $hot
		| ($hot | length) > 0 and ($load | length) == 350
		and all($hot[]; $load["\(.switch):\(.port)"] == .load)
		and all($load[]; . >= 0 and . < 1)'
	hot=$(m hotspots --json | jq -r '.hotspots[0].switch')
	m links "$hot" | grep -Eq ' [5-9][0-9] %( |$)'
}

@test "completion of switches, hot links and kinds of events" {
	flooded
	PATH=$BUILD:$PATH
	source "$ROOT/etc/moorectl.bash"
	bash_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _moorectl; printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '; }
	zsh_words() {
		zsh -f -c 'compdef() { : }; _files() { print FILES }
			compadd() { [[ $1 == -S ]] && shift 2; shift; print -l -- "$@" | grep -e "^${words[CURRENT]}" }
			source "$1"; shift; words=("$@"); CURRENT=$#words; _moorectl' \
			- "$ROOT/etc/moorectl.zsh" "$@" | sort | tr '\n' ' '
	}
	hot=$(m hotspots --json | jq -r '.hotspots[] | select(.switch | startswith("s0-0-0")) | "\(.switch)[\(.port)]"' | sort -u | tr '\n' ' ')
	[ -n "$hot" ]
	for shell in bash zsh; do
		[ $shell = bash ] || command -v zsh >/dev/null || continue
		while IFS='|' read -r words want; do
			got=$(${shell}_words moorectl --socket "$SOCK" $words)
			[ "$got" = "$want" ] || { echo "$shell: $words: $got, not $want"; false; }
		done <<-ROWS
		links s0-0-|s0-0-0 s0-0-1 s0-0-2 s0-0-3 s0-0-4 
		path s0-0-0 s1-4-4|s1-4-4 
		table lft s1-4-4|s1-4-4 
		explain s0-0-0|$hot
		events wi|wiring 
		events wiring hot|hotspot 
		ROWS
	done
	# The kinds are those that moored lists.
	kinds=$(bash_words moorectl events "")
	diff <(tr ' ' '\n' <<<"${kinds% }") <(ask system.methods |
		jq -r '.methods[] | select(.name == "events.subscribe").params.properties.kinds.items.enum[]' | sort)
}

@test "hotspots --watch says what came" {
	q5
	start --plan "$T/plan.json"
	run --separate-stderr -2 m hotspots
	[[ $stderr == *"moored: no counters were read yet"* ]]
	stop
	flooded
	m hotspots --watch >"$T/text" 3>&- &
	a=$!
	m hotspots --watch --json >"$T/json" 3>&- &
	b=$!
	until_ok grep -q '^load ' "$T/text"
	until_ok jq -e '.hotspots | length > 0' "$T/json"
	kill $a $b
}

@test "record and replay: the rates, and the finding where it was" {
	flooded 13e9	# more than the line carries, as a rounded rate may be
	run -0 m record "$T/rec" --past 4000000000 --json
	jq -e --arg f "$T/rec" '.file == $f and .bytes > 1000' <<<"$output"
	run -0 $M replay "$T/rec"
	[[ $output == *"  + load     s0-0-0["*" -> "* ]]
	[[ $output == *" s in "*" rows, from 2023-11-1"*"links that carried most:"*"finding"*":"*"  load     s0-0-0["*" to the end"* ]]
	! grep -E '\(1(0[1-9]|[1-9][0-9]) %|\([2-9][0-9]{2,} %' <<<"$output"
	run -0 $M replay "$T/rec" --json
	# The summary is of the same rows: time, links and findings.
	jq -se '.[-1].summary as $s | .[:-1] as $r | ($r | length) == $s.rows
		and $s.to_ms == $r[-1].at_ms and $s.from_ms == $r[0].at_ms - $r[0].span_ms
		and $s.covered_ms == ([$r[].span_ms] | add)
		and ($s.busiest | length == 5 and (map(.bytes) | . == (sort | reverse)))
		and ($s.busiest[0] | .peak_bytes_per_s >= .bytes_per_s and .share <= .peak_share)
		and ($s.findings | map({finding, switch, port})) == [$r[].findings[] | select(.raised) | {finding, switch, port}]
		and ($s.findings | map(.from_ms)) == [$r[] | .at_ms as $at | .findings[] | select(.raised) | $at]
		and all($r[].busiest[], $s.busiest[]; .share <= 1)
		and any($r[].busiest[]; .share == 1)' <<<"$output"
	jq -s -c '.[:-1][]' <<<"$output" >"$T/rows"
	output=$(cat "$T/rows")
	jq -se 'length >= 50 and ([.[].at_ms] | . == sort) and all(.[]; .busiest | length == 3)
		and ([.[] | select(any(.findings[]; .raised))][0].at_ms / 1000 - 1700000000
			| . >= 24 and . <= 28)
		and (.[-1].busiest[0].switch == "s0-0-0" or .[-1].busiest[1].switch == "s0-0-0")' <<<"$output"
	# A recording that is cut off is replayed up to there, with a summary, and then reported;
	# any other damage is refused.
	head -c -20 "$T/rec" >"$T/cut"
	run --separate-stderr -2 $M replay "$T/cut"
	[ ${#lines[@]} -ge 10 ]
	[[ $output == *" s in "*" rows, from "*"links that carried most:"* ]]
	[[ $stderr == *"$T/cut: "* ]]
	size=$(stat -c %s "$T/rec")
	for at in 0 5 30 $((size / 2)) $((size - 5)); do
		cp "$T/rec" "$T/bad"
		printf '\377\1' | dd of="$T/bad" bs=1 seek=$at conv=notrunc status=none
		run --separate-stderr -2 $M replay "$T/bad"
		[ -n "$stderr" ]
	done
	: >"$T/empty"
	run --separate-stderr -2 $M replay "$T/empty"
	[[ $stderr == *"no rows"* ]]
	# Without --seconds, recording ends with success at Ctrl-C.
	for sig in INT TERM; do
		rm -f "$T/rec2"
		$M --socket "$SOCK" record "$T/rec2" --json >"$T/json" 3>&- &
		until_ok test -s "$T/rec2"
		kill -$sig $!
		wait $!
		jq -e --arg f "$T/rec2" --argjson n "$(stat -c %s "$T/rec2")" '.file == $f and .bytes == $n' "$T/json"
	done
	run --separate-stderr -2 m record "$T/none/rec" --past 5
	[[ $stderr == *"$T/none/rec: cannot write"* ]]
}

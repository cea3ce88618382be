# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# server.bats - moored as a server: peers of every kind, and its own bad days.
load lib

@test "without a device it serves, and says what is missing" {
	start
	holds '.planes[0].state == "no-device" and .plan == null and .sweep == 0' system.status
	run -2 --separate-stderr ask fabric.summary
	[[ $stderr == *"system.status says why"* ]]
	run -2 --separate-stderr ask plan.summary
	[[ $stderr == *"moored.conf(5)"* ]]
	stop
	[ "$status" -eq 0 ]
	[ ! -e "$SOCK" ]
}

@test "every answer is what its schema says, and no more" {
	q5
	export MOORED_STILL_POLLS=120
	echo "links $T/links" >"$T/moore.conf"
	: >"$T/links"
	echo "moore_conf $T/moore.conf" >>"$T/moored.conf"
	start --plan "$T/plan.json"
	will '.poll > 0' hotspots.explain '{"switch":"s0-0-0","port":5}'
	run peer schemas
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[[ $output == *"routes.verify"* ]]
	[[ $output == *"vls.table"* ]]
	[[ $output == *"system.reload"* ]]
}

@test "verify on the live tables says what moorectl verify says" {
	q5
	start
	$M route "$T/plan.json" --lmc 2 -o "$T/tables" >/dev/null
	$M verify "$T/tables" --json >"$T/off"
	until_ok ask routes.verify >"$T/on" 2>/dev/null
	for k in sound pairs hops vls channels dependencies max_load mean_load; do
		[ "$(jq -c ".$k" "$T/on")" = "$(jq -c ".$k" "$T/off")" ] || { echo "$k"; cat "$T/on" "$T/off"; false; }
	done
}

@test "batches, notifications and codes on the wire" {
	start
	run -0 peer say '[{"jsonrpc":"2.0","id":7,"method":"system.ping"},{"jsonrpc":"2.0","method":"system.ping"},5]' \
		'' '{"jsonrpc":"2.0","method":"system.ping"}' '{"jsonrpc":"2.0","id":8,"method":"nobody"}' 'x'
	[ "$(jq -c 'if type == "array" then [.[] | .id, .error.code] else [.id, .error.code] end' <<<"$output" | tr '\n' ' ')" = \
		'[7,null,null,-32600] [8,-32601] [null,-32700] ' ]
}

@test "1,000 peers at once; the one too many is told" {
	conf clients 1000
	start
	peer crowd 1000 3
}

@test "peers that read nothing cost a bounded amount of memory, and nobody else" {
	start
	peer slow_readers "$PID" 8
}

@test "1,000 peers with a batch each: the watchdog is answered, memory is bounded" {
	conf clients 1000
	mkdir "$T/s"
	ulimit -Sn 1024		# moored raises it to the hard limit itself
	peer with_watchdog many_batches 1000 "$D" --config "$T/moored.conf" --foreground
}

@test "peers that hold 300 MiB: who holds most is closed, and it is logged with a count" {
	start
	peer hoards "$PID" 300
	logged 'dropped: it holds most, .* MiB, and all clients together more than 256 MiB'
	[ "$(grep -c 'holds most' "$T/log")" -le 5 ]
}

@test "half lines, lines in pieces, a line without an end" {
	start
	peer half_lines
	peer too_long
}

@test "a flood leaves room for others, and has a rate" {
	start
	peer flood 4
	peer rate
}

@test "outstanding work is bounded for each peer; who leaves takes nothing along" {
	# On this fabric an answer takes many times as long as the batch takes to be read.
	$M plan new slimfly q=11 p=8 -o "$T/plan.json" >/dev/null
	export MOORED_STILL=$T/plan.json
	start
	will '.planes[0].switches == 242' system.status
	peer outstanding routes.quality
	stop
	q5
	start
	will '.planes[0].switches == 50' system.status
	peer gone
	will '.server.outstanding == 0 and .server.waiting == 0' system.status
	stop
	[ "$status" -eq 0 ]
}

@test "it ends soon while much is asked of it" {
	q5
	start
	will '.planes[0].switches == 50' system.status
	peer gone
	before=$SECONDS
	stop
	[ "$status" -eq 0 ]
	[ $((SECONDS - before)) -le 5 ]
}

@test "events that are not read are counted and not kept" {
	conf group this-group-is-not-there-and-its-name-is-long-enough
	printf 'socket %s\nstate_dir (null)\nmetrics (null)\n' "$SOCK" >"$T/good"
	cp "$T/moored.conf" "$T/bad"
	cp "$T/good" "$T/moored.conf"
	start
	cp "$T/bad" "$T/moored.conf"
	peer lost_events
}

@test "killed at any point, it starts again over the socket that is left" {
	q5
	for wait in 0 0.01 0.05 0.2; do
		start
		sleep $wait
		kill -KILL "$PID"
		wait "$PID" || true
		[ -S "$SOCK" ]
		run -2 --separate-stderr ask system.ping
		[[ $stderr == *"moored was killed"* ]]
	done
	start
	will '.planes[0].switches == 50' system.status
}

@test "of two daemons on one socket the second is told, and the first goes on" {
	start
	run -1 --separate-stderr $D --config "$T/moored.conf" --foreground
	[[ $stderr == *"another moored (process $PID)"* ]]
	holds ".pid == $PID" system.ping
}

@test "another user cannot hold the lock that keeps moored from starting" {
	[ "$(id -u)" -eq 0 ] || skip "needs other users"
	start
	stop
	chmod 644 "$SOCK.lock"		# as older versions created it
	start
	stop
	[ "$(stat -c %a "$SOCK.lock")" = 600 ]
	# To lock a file with flock, a user only needs to open it for reading.
	setpriv --reuid 65534 --regid 65534 --clear-groups flock "$SOCK.lock" sleep 30 2>"$T/flock" &
	other=$!
	sleep 0.3
	start
	holds ".pid == $PID" system.ping
	kill $other || true
	grep -q 'Permission denied' "$T/flock"
	stop
	touch "$T/s/theirs.lock"
	chown 65534 "$T/s/theirs.lock"
	run -1 --separate-stderr $D --config "$T/moored.conf" --foreground --socket "$T/s/theirs"
	[[ $stderr == *"belongs to another user"* ]]
}

@test "sockets that cannot be" {
	long=/tmp/$(printf 'x%.0s' {1..120})
	run -2 --separate-stderr $D --config "$T/moored.conf" --socket "$long"
	[[ $stderr == *"107 bytes"* ]]
	SOCK=$long conf
	run -2 --separate-stderr $D --config "$T/moored.conf"
	[[ $stderr == *"moored.conf:1: socket: longer than 107 bytes"* ]]
	SOCK=$T/s conf
	echo precious >"$T/file"
	run -1 --separate-stderr $D --config "$T/moored.conf" --socket "$T/file"
	[[ $stderr == *"exists and is not a socket"* ]]
	[ "$(cat "$T/file")" = precious ]
	run -1 --separate-stderr $D --config "$T/moored.conf" --socket "$T/no/such/folder/s"
	[[ $stderr == *"make its folder"* ]]
}

@test "a disk without room: it serves" {
	unshare -m --propagation slave true || skip "cannot mount"
	mkdir "$T/full"
	SOCK=$T/full/s conf
	unshare -m --propagation slave bash -c "mount -t tmpfs -o size=4k,mode=755 none $T/full || exit
		head -c 1000000 /dev/zero >$T/full/zeros 2>/dev/null
		$D --config $T/moored.conf --foreground 2>>$T/log & pid=\$!
		for i in {1..400}; do $M --socket $T/full/s call system.ping >$T/pong 2>/dev/null && break; sleep 0.05; done
		kill -TERM \$pid; wait \$pid"
	jq -e '.name == "moored"' "$T/pong"
	logged "No space left"
	run -1 --separate-stderr bash -c "$D --print-config >/dev/full"
	[[ $stderr == *"cannot write"* ]]
}

@test "a reload of what is wrong changes nothing and says why" {
	q5
	cp "$T/plan.json" "$T/mine.json"
	conf plan "$T/mine.json"
	start
	hash=$(ask plan.summary | jq -r .hash)
	printf '{"moore_plan": 1,\n' >"$T/mine.json"
	kill -HUP "$PID"
	will '.plan_error != null and .reloads == 1' system.status
	holds ".plan.hash == \"$hash\"" system.status
	holds '.plan_error | test("mine.json:[0-9]+: ")' system.status
	run -2 --separate-stderr ask system.reload
	[[ $stderr == *"the previous one stays in force"* ]]
	echo 'clients many' >>"$T/moored.conf"
	kill -HUP "$PID"
	will '.config_error | test("moored.conf:[0-9]+: clients: ")' system.status
	rm "$T/moored.conf"
	kill -HUP "$PID"
	will '.config_error | test("cannot read")' system.status
	holds ".switches == 50 and .hash == \"$hash\"" plan.summary
	$M plan new slimfly q=7 p=1 -o "$T/mine.json" >/dev/null
	conf plan "$T/mine.json" poll_ms 500
	ask system.reload | jq -e '.plan.switches == 98'
	holds '.config_error == null and .plan_error == null' system.status
	logged "change only at a restart: poll_ms"
}

@test "what is wrong at the start ends it with a reason" {
	conf plan "$T/none.json"
	run -2 --separate-stderr $D --config "$T/moored.conf"
	[[ $stderr == *"none.json: cannot read"* ]]
	conf group no-such-group
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"group: no-such-group: there is no such group"* ]]
	conf colour blue
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"moored.conf:4: colour: unknown key"* ]]
	conf colour blue poll_ms 3 planes '' metrics_ports some
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	for part in 'colour: unknown key' 'poll_ms: "3" is not' 'planes: has no value' 'metrics_ports: "some" is none'; do
		[[ $(grep -c "error: .*moored.conf:[0-9]*: $part" <<<"$stderr") == 1 ]] || { echo "$part: $stderr"; false; }
	done
	[ "$(grep -c 'error: ' <<<"$stderr")" = 4 ]
	# Where it would not serve: with the first it would not start.
	conf page nowhere.invalid:80
	sed -i 's/^metrics .*/metrics localhost/' "$T/moored.conf"
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *'metrics: "localhost": no ADDRESS:PORT: write one like 127.0.0.1:9684'* ]]
	[[ $stderr == *'page: "nowhere.invalid:80": '* ]]
	# Planes that it would never find.
	for planes in mlx5_0:x mlx5_0:0 mlx5_0: :1 a:1,,b:1 a:1,b:2,c:3,d:4,e:5,f:6,g:7,h:8,i:9 ethernet; do
		conf planes $planes ethernet 'cat {switch}.json'
		run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
		[[ $(grep -c 'error: planes: "' <<<"$stderr") == 1 ]] || { echo "$planes: $stderr"; false; }
	done
	conf planes mlx5_0:1,mlx5_1,ethernet ethernet 'cat {switch}/{what}.json'
	run -0 --separate-stderr $D --config "$T/moored.conf" --check-config
	# A directory from which no routes could be read, and a broken file of it with its line.
	conf ethernet_dir "$T/net"
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"ethernet_dir: $T/net/plan.json: cannot read: No such file or directory: name the directory"* ]]
	$M plan new slimfly q=3 -o "$T/sf3.json" >/dev/null
	$M ethernet emit "$T/sf3.json" --ipv4 10.0.0.0/8 -o "$T/net" >/dev/null
	run -0 --separate-stderr $D --config "$T/moored.conf" --check-config
	sed -i '2s/.*/"formaat": 1,/' "$T/net/addresses.json"
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"ethernet_dir: $T/net/addresses.json: "* ]]
	# The file that the plugin reads is checked too, with the line; moored itself starts without it.
	conf moore_conf "$T/moore.conf"
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"moore_conf: $T/moore.conf: cannot read: No such file or directory"* ]]
	printf 'profile any-sl\nlinks %s\n' "$T/links" >"$T/moore.conf"
	run -2 --separate-stderr $D --config "$T/moored.conf" --check-config
	[[ $stderr == *"moore_conf: $T/links: cannot read: No such file or directory"* ]]
	: >"$T/links"
	run -0 --separate-stderr $D --config "$T/moored.conf" --check-config
	run -2 --separate-stderr $D --config "$T/none"
	[[ $stderr == *"none: cannot read"* ]]
	run -2 --separate-stderr $D --colour
	[[ $stderr == *"--help"* ]]
}

@test "its group may ask, root may change, others get a sentence" {
	[ "$(id -u)" -eq 0 ] || skip "needs other users"
	start
	[ "$(peer as_user 65534 65534 | tr '\n' ' ')" = "-32001 -32001 " ]
	conf group "$(getent group 12 | cut -d: -f1)"
	ask system.reload >/dev/null
	[ "$(peer as_user 65534 65534 | tr '\n' ' ')" = "-32001 -32001 " ]
	[ "$(peer as_user 65534 12 | tr '\n' ' ')" = "0 -32001 " ]
	[ "$(peer as_user 65534 65534 7 12 | tr '\n' ' ')" = "0 -32001 " ]
	[ "$(peer as_user 0 0 | tr '\n' ' ')" = "0 0 " ]
}

@test "under systemd: socket, ready, reload, watchdog, stop" {
	mkdir "$T/s"
	run -0 --separate-stderr peer managed STOPPING "$D" --config "$T/moored.conf"
	[[ ${lines[0]} == "0 True" ]] || { echo "$output"; false; }	# it keeps the socket
	[[ ${lines[1]} == *READY*RELOADING*READY* ]]
	[[ ${lines[1]} == *WATCHDOG*STOPPING* ]]
}

@test "job.env says what moorectl env says" {
	q5
	start
	will '.planes[0].switches == 50' system.status
	for t in all openmpi nccl; do
		ask job.env "{\"target\":\"$t\",\"use\":\"0\"}" | jq -S 'del(.sweep, .plane, .at_ms)' >"$T/on"
		$M env $t --lmc 2 --use 0 --json | jq -S . | diff - "$T/on"
	done
	run -2 --separate-stderr ask job.env '{"target":"ucx","use":"0,4"}'
	[[ $stderr == *"offset 4 has no LID"* ]]
}

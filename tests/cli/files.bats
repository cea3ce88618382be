# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# files.bats - arguments that name no regular file: pipes, devices, sockets, links. Takes
# about 15 seconds, mostly waiting for pipes that have no other end.
load lib

@test "a pipe is read to its end, and one without a writer is refused" {
	q5 "$T/p.json"
	run -0 $M plan check <(cat "$T/p.json")
	run -0 bash -c "cat '$T/p.json' | $M plan check /dev/stdin"
	mkfifo "$T/pipe"
	(sleep 0.5; cat "$T/p.json" >"$T/pipe") 3>&- &
	run -0 timeout 60 $M plan check "$T/pipe"
	# A writer that is slow is waited for.
	(exec 4>"$T/pipe"; sleep 3; cat "$T/p.json" >&4) 3>&- &
	run -0 timeout 60 $M plan check "$T/pipe"
	for args in "plan show" "plan import --from csv" "route" "check $T/p.json" "route $T/p.json --conf"; do
		run --separate-stderr -2 timeout 60 $M $args "$T/pipe"
		says "$T/pipe: is a pipe that nothing writes to: start the writer first"
	done
	run --separate-stderr -2 timeout 60 $M plan show <(true)
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "a FIFO among the dumps, or as the plan of moore.conf, holds nothing up" {
	q5 "$T/p.json"
	$M route "$T/p.json" -o "$T/t" >/dev/null
	rm "$T/t/opensm-lfts.dump"
	mkfifo "$T/t/opensm-lfts.dump"
	run --separate-stderr -2 timeout 60 $M verify "$T/t"
	says "opensm-lfts.dump: is no regular file"
	mkfifo "$T/plan"
	echo "plan $T/plan" >"$T/moore.conf"
	run timeout 60 $M conf check "$T/moore.conf"
	[ "$status" != 124 ]
}

@test "directories, devices and sockets are refused, and what has no end is bounded" {
	mkdir "$T/d"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/s"
	while IFS='|' read -r file why; do
		run --separate-stderr -2 timeout 60 $M plan show "$file"
		says "$file: $why"
		run --separate-stderr -2 timeout 60 $M quality "$file"
		[ "${#stderr_lines[@]}" = 1 ]
	done <<-ROWS
	$T/d|is a directory: give a file
	/dev/zero|is a device: give a file
	/dev/full|is a device: give a file
	/dev/urandom|is a device: give a file
	$T/s|cannot read: No such device or address
	/dev/null|the file is empty: a plan is
	ROWS
	run --separate-stderr -2 timeout 60 bash -c "ulimit -v 1500000; $M plan check <(cat /dev/zero)"
	says ": larger than 512 MiB: this is no plan"
	run --separate-stderr -2 timeout 60 $M route --conf <(cat /dev/zero) "$T/p.json"
	says ": larger than 1 MiB: this is no configuration"
}

@test "a plan takes memory for its text, whatever is in it" {
	[[ $M != *-san/* ]] || skip "AddressSanitizer takes terabytes of address space"
	# 36 MB of text, which would take 1.7 GB as one tree of jansson.
	awk 'BEGIN { printf "{\"moore_plan\": 1, \"switches\": ["
		for (i = 0; i < 300000; i++) printf "%s{\"name\": \"s%d\", \"ports\": 2}", i ? "," : "", i
		printf "], \"endpoints\": [], \"cables\": ["
		for (i = 0; i < 299999; i++)
			printf "%s{\"a\": {\"switch\": \"s%d\", \"port\": 1}, \"b\": {\"switch\": \"s%d\", \"port\": 2}}",
				i ? "," : "", i, i + 1
		print "]}" }' >"$T/long"
	(ulimit -v 300000; $M plan check "$T/long")
	# A file of empty arrays is refused before all of them are read.
	awk 'BEGIN { printf "{\"switches\": [[]"; for (i = 0; i < 6000000; i++) printf ",[]"; print "]}" }' >"$T/empty"
	run --separate-stderr -1 bash -c "ulimit -v 100000; timeout 10 $M plan check '$T/empty'"
	[[ $output$stderr == *"switches: more than 4000000 of them"* ]]
}

@test "-o writes through a link to what is not there yet" {
	mkdir "$T/a" "$T/b"
	ln -s ../b/new "$T/a/link"
	ln -s "$T/a/link" "$T/again"
	$M plan new slimfly q=5 -o "$T/again" >/dev/null
	[ -L "$T/again" ] && [ -L "$T/a/link" ]
	$M plan check "$T/b/new"
	only "$T/a" link
	only "$T/b" new
	ln -s nowhere/new "$T/astray"
	run --separate-stderr -2 $M plan new slimfly q=5 -o "$T/astray"
	says "$T/astray: cannot write: No such file or directory"
	[ -L "$T/astray" ]
	ln -s loop "$T/loop"
	run --separate-stderr -2 $M plan new slimfly q=5 -o "$T/loop"
	says "Too many levels of symbolic links"
	[ -L "$T/loop" ]
}

@test "-o into pipes, devices, sockets and open descriptors" {
	$M plan new slimfly q=5 -o "$T/p.json" >/dev/null
	$M plan export --to csv "$T/p.json" -o "$T/csv"
	mkfifo "$T/pipe"
	run --separate-stderr -2 timeout 60 $M plan export --to csv "$T/p.json" -o "$T/pipe"
	says "$T/pipe: is a pipe or socket that nothing reads from: start the reader first"
	(sleep 0.5; cat "$T/pipe" >"$T/got") 3>&- & reader=$!
	timeout 60 $M plan export --to csv "$T/p.json" -o "$T/pipe"
	wait $reader
	cmp "$T/csv" "$T/got"
	[ -p "$T/pipe" ]
	# Standard output under its other names keeps what the file already holds.
	(echo first; cat "$T/csv") >"$T/want"
	for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
		echo first >"$T/log"
		$M plan export --to csv "$T/p.json" -o $name >>"$T/log"
		cmp -n "$(stat -c %s "$T/want")" "$T/want" "$T/log"	# a summary may follow
	done
	run --separate-stderr -2 $M plan export --to csv "$T/p.json" -o /dev/fd/77
	says "/dev/fd/77: cannot write: Bad file descriptor"
	$M plan export --to csv "$T/p.json" -o /dev/null
	[ -c /dev/null ]
	run --separate-stderr -2 $M plan export --to csv "$T/p.json" -o /dev/full
	says "/dev/full: cannot write: No space left on device"
}

@test "-o where nothing may be written leaves everything as it was" {
	[ "$(id -u)" = 0 ] || skip "root gives the rights away here"
	mkdir -m 755 "$T/shut"
	echo old >"$T/shut/p.json"
	chmod 666 "$T/shut/p.json"
	chmod 755 "$T" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" 2>/dev/null || true
	cp "$M" "$T/moorectl"
	run --separate-stderr -2 setpriv --reuid 65534 --clear-groups "$T/moorectl" plan new slimfly q=5 -o "$T/shut/p.json"
	says "$T/shut/p.json: cannot write: Permission denied"
	[ "$(cat "$T/shut/p.json")" = old ]
	run --separate-stderr -2 setpriv --reuid 65534 --clear-groups "$T/moorectl" plan new slimfly q=5 -o "$T/shut/new"
	says "$T/shut/new: cannot write: Permission denied"
	only "$T/shut" p.json
}

@test "an answer of moored's place that would fill the memory is refused" {
	[[ $M != *-san/* ]] || skip "AddressSanitizer takes terabytes of address space"
	python3 - "$T/sock" <<-'PY' 3>&- &
	import socket, sys
	s = socket.socket(socket.AF_UNIX)
	s.bind(sys.argv[1])
	s.listen()
	c = s.accept()[0]
	c.recv(65536)
	try:
	    c.sendall(b'{"jsonrpc":"2.0","id":1,"result":[' + b'[],' * 20000000 + b'0]}\n')
	except OSError:
	    pass
	PY
	for i in {1..100}; do [ -S "$T/sock" ] && break; sleep 0.1; done
	run --separate-stderr -2 bash -c "ulimit -v 300000; timeout 60 $M --socket '$T/sock' status"
	says "an answer of more than 16777216 values"
}

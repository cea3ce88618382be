# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# misuse.bats - help, what is no verb or option, and files that cannot be written.
load lib

verbs() { $M --list | cut -f1; }

@test "every verb has help that names its arguments and options" {
	[ "$(verbs | wc -l)" -ge 15 ]
	while IFS=$'\t' read -r words opts; do
		run -0 $M $words --help
		[[ ${lines[0]} == "usage: moorectl $words"* ]]
		for o in $opts; do [[ $output == *"${o%=}"* ]]; done
		run -0 $M $words -h
	done < <($M --list)
	run -0 $M --help
	while read -r words; do [[ $output == *"$words"* ]]; done < <(verbs)
	# each heading once, with what a newcomer looks for there
	[ "$(grep -c '^[A-Z].*:$' <<<"$output")" = 5 ]
	[[ $output == *"Design a fabric:"*"  plan new"*"Cable it, "*":"*"  check"*"Routes: "*":"*"  verify"*"The fabric that runs, "*":"*"  status"*"Set up "*":"*"  doctor"* ]]
	run -0 $M plan --help
	[[ $output == *"plan import"* && $output != *"topo show"* ]]
	run -0 $M --version
	[[ $output =~ ^moorectl\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "every verb refuses an unknown option and a missing value" {
	while IFS=$'\t' read -r words opts; do
		run --separate-stderr -2 $M $words --frobnicate
		says "moorectl: $words: unknown option --frobnicate"
		says "try: moorectl $words --help"
		run --separate-stderr -2 $M $words -Z
		says "unknown option -Z"
		run --separate-stderr -2 $M $words --json=1
		says "takes no value"
		for o in $opts; do
			[[ $o == *= ]] || continue
			run --separate-stderr -2 $M $words "${o%=}"
			says "needs a value"
		done
	done < <($M --list)
}

@test "every verb refuses one argument too many, and too few" {
	while read -r words; do
		case $words in
		"topo show" | "plan new" | events) ;;
		*)
			run --separate-stderr -2 $M $words a b c
			says "one argument too many" ;;
		esac
		case $words in
		"topo list" | conf | doctor) ;;
		*)
			run --separate-stderr -2 $M $words
			[ -n "$stderr" ] ;;
		esac
	done < <(verbs)
}

@test "what is no verb: a near one" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M $args
		[ -z "$output" ]
		says "$part"
	done <<-'ROWS'
	|which verb? try: moorectl --help
	verfiy|did you mean moorectl verify?
	plan nwe|did you mean moorectl plan new?
	plan|which of them?
	xyzzy|xyzzy: no such verb
	--frob|no such verb
	plan new slimfly q=5 --ouput=x|did you mean --output?
	ROWS
}

@test "options may come before, after and between; -- ends them" {
	$M plan new -o "$T/a" slimfly q=5
	$M plan new slimfly -o"$T/b" q=5
	$M plan new slimfly q=5 --output="$T/c"
	cmp "$T/a" "$T/b"
	cmp "$T/a" "$T/c"
	cd "$T"
	cp a -- -odd
	run -0 $M plan check -- -odd
}

@test "a full disk is told, and the old file stays" {
	run --separate-stderr -2 bash -c "$M plan new slimfly q=5 >/dev/full"
	says "standard output: cannot write: No space left on device"
	run --separate-stderr -2 bash -c "$M topo list --json >/dev/full"
	says "No space left on device"
	run --separate-stderr -2 $M plan new slimfly q=5 -o /dev/full
	says "/dev/full: cannot write: No space left on device"
	[ -c /dev/full ]
	mkdir "$T/d"
	echo old >"$T/d/p.json"
	# a limit on file size fails as a disk does, in the middle of a write
	run --separate-stderr -2 bash -c "trap '' XFSZ; ulimit -f 4; $M plan new slimfly q=13 -o '$T/d/p.json'"
	says "$T/d/p.json: cannot write: File too large: nothing was changed"
	[ "$(cat "$T/d/p.json")" = old ]
	only "$T/d" p.json
}

@test "a small file system that fills up while tables are written" {
	mkdir "$T/m"
	q5 "$T/p.json"
	mount -t tmpfs -o size=256k tmpfs "$T/m" 2>/dev/null || skip "no right to mount"
	run --separate-stderr $M route "$T/p.json" -o "$T/m/t"
	left=$(ls -A "$T/m/t" || true)
	umount "$T/m"
	[ "$status" = 2 ]
	says "No space left on device: nothing was changed"
	[ -z "$left" ]
}

@test "-o into what is not there, onto a directory, without leave" {
	run --separate-stderr -2 $M plan new slimfly q=5 -o "$T/no/such/p.json"
	says "$T/no/such/p.json: cannot write: No such file or directory"
	run --separate-stderr -2 $M plan new slimfly q=5 -o "$T"
	says "is a directory: give the name of a file"
	q5 "$T/p.json"
	run --separate-stderr -2 $M route "$T/p.json" -o "$T/no/such/dir"
	says "make the directories above it"
	run --separate-stderr -2 $M route "$T/p.json" -o "$T/p.json"
	says "is no directory"
	run --separate-stderr -2 $M route "$T/p.json" -o -
	says "-o -: tables are several files: name a directory"
}

@test "a file keeps its permissions, and a link stays a link" {
	echo old >"$T/real"
	chmod 640 "$T/real"
	ln -s real "$T/link"
	$M plan new slimfly q=5 -o "$T/link"
	[ -L "$T/link" ]
	[ "$(stat -c %a "$T/real")" = 640 ]
	$M plan check "$T/real"
	(umask 027; $M plan new slimfly q=5 -o "$T/new")
	[ "$(stat -c %a "$T/new")" = 640 ]
	only "$T" link real new
}

@test "killed at any moment, no name holds half a file" {
	$M plan new slimfly q=11 -o "$T/p.json"
	$M route "$T/p.json" -o "$T/whole" >/dev/null
	for i in 1 2 3 4 5 6 7 8; do
		$M route "$T/p.json" -o "$T/d" >/dev/null &
		sleep "0.$((i * 5 + 1))"
		kill -$((i % 2 ? 9 : 15)) $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		[ -z "$(comm -13 <(ls -A "$T/whole") <(ls -A "$T/d" 2>/dev/null))" ]	# nor is a piece left
		for f in "$T/whole"/*; do
			f=${f##*/}
			[ ! -e "$T/d/$f" ] || cmp "$T/d/$f" "$T/whole/$f"
		done
	done
}

@test "a terminal sees colour unless NO_COLOR, and progress after a second" {
	q5 "$T/p.json"
	esc=$'\033'
	run -0 script -qec "$M plan check '$T/p.json'" /dev/null
	[[ $output == *"${esc}[32mvalid"* ]]
	NO_COLOR=1 run -0 script -qec "$M plan check '$T/p.json'" /dev/null
	[[ $output == *valid* && $output != *"$esc"* ]]
	run -0 script -qec "(sleep 1.5; cat '$T/p.json') | $M plan check -" /dev/null
	[[ $output == *"moorectl: checking the plan, 1 s"* ]]
	run -0 --separate-stderr bash -c "(sleep 1.5; cat '$T/p.json') | $M plan check -"
	[ -z "$stderr" ]
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# misuse.bats - help, words that are no verb or option, and files that cannot be written.
load lib

verbs() { $M --list | cut -f1; }

@test "every verb has help that names its arguments and options" {
	unset COLUMNS
	[ "$(verbs | wc -l)" -ge 15 ]
	while IFS=$'\t' read -r words opts _; do
		run -0 $M $words --help
		awk 'length > 80 { print FILENAME ": " $0; long = 1 } END { exit long }' <<<"$output"
		[[ ${lines[0]} == "usage: moorectl $words"* ]]
		for o in $opts; do [[ $output == *"${o%=}"* ]]; done
		run -0 $M $words -h
	done < <($M --list)
	run -0 $M --help
	awk 'length > 80 { print; long = 1 } END { exit long }' <<<"$output"
	while read -r words; do [[ $output == *"$words"* ]]; done < <(verbs)
	# Each heading occurs once, with the verbs that a newcomer expects there.
	[ "$(grep -c '^[A-Z].*:$' <<<"$output")" = 7 ]
	[[ $output == *"Design a fabric:"*"  plan new"*"Cable it, "*":"*"  check"*"Routes: "*":"*"  verify"*"Ethernet: "*":"*"  ethernet discover"*"The running fabric, "*":"*"  status"*"Set up "*":"*"  doctor"* ]]
	run -0 $M plan --help
	[[ $output == *"plan import"* && $output != *"topo show"* ]]
	run -0 $M --version
	[[ $output =~ ^moorectl\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "every verb refuses an unknown option and a missing value" {
	while IFS=$'\t' read -r words opts _; do
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
		"topo show" | "topo compare" | "plan new" | events | drain | accept) ;;
		*)
			run --separate-stderr -2 $M $words a b c d
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

@test "under --json a failure is an object in place of the answer, and the message stays" {
	echo '{' >"$T/bad.json"
	while IFS='|' read -r args file line part; do
		run --separate-stderr -2 $M $args --json
		holds ".ok == false and (.error | .file == $file and .line == $line)"
		jq -e --arg part "$part" '.error.text | contains($part)' <<<"$output"
		says "$part"
	done <<-ROWS
	verfiy|null|null|did you mean moorectl verify?
	verify --sl 77|null|null|not a list of SLs
	verify $T/none|null|null|no such directory
	plan show $T/bad.json|"$T/bad.json"|2|string or '}' expected
	topo show slimfly q=6|null|null|q=6
	status --socket $T/none|null|null|cannot reach moored
	ROWS
	run --separate-stderr -1 $M plan check "$T/bad.json" --json
	holds '.ok == false and .valid == false and .error.line == 2 and (.error.file | endswith("bad.json"))'
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
	plan|which of these?
	xyzzy|xyzzy: no such verb
	--frob|no such verb
	plan new slimfly q=5 --ouput=x|did you mean --output?
	ROWS
}

@test "what is no file of the kind that is wanted: why, and nothing is written" {
	cd "$T"
	q5 p.json
	$M plan place p.json -o placed.json >/dev/null
	$M route p.json -o t >/dev/null
	mkdir out none
	: >empty
	head -c 1000 p.json >cut
	head -c 100000 /dev/urandom >noise
	printf '%0200000d' 0 | tr 0 '[' >deep
	cp -r t cut.t && head -c 5000 t/opensm-lfts.dump >cut.t/opensm-lfts.dump
	cp -r t noise.t && cp noise noise.t/opensm-subnet.lst
	cp -r t dir.t && rm dir.t/opensm-lfts.dump && mkdir dir.t/opensm-lfts.dump
	# For every kind of bad file each verb prints one or two lines that name the file.
	for verb in "plan show" "plan export --to dot" "plan import --from ibsim" "plan import --from dot" \
		"plan import --from csv" "plan import --from opa" "plan import --from slurm" "plan place -o out/x" \
		"plan cables" "plan permute -o out/x" route "route p.json --conf" "quality" verify "check p.json" \
		"repair p.json" "change t" "plan steps p.json --max-cables 4" "path s0-0-0 s0-0-1 --tables" \
		"plan cables placed.json --catalogue" replay; do
		for f in cut noise deep none "" no/such; do
			run --separate-stderr -2 timeout 60 $M $verb "$f"
			[[ ${stderr_lines[0]} == "moorectl: "*"${f:-\"\"}"*": "* ]] || { echo "$verb $f: $stderr"; false; }
			[ ${#stderr_lines[@]} -le 2 ]
		done
	done
	for d in cut.t noise.t dir.t; do
		for verb in verify quality "change t" "path s0-0-0 s0-0-1 --tables" "table lft s0-0-0 --tables" \
			"env ucx --tables"; do
			run --separate-stderr -2 $M $verb $d
			says "moorectl: $d/opensm-"
		done
	done
	only out
	while IFS='|' read -r args part; do
		eval "run --separate-stderr -2 \$M $args"
		[[ $stderr == "moorectl: "*"$part"* ]] || { echo "$args: $stderr"; false; }
	done <<-'ROWS'
	''|which verb?
	plan show ''|"": cannot read: No such file
	plan check - </dev/zero|standard input: larger than 512 MiB
	plan show empty|the file is empty: a plan is
	check p.json empty|empty: switches: there is none: is the file empty, or cut off?
	plan import --from ibsim cut|cut: switches: there is none
	verify none/such|none/such: no such directory
	plan new slimflly q=5|slimflly: no such family (did you mean slimfly?): `moorectl topo list`
	env uc --lmc 1|or all (did you mean ucx?)
	plan cables placed.json --csv out/x --html out/x|out/x: is to be written twice: give each
	route p.json --fail ''|"": nothing in the fabric has that name
	route p.json -o ''|"": cannot make this directory
	route p.json --lmc ''|--lmc "": not a number from 0 to 7
	status --socket /|cannot reach moored at /: is no socket
	status --socket ''|cannot reach moored at "": is no socket
	status --socket p.json|cannot reach moored at p.json: is no socket
	ROWS
	only out
}

@test "a reader that leaves, closed descriptors, a home that cannot be written" {
	q5 "$T/p.json"
	for args in "topo list" "plan new slimfly q=25" "plan export --to csv $T/p.json" --help; do
		run -0 bash -c "$M $args 2>'$T/err' | head -n 1"
		[ ${#lines[@]} = 1 ]
		[ ! -s "$T/err" ]
		run --separate-stderr -2 bash -c "$M $args >&-"
		says "standard output: cannot write"
	done
	run --separate-stderr -2 bash -c "$M plan check - <&-"
	says "standard input: cannot read"
	# With standard streams closed, a file that is written never gets their descriptors.
	run -2 bash -c "$M plan new slimfly q=5 -o '$T/x' <&- >&- 2>&-"
	$M plan check "$T/x"
	HOME=/proc run -0 $M plan check "$T/p.json"
	run -0 env -i "$M" plan check "$T/p.json"
}

@test "two at once write whole files, the one or the other" {
	for i in 1 2 3; do
		$M plan new slimfly q=5 -o "$T/p" >/dev/null & a=$!
		$M plan new slimfly q=7 -o "$T/p" >/dev/null & b=$!
		wait $a
		wait $b
		$M plan check "$T/p"
		only "$T" p
	done
}

@test "tables of two runs never meet in one directory" {
	q5 "$T/p.json"
	mkdir "$T/d"
	exec 8<"$T/d"
	flock 8
	run --separate-stderr -2 $M route "$T/p.json" -o "$T/d"
	says "$T/d: another moorectl is writing tables there: wait until it has ended, or name another"
	only "$T/d"
	exec 8<&-
	for i in 1 2 3 4; do
		$M route "$T/p.json" --lmc 1 -o "$T/d" >/dev/null 2>&1 & a=$!
		$M route "$T/p.json" --lmc 1 --profile sl-hint -o "$T/d" >/dev/null 2>&1 & b=$!
		wait $a && first=1 || first=0
		wait $b && second=1 || second=0
		[ $first$second != 00 ]
		if [ -e "$T/d/moore-path-sl.dump" ]; then
			$M verify "$T/d" --sl hint
		else
			$M verify "$T/d"
		fi
	done
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
	# A limit on the file size fails like a full disk, in the middle of a write.
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
		[ -z "$(comm -13 <(ls -A "$T/whole") <(ls -A "$T/d" 2>/dev/null))" ]	# no partial file is left
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
	# Every verb that reads tables tells so, and the time goes on in the next stage.
	$M route "$T/p.json" -o "$T/d" >/dev/null
	mv "$T/d/moore-op-vls.dump" "$T/vls"
	mkfifo "$T/d/moore-op-vls.dump"
	for verb in "path s0-0-0-h0 s1-2-2-h1 --tables" "table lft s0-0-0 --tables" "find s0-0-0" "env ucx --tables" quality; do
		(sleep 1.5; cat "$T/vls" >"$T/d/moore-op-vls.dump") 3>&- &
		run -0 script -qec "$M $verb '$T/d'" /dev/null
		wait $!
		[[ $output == *"moorectl: reading the tables, 1 s"* ]] || { echo "$verb: $output"; false; }
	done
}

@test "the benchmark of a cut refuses a fabric that does not exist" {
	local MOORE_BUILD=${M%/*}
	export MOORE_BUILD TMPDIR=$T
	for words in --help nonesuch 'slimfly q=6'; do
		run --separate-stderr -2 "$ROOT"/tests/bench/cut $words
		says 'usage: cut [FAMILY KEY=VALUE...]'
	done
	[ -z "$(ls -d "$T"/moore-cut.* 2>/dev/null)" ]
}

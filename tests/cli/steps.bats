# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# steps.bats - from one set of tables to the next in steps: route --from, change --steps.
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	q5 slimfly.json
	$M plan new oft k=4 -o oft.json >/dev/null
	$M plan new mlfm h=4 -o mlfm.json >/dev/null
	$M route slimfly.json -o whole >/dev/null
	$M route slimfly.json --fail s0-0-0:7 --from whole -o link >/dev/null
}

setup() { cd "$BATS_FILE_TMPDIR"; }

# walk FROM DIR: the steps in DIR lead from FROM to DIR, each safe all at once; the last has
# the files of DIR.
walk() {
	local before=$1 dir=$2 n k f
	n=$(ls -d "$dir"/step-* | wc -l)
	[ "$n" -ge 1 ]
	for k in $(seq "$n"); do
		$M change "$before" "$dir/step-$k" >"$T/out" || { cat "$T/out"; return 1; }
		before=$dir/step-$k
	done
	for f in "$dir"/*; do
		[ -d "$f" ] || cmp "$f" "$before/${f##*/}"
	done
	[ "$(ls "$before" | wc -l)" = "$(ls -p "$dir" | grep -vc /)" ]
}

# The first link between switches of a plan, as NAME:PORT.
a_link() { jq -r '.cables[0].a | "\(.switch):\(.port)"' "$1"; }

@test "a cut and its repair, by directories: every step is safe and nothing is interrupted" {
	for family in slimfly oft mlfm; do
		for lmc in 0 1 2; do
			d=$T/$family-$lmc
			$M route $family.json --lmc $lmc -o "$d" >/dev/null
			run -0 $M route $family.json --lmc $lmc --fail "$(a_link $family.json)" --from "$d" -o "$d-cut" --json
			holds '.ok and .sound and .steps.ok and .steps.dead > 0 and .steps.why == null'
			holds '.steps.dead == .steps.list[-1].back and all(.steps.list[]; .safe and .safe_together and .interrupted == 0)'
			[ "$(jq '.steps.list | length' <<<"$output")" = "$(ls -d "$d-cut"/step-* | wc -l)" ]
			walk "$d" "$d-cut"
			$M route $family.json --lmc $lmc --from "$d-cut" -o "$d-again" --json >"$T/json" || true
			jq -e '.steps | .dead == 0 and all(.list[]; .safe and .safe_together)' "$T/json"
			walk "$d-cut" "$d-again"
			diff -r -x 'step-*' "$d-again" "$d"
		done
	done
}

# load_steps: the loop of without-plugin.md in this directory, without OpenSM.
load_steps() {
	eval "$(sed -n '/^for step in/,/^done/p' "$ROOT/docs/without-plugin.md" | sed "/kill/d; s|/etc/opensm|$PWD|g")"
	diff -r -x 'step-*' tables new
}

@test "the loop of without-plugin.md: more than nine steps, and a switch that comes back" {
	ring 30 ring.json
	mkdir "$T/doc" && cd "$T/doc"
	remake() { $M route "$BATS_FILE_TMPDIR/ring.json" --profile one-vl --lmc 1 "$@" >"$T/out"; }
	remake -o tables
	remake --fail r0:2 --fail r5 --fail r9:2 --fail r20:2 --from tables -o new
	load_steps
	remake --from tables -o new
	[ -d new/step-10 ]
	load_steps
}

@test "rows, blocks and pairs are those of the dumps" {
	run -0 $M change whole link --steps --json
	holds '.ok and .safe == false and .loop_lids > 0'
	rows=$(diff whole/opensm-lfts.dump link/step-1/opensm-lfts.dump | grep -c '^[<>] 0x')
	none=$(diff whole/opensm-lfts.dump link/step-1/opensm-lfts.dump | grep -c '^< 0x')
	# A row that becomes no-path has no line any more.
	holds ".steps.list[0].rows == $none and .steps.list[0].rows * 2 - .steps.list[0].no_path == $rows"
	holds '.steps.dead == 130 and .steps.list[-1].back == 130 and .steps.list[0].blocks <= .churn.changed.blocks'
	run -0 $M change whole link --steps
	[[ $output == *"all at once    not safe"*"steps          2; "*"130 dead pairs are back, 0 live pairs interrupted, safe"* ]]
	[[ $output == *"safe: no mixture of a step with the one before"* && $output != *$'\033'* ]]
	run -0 $M change whole whole --steps --json
	holds '.ok and .steps == {ok: true, start_safe: true, dead: 0, why: null, list: []}'
	run -0 $M change whole whole --steps
	[[ $output == *"so none has to wait"* ]]
}

@test "switches and endpoints may be missing on either side" {
	run -0 $M route slimfly.json --fail s0-0-0 --fail s0-0-1-h0 --from whole -o less --json
	holds '.ok and .missing_switches == 1'
	walk whole less
	run $M route slimfly.json --from less -o more --json
	[ "$status" -le 1 ]
	holds 'all(.steps.list[]; .safe)'
	walk less more
	diff -r -x 'step-*' more whole
}

@test "sl-hint: sources may still use the SLs of old path records, and that is judged" {
	$M route slimfly.json --profile sl-hint --lmc 1 -o hint >/dev/null
	# The lanes of old SLs on new rows can form cycles: no steps mend that.
	run -1 $M route slimfly.json --profile sl-hint --lmc 1 --fail s0-0-0:7 --from hint -o hint-cut --json
	holds '.sound and .ok == false and .steps.ok == false and (.steps.why | test("could wait for each other"))'
	last=$(ls -d hint-cut/step-* | tail -n 1)
	for f in hint-cut/*.*; do cmp "$f" "$last/${f##*/}"; done
	run -1 $M change hint hint-cut --steps --json
	holds '.steps.ok == false'
	cp -r hint gap
	sed -i '0,/^0x0007/{/^0x0007/d}' gap/moore-path-sl.dump
	run --separate-stderr -2 $M change gap hint-cut --steps
	says "gap: moore-path-sl.dump has no line for 1 pair, so"
}

@test "old multicast trees count, too" {
	cp -r whole trees
	# In this old tree each switch sends out of all of its ports, so packets circulate.
	awk '/^Unicast/ { printf "\nSwitch %s\nLID    : Out Port(s)\n0xC000 : 0x005  0x006  0x007  0x008  0x009  0x00A  0x00B \n", $(NF - 1) }' \
		whole/opensm-lfts.dump >trees/opensm.mcfdbs
	run -1 $M change trees link --steps --json
	holds '.steps.ok == false and .steps.start_safe == false and .steps.why != null'
}

@test "tables that can deadlock already: each step waits, and the exit code says so" {
	ring 5 ring.json
	$M route ring.json -o ring >/dev/null
	clockwise ring clockwise
	run -1 $M change clockwise ring --steps --json
	holds '.ok == false and .steps.ok == false and .steps.start_safe == false and (.steps.why | test("^step 1: "))'
	run -1 $M change clockwise ring --steps
	[[ $output == *"NOT safe: the old tables can loop or deadlock already"* ]]
	run -1 $M route ring.json --from clockwise -o out
	[ -e out/step-1/opensm-lfts.dump ]
}

@test "LIDs that have passed to others are refused, with the GUID and what to do" {
	$M route slimfly.json --lmc 2 -o wide >/dev/null
	for verb in "change whole wide --steps" "route slimfly.json --lmc 2 --from whole -o $T/none"; do
		run --separate-stderr -2 $M $verb
		says "moorectl: whole: GUID 0x0000000000100001 (s0-0-0-h0) has LID 51 there and LIDs 52 to 55 in the new tables"
		says "--lmc, of the tables in force"
	done
	[ ! -e "$T/none" ]
	# An endpoint was replaced and its LID given to the new one.
	cp -r link other
	sed -i 's/0x0*100001/0x0000000000abcdef/g' other/*.dump
	sed -i 's/0*100001/0000000000abcdef/g' other/opensm-subnet.lst
	run --separate-stderr -2 $M change whole other --steps
	says "whole: LID 51 is that of GUID 0x0000000000100001 there and of GUID 0x0000000000abcdef in the new tables"
	# Without --steps, LIDs correspond by number, as ever.
	run $M change whole wide --json
	[ "$status" -le 1 ]
	holds 'has("steps") | not'
}

@test "a switch without rows is refused: what it holds is not known" {
	for cut in 'n == 5' 'n > 11' 'n > 0'; do
		rm -rf gap
		cp -r whole gap
		awk "/^Unicast/ { n++ } !($cut)" whole/opensm-lfts.dump >gap/opensm-lfts.dump
		for verb in "change gap link --steps" "route slimfly.json --fail s0-0-0:7 --from gap -o $T/none"; do
			run --separate-stderr -2 $M $verb
			says "gap: opensm-lfts.dump has no row of switch 0x00000000002000"
			says "what it holds is not known: copy the file whole"
		done
		[ ! -e "$T/none" ]
		run --separate-stderr -2 $M change whole gap --steps
		says "the new tables: opensm-lfts.dump has no row of switch 0x00000000002000"
	done
}

@test "misuse, directories that exist, steps of an earlier run" {
	run --separate-stderr -2 $M route slimfly.json --from whole
	says "--from whole: the steps are written below the directory of -o"
	run --separate-stderr -2 $M route slimfly.json --from nowhere -o "$T/none"
	says "nowhere: no such directory"
	[ ! -e "$T/none" ]
	cp -r link again
	mkdir again/step-3
	cp link/step-1/* again/step-3
	run -0 $M route slimfly.json --fail s0-0-0:7 --from whole -o again
	diff -r link again
	# Nothing to change: no steps.
	run -0 $M route slimfly.json --fail s0-0-0:7 --from link -o again
	[ ! -e again/step-1 ]
	mkdir "$T/file"
	: >"$T/file/step-2"
	run --separate-stderr -2 $M route slimfly.json --fail s0-0-0:7 --from whole -o "$T/file"
	says "$T/file/step-2: is no directory"
	only "$T/file" step-2
}

@test "a file that cannot be written leaves no step" {
	mkdir -p "$T/d/step-2/opensm.fdbs"
	run --separate-stderr -2 $M route slimfly.json --fail s0-0-0:7 --from whole -o "$T/d"
	says "$T/d/step-2/opensm.fdbs: is a directory"
	only "$T/d" step-2
	only "$T/d/step-2" opensm.fdbs
	(ulimit -f 100; trap '' XFSZ; run --separate-stderr -2 $M route slimfly.json --fail s0-0-0:7 --from whole -o "$T/full"
		says "cannot write: File too large: nothing was changed")
	only "$T/full"
}

@test "route -o says how many files it wrote, and how large they are" {
	for from in "" "--from whole"; do
		run -0 $M route slimfly.json --fail s0-0-0:7 -o "$T/new" $from
		files=$(find "$T/new" -type f | wc -l) bytes=$(find "$T/new" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
		[[ $output == *"tables         in $T/new: $files files, "* ]] || { echo "$files: $output"; false; }
		# Two digits or more of the size, in units of 1000.
		shown=$(sed -n 's/^tables .* files, \([0-9.]* .B\)$/\1/p' <<<"$output")
		awk -v b="$bytes" -v s="$shown" 'BEGIN { split(s, p, " "); u["kB"] = 1e3; u["MB"] = 1e6
			x = p[1] * u[p[2]]; exit !(x > 0.9 * b && x < 1.1 * b) }' || { echo "$bytes: $output"; false; }
	done
}

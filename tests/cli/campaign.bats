#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# campaign.bats - many simulations from one file: the same table however they were interrupted and shared out.
load lib

setup() { cd "$T"; }

# small FILE [KEY:VALUE...]: 24 points of a few milliseconds, with these keys of JSON besides or instead.
small() {
	local file=$1
	shift
	jq -n '{ moore_campaign: 1, topology: ["slimfly q=3 p=2", "hypercube n=3"], routing: ["min", "ugal"],
		pattern: ["uniform", "shift"], lmc: 1, length: 64, load: [0.1, 0.5, 0.9] }' >base
	printf '%s\n' "$@" | jq -s --slurpfile base base '$base[0] * (add // {})' >"$file"
}

@test "campaign: each row is what simulate prints of that point" {
	$M plan new slimfly q=3 p=2 -o q3.json
	small c.json '{ "topology": ["hypercube n=3", "q3.json"], "seed": [7, 8] }'
	run -0 $M campaign run c.json --json
	holds '.points == 48 and .done == 48 and .ran == 48 and .results == "c.results/results.csv"'
	[ "$(wc -l <c.results/results.csv)" = 49 ]
	[ "$(wc -l <c.results/times.csv)" = 49 ]
	$M simulate q3.json --routing min,ugal --pattern uniform,shift --lmc 1 --length 64 --load 0.1,0.5,0.9 --seed 8 --json |
		jq -r '.rows[] | [.routing, .pattern, .placement, .load, .seed, .packets, .dropped] | join(",")' >wanted
	awk -F, '$1 == "q3.json" && $6 == 8 { print $2 "," $3 "," $4 "," $5 "," $6 "," $17 "," $19 }' \
		c.results/results.csv | diff - wanted
	awk -F, 'NR > 1 && $8 > $7 + 0.1 { print; bad = 1 } END { exit bad }' c.results/results.csv
}

@test "campaign: exchanges have their completion time" {
	$M plan new slimfly q=3 p=2 -o q3.json
	echo '{ "moore_campaign": 1, "topology": "q3.json", "routing": ["min", "inr"], "lmc": 1,
		"exchange": ["ring", "tree"], "seed": 3 }' >x.json
	$M campaign run x.json
	$M simulate q3.json --routing min,inr --lmc 1 --exchange ring,tree --seed 3 --json |
		jq -r '.rows[] | [.routing, .pattern, (.completion_ns | round), .packets] | join(",")' >wanted
	awk -F, 'NR > 1 { printf "%s,%s,%.0f,%s\n", $2, $3, $15, $17 }' x.results/results.csv | diff - wanted
}

@test "campaign: a second run only merges, for any number of jobs and any chunk the table is the same" {
	small c.json
	$M campaign run c.json --jobs 1
	cp c.results/results.csv wanted
	rm c.results/results.csv
	run -0 $M campaign run c.json --json
	holds '.ran == 0 and .done == 24'
	cmp c.results/results.csv wanted
	for jobs in 2 7; do
		$M campaign run c.json --jobs $jobs -o jobs$jobs
		cmp jobs$jobs/results.csv wanted
	done
	for chunk in 1 5 100; do
		small c.json "{ \"chunk\": $chunk }"
		$M campaign run c.json -o chunk$chunk
		cmp chunk$chunk/results.csv wanted
	done
	[ "$(ls chunk1/chunk-* | wc -l)" = 24 ]
	[ "$(ls chunk100/chunk-* | wc -l)" = 2 ]
}

@test "campaign: chunks that run one by one in any order make the same table" {
	small c.json '{ "chunk": 5 }'
	$M campaign run c.json -o whole
	run -0 $M campaign slurm c.json --json
	holds '.chunks == 6 and .done == 0 and (.script | contains("--array=0-5\n"))'
	for i in 5 0 3 1 4; do
		run -0 $M campaign run c.json --chunk $i --json
		holds '.points == .done and .ran == .done and .results == null'
	done
	[ ! -e c.results/results.csv ]
	run -0 $M campaign run c.json --json
	holds '.ran == 2 and .done == 24'
	cmp c.results/results.csv whole/results.csv
	run -2 $M campaign run c.json --chunk 6
	[[ $output == *"--chunk 6: not a number from 0 to 5"* ]]
}

@test "campaign: the script runs its task" {
	mkdir "it's 100%"
	small "it's 100%/c.json" '{ "chunk": 12 }'
	run -0 $M campaign slurm "it's 100%/c.json"
	echo "$output" >script
	grep -Fq "#SBATCH --output=\"$PWD/it's 100%%/c.results/slurm-%a.out\"" script
	for i in 0 1; do SLURM_ARRAY_TASK_ID=$i sh script; done
	run -0 $M campaign run "it's 100%/c.json" --json
	holds '.ran == 0 and .done == 24'
}

# Runs are killed at random moments, some of them alone, some with another beside them.
@test "campaign: a run of 1,008 points that is killed ten times makes the same table, and each point once" {
	seed=${MOORE_SEED:-$RANDOM}
	echo "MOORE_SEED=$seed"
	RANDOM=$seed
	small c.json "{ \"length\": 100, \"seed\": $(jq -nc '[range(42)]') }"
	$M campaign run c.json -o whole
	for i in $(seq 10); do
		$M campaign run c.json --jobs $((1 + i % 3)) & first=$!
		second=
		[ $((i % 3)) -ne 0 ] || { $M campaign run c.json & second=$!; }
		sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
		kill -9 $first $second || :
		wait $first $second || :
		cat c.results/chunk-* 2>/dev/null | awk 'NF > 3 { print $1 }' | wc -l
	done
	ls c.results/results.csv* 2>/dev/null && echo "ended before the last kill"
	run -0 $M campaign run c.json --json
	holds '.done == 1008'
	cmp c.results/results.csv whole/results.csv
	[ -z "$(cut -d' ' -f1 c.results/chunk-* | sort | uniq -d)" ]
	only c.results begun results.csv times.csv $(seq -f 'chunk-%.0f' 0 63)
}

@test "campaign: two runs at once share the points" {
	small c.json '{ "length": 1000, "seed": [1, 2, 3, 4] }'
	$M campaign run c.json -o whole
	$M campaign run c.json --json --jobs 1 >one & one=$!
	$M campaign run c.json --json --jobs 1 >two & two=$!
	wait $one
	wait $two
	[ "$(jq -s 'map(.ran) | add' one two)" = 96 ]
	[ "$(jq -s 'map(.done == 96) | all' one two)" = true ]
	cmp c.results/results.csv whole/results.csv
}

@test "campaign: a damaged line is named and removed, and its point runs again" {
	small c.json
	$M campaign run c.json
	cp c.results/results.csv wanted
	small d.json '{ "seed": 2 }'
	$M campaign run d.json
	while IFS='|' read -r ran said break; do
		chunk=c.results/chunk-0
		echo "$ran $said: $break"
		eval "$break"
		run --separate-stderr -0 $M campaign run c.json --json
		holds ".ran == $ran and .done == 24"
		says "moorectl: c.results/chunk-$said"
		[ "$(wc -l <<<"$stderr")" = 1 ]
		cmp c.results/results.csv wanted
		[ "$(cat c.results/chunk-* | wc -l)" = 24 ]
		run --separate-stderr -0 $M campaign run c.json
		[ -z "$stderr" ]
	done <<-'ROWS'
	1|0:12: has no end, since a process was killed|truncate -s -7 $chunk
	1|0:12: has no end|truncate -s -1 $chunk
	1|0:4: is damaged, since its checksum is wrong: the line is removed, and its point runs again|sed -i '4s/,\([0-9]*\),0,0 /,\19,0,0 /' $chunk
	1|0:7: is damaged|sed -i '7s/[^ ]*$/0123456789abcdef/' $chunk
	2|0:5: is damaged|sed -i '5{N;s/....\n....//}' $chunk
	1|0:3: is damaged|sed -i '3d' $chunk && sed -i "3{h;s/.*/$(sed -n 3p d.results/chunk-0)/p;x}" $chunk
	3|0:2: is damaged, since its checksum is wrong: 3 such lines are removed, and their points run|sed -i '2s/,/;/;6s/,/;/;9s/^/9/' $chunk
	12|0:1: is damaged|printf 'x%.0s' {1..5000} >$chunk && printf '\n\0\n' >>$chunk
	1|1:12: is damaged|sed -i '$d' c.results/chunk-1 && echo nonsense >>c.results/chunk-1
	ROWS
	head -c 20 c.results/begun >part
	cp part c.results/begun		# as a process that was killed while it began leaves it
	run -0 $M campaign run c.json --json
	holds '.ran == 0'
}

@test "campaign: a file, or a plan of it, that has changed is refused" {
	$M plan new slimfly q=3 p=2 -o q3.json
	small c.json '{ "topology": "q3.json" }'
	$M campaign run c.json
	cp c.results/results.csv wanted
	small c.json '{ "topology": "q3.json", "length": 65 }'
	run --separate-stderr -2 $M campaign run c.json
	says "c.json: has changed, or a plan that it names, or moore itself, since c.results was begun: restore it"
	small c.json '{ "topology": "q3.json" }'
	$M campaign run c.json
	$M plan new slimfly q=3 p=3 -o q3.json
	run --separate-stderr -2 $M campaign slurm c.json
	says "since c.results was begun"
	cmp c.results/results.csv wanted
}

@test "campaign: a full disk is an error that loses nothing" {
	unshare -rm true 2>/dev/null || skip "no mount namespaces"
	small c.json '{ "seed": [1, 2, 3, 4, 5, 6, 7, 8] }'
	$M campaign run c.json
	cp c.results/results.csv wanted
	mkdir disk
	run -0 unshare -rm bash -euc '
		mount -t tmpfs -o size=32k none disk
		rc=0
		'"$M"' campaign run c.json -o disk/r 2>error || rc=$?
		[ $rc = 2 ]
		cat disk/r/chunk-* | wc -l >kept
		mount -o remount,size=10m none disk
		'"$M"' campaign run c.json -o disk/r --json >answer
		cp disk/r/results.csv got'
	grep -q 'disk/r.*cannot write: No space left on device: free space' error
	[ "$(cat kept)" -gt 10 ]
	[ "$(jq .ran answer)" -le $((192 - $(cat kept))) ]
	cmp got wanted
}

@test "campaign: progress and time left on a terminal" {
	small c.json '{ "topology": "slimfly q=5", "length": 6000, "load": [0.9], "chunk": 1, "seed": [1, 2, 3, 4, 5, 6] }'
	run -0 script -qec "$M campaign run c.json --jobs 1" /dev/null
	[[ $output =~ "moorectl: simulating, "[0-9]+" s, "[0-9]+" %, "[0-9]+" s left" ]]
}

@test "campaign: faults of the file" {
	while IFS='|' read -r line text; do
		printf '%b' "$text" >bad.json
		run --separate-stderr -2 $M campaign run bad.json
		[ -z "$output" ]
		says "moorectl: bad.json:$line"
	done <<-'ROWS'
	1: moore_campaign: is not 1: begin the file with|{ "topology": "oft k=3" }
	1: topology: is missing: give for instance|{ "moore_campaign": 1 }
	3: '}' expected near end of file: a campaign file is a JSON object|{ "moore_campaign": 1,\n"load": 1\n
	2: duplicate object key|{ "moore_campaign": 1,\n"moore_campaign": 1 }
	2: rooting: unknown key: did you mean routing? keys are moore_campaign, topology, chunk, routing|{ "moore_campaign": 1, "topology": "oft k=3",\n"rooting": "min" }
	3: routing ecmp: give one or several of min, valiant|{ "moore_campaign": 1, "topology": "oft k=3",\n\n"routing": ["min", "ecmp"] }
	2: load: not a string or a number|{ "moore_campaign": 1, "topology": "oft k=3",\n"load": { "from": 0 } }
	3: load: not a string or a number|{ "moore_campaign": 1, "topology": "oft k=3", "load": [0.1,\n0.2,\nnull] }
	2: load 0.1,1.5: give numbers from 0.001 to 1|{ "moore_campaign": 1, "topology": "oft k=3",\n"load": [0.1, 1.5] }
	2: load: give 1 to 100 values|{ "moore_campaign": 1, "topology": "oft k=3",\n"load": [] }
	2: packet 1: not a number from 16|{ "moore_campaign": 1, "topology": "oft k=3",\n"packet": 1 }
	2: packet: is a list: give one value|{ "moore_campaign": 1, "topology": "oft k=3",\n"packet": [256] }
	3: seed -1: not a number from 0|{ "moore_campaign": 1, "topology": "oft k=3", "seed": [4,\n5,\n-1] }
	2: topology: slimflie: no such family|{ "moore_campaign": 1, "topology": [\n"slimflie q=5"] }
	3: topology: slimfly: q=6|{ "moore_campaign": 1, "topology": ["oft k=3",\n\n"slimfly q=6"] }
	2: topology: is empty|{ "moore_campaign": 1, "topology": [\n" "] }
	2: chunk: not a number of points from 1|{ "moore_campaign": 1, "topology": "oft k=3",\n"chunk": 0 }
	2: processes: 99 processes do not fit on|{ "moore_campaign": 1, "topology": "oft k=3",\n"processes": 99 }
	2: placement: |{ "moore_campaign": 1, "topology": "oft k=3",\n"placement": "RDC" }
	2: profile: |{ "moore_campaign": 1, "topology": "oft k=3",\n"profile": "two" }
	ROWS
}

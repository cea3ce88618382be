#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# predict.bats - the load that jobs put on links, before and after failures.
load lib

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	$M plan new slimfly q=5 -o q5.json
	$M plan new torus a=4 -o ring.json
	$M plan place q5.json -o placed.json
}

setup() { cd "$BATS_FILE_TMPDIR"; }

# Uniform traffic on shortest paths of a Slim Fly q=5 is even: each of 150 nodes sends 1 over 1.857
# links in the mean (of pairs in other switches), and there are 350 directed links.
@test "predict: uniform traffic of a Slim Fly is even" {
	run -0 $M predict q5.json --routing SD --json
	holds '.switches == 50 and .nodes == 150 and .processes == 150 and (.rows | length) == 1'
	holds '.rows[0] | .routing == "SD" and .pattern == "uniform" and .placement == "linear" and .programmable == false'
	holds '.rows[0] | (.min - .max | fabs) < 1e-9 and (.max - 150 * 147 / 149 * 13 / 7 / 350 | fabs) < 1e-6'
	holds '.rows[0] | .saturation == 1 and .lost == 0 and .sampled == null'
}

@test "predict: every routing, pattern and placement, as text, JSON and box plots" {
	run -0 $M predict placed.json --routing SD,SI,AD,AI,AH,tables --processes 60 --lmc 1 --svg box.svg \
		--pattern permutation,shift,stencil2,stencil3,stencil4,many,spread,mesh --placement RDN,RDR,RDC,RDG,RRN,RRR --json
	holds '.rows | length == 6 * 8 * 6 and all(.min <= .q1 and .q1 <= .median and .median <= .q3 and .q3 <= .max)'
	holds '.rows | all(.lost == 0 and .saturation > 0 and .saturation <= 1)'
	holds '[.rows[] | select(.programmable) | .routing] | unique == ["tables"]'
	# Detours double the mean; by adaptive detours the fullest link is no fuller than by static ones.
	holds '[.rows[] | select(.routing == "SI") | .mean] as $si | [.rows[] | select(.routing == "SD") | .mean] as $sd |
		[range($si | length)] | all($si[.] > 1.3 * $sd[.])'
	holds '[.rows[] | select(.routing == "SI") | .max] as $si | [.rows[] | select(.routing == "AI") | .max] as $ai |
		($ai | add) < ($si | add)'
	python3 -c "import sys, xml.dom.minidom as m; m.parse('box.svg')"
	[ "$(grep -c '<circle' box.svg)" -eq 288 ]
	run -0 $M predict q5.json --pattern shift
	! grep -q '.\{81\}' <<<"$output"
	grep -Eq '^tables  shift       linear    no ' <<<"$output"
}

@test "predict, simulate: all-to-all is uniform, and the worst pattern is that of quality" {
	run -0 $M predict q5.json --routing SD,tables,AH --pattern uniform,alltoall --json
	holds '[.rows[].pattern] | unique == ["alltoall", "uniform"]'
	holds '[.rows[] | del(.pattern)] | .[:3] == .[3:]'
	# At LMC 0 all shares are on the only route, so the loads are those that quality finds.
	run -0 $M quality q5.json --pattern worst --json
	worst=$(jq '.worst.throughput' <<<"$output")
	run -0 $M predict q5.json --pattern overlap,yebenes,worst --routing tables,SD --json
	holds "[.rows[] | select(.routing == \"tables\") | .saturation] | min == .[2] and (.[2] - $worst | fabs) < 1e-6"
	run -0 $M simulate q5.json --pattern worst,alltoall --load 0.9 --length 2000 --json
	holds "(.rows[0] | .pattern == \"worst\" and .accepted > $worst - 0.001 and .accepted < 0.25) and .rows[1].pattern == \"alltoall\""
	run -0 $M predict q5.json --routing SD --job alltoall:50:RDN --job mesh:60:linear --json
	holds '.rows[0] | .lost == 0 and .max > 0'
	run -0 $M whatif q5.json --fail "$(jq -r '.switches[0].name' q5.json):10" --pattern worst --json
	holds '[.rows[].cut] == [false, true] and (.rows | all(.lost == 0))'
}

@test "predict: the same options give the same answer, another seed another" {
	for s in 1 2; do
		$M predict q5.json --routing AH --pattern spread --placement RDN --seed $s --json >"seed$s"
	done
	$M predict q5.json --routing AH --pattern spread --placement RDN --seed 1 --json | cmp - seed1
	! cmp -s seed1 seed2
}

@test "predict: a matrix from a file" {
	printf '%s %s 5\n' "$(jq -r '.endpoints[0].name' ring.json)" "$(jq -r '.endpoints[2].name' ring.json)" >m
	run -0 $M predict ring.json --routing SD --matrix m --json
	holds '.rows[0] | .pattern == "m" and .max == 0.5 and (.mean - 0.25 | fabs) < 1e-9'
}

@test "predict: the load of each link, as CSV" {
	run -0 $M predict q5.json --routing SD,AD --pattern shift --loads loads --json
	[ "$(wc -l <loads)" -eq 701 ]
	[ "$(head -1 loads)" = routing,pattern,placement,cut,switch,port,peer,peer_port,load ]
	for k in 0 1; do
		r=$(jq -r ".rows[$k].routing" <<<"$output")
		most=$(awk -F, -v r=$r '$1 == r && $9 > m { m = $9 } END { print m }' loads)
		holds ".rows[$k].max - $most | fabs < 1e-5"
	done
	# A comma in a name does not divide it.
	sed "s/\"$(jq -r '.switches[0].name' ring.json)\"/\"r,0\"/" ring.json >comma.json
	run -0 $M predict comma.json --routing SD --pattern shift --loads loads
	[ "$(grep -c '^SD,shift,linear,no,"r,0",[0-9]*,' loads)" -eq 2 ]
}

@test "predict: jobs that run together" {
	run -0 $M predict q5.json --routing SD,AH --job stencil3:64:RDR --job spread:60:RDN:0.5 --json
	holds '.processes == 124 and (.rows | length == 2 and all(.pattern == "jobs" and .placement == "mixed" and .lost == 0))'
	mean=$(jq '.rows[0].mean' <<<"$output")
	# Loads add up: a job alone that sends as much leaves less.
	run -0 $M predict q5.json --routing SD --job stencil3:64:RDR --json
	holds ".rows[0].mean < $mean and .processes == 64"
	# Other options before the jobs do not change where they run.
	alone=$output
	run -0 $M predict q5.json --routing SD --lmc 0 --loads loads --json --job stencil3:64:RDR
	[ "$output" = "$alone" ]
	# A routing for each job: the same one for both is that of all.
	run -0 $M predict q5.json --routing own --job stencil3:64:RDR:AH --job spread:60:RDN:0.5:AH --json
	holds '.rows[0].routing == "own"'
	own=$(jq '.rows[0].max' <<<"$output")
	run -0 $M predict q5.json --routing AH --job stencil3:64:RDR --job spread:60:RDN:0.5 --json
	holds ".rows[0].max == $own"
	name=$(jq -r '.switches[0].name' q5.json)
	run -0 $M whatif q5.json --fail "$name:10" --routing SD --job stencil3:64:RDR --job mesh:60:linear --json
	holds '[.rows[].cut] == [false, true] and (.rows | all(.lost == 0))'
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M predict q5.json $args
		says "$part"
	done <<-'ROWS'
	--job stencil3|give PATTERN:PROCESSES:PLACEMENT
	--job waves:9:RDN|give PATTERN:PROCESSES:PLACEMENT
	--job mesh:9:RDN:x|give PATTERN:PROCESSES:PLACEMENT
	--job mesh:9:RDN:2:3|give PATTERN:PROCESSES:PLACEMENT
	--job uniform:9:RDN|not mixed
	--job mesh:9:RDN:AH|it names a routing, which --routing own uses
	--routing own --job mesh:9:RDN|names none
	--routing own --job mesh:9:RDN:SD|give PATTERN:PROCESSES:PLACEMENT
	--routing own,AH --job mesh:9:RDN:AD|it stands alone
	--routing own|it stands alone
	--job worst:9:RDN|the pattern is one of all nodes
	--job mesh:100:RDN --job mesh:51:RDN|--job mesh:51:RDN: 51 nodes are needed, but 50 are free
	--job mesh:9:RDC|`moorectl plan place` puts them into cabinets
	--job mesh:151:RDN|--job mesh:151:RDN: 151 nodes are needed, but the fabric has 150
	--job mesh:4294967298:RDN|give PATTERN:PROCESSES:PLACEMENT
	--job mesh:-4294967294:RDN|give PATTERN:PROCESSES:PLACEMENT
	--job mesh:9:RDN --pattern mesh|leave those
	ROWS
}

@test "whatif: before and after a cut" {
	run -0 $M whatif ring.json --fail "$(jq -r '.switches[0].name' ring.json):$(jq '.cables[0].a.port' ring.json)" \
		--routing SD,tables --pattern shift --json
	holds '[.rows[] | [.routing, .cut]] == [["SD", false], ["tables", false], ["SD", true], ["tables", true]]'
	holds '.rows[2].max > .rows[0].max and (.rows | all(.lost == 0))'
	run --separate-stderr -2 $M whatif ring.json --fail "$(jq -r '.switches[0].name' ring.json)" --routing SD
	says "a process of the job runs on a node that fails"
	run --separate-stderr -2 $M whatif ring.json
	says "--fail NAME[:PORT] is missing"
}

@test "place-job: the nodes that it names have the loads that it prints, and beat random ones" {
	run -0 $M place-job q5.json --processes 64 --pattern stencil3 --routing SD -o nodes --json
	holds '[.rows[].placement] == ["linear", "RDN", "searched"] and .rows[2].max < 0.7 * .rows[1].max'
	best=$(jq '.rows[2].max' <<<"$output")
	[ "$(sort -u nodes | wc -l)" -eq 64 ]
	# The stencil of 64 processes is 4 x 4 x 4.
	awk '{ name[NR - 1] = $0 } END { for (i = 0; i < 64; i++) for (s = 1; s < 64; s *= 4) for (d = 1; d < 4; d += 2) {
		at = int(i / s) % 4; print name[i], name[i - at * s + (at + d) % 4 * s], 1 } }' nodes >m
	run -0 $M predict q5.json --routing SD --matrix m --json
	holds ".rows[0].max - $best | fabs < 1e-9"
	jq -r '.endpoints[].name' q5.json | head -80 | sed '7s/$/\r/' >busy
	run -0 $M place-job q5.json --processes 64 --pattern stencil3 --routing tables --lmc 1 --busy busy -o nodes
	! grep -qxFf <(tr -d '\r' <busy) nodes
	run --separate-stderr -2 $M place-job q5.json --processes 71 --pattern shift --busy busy
	says "71 nodes are needed, but 70 are free"
	echo nobody >>busy
	run --separate-stderr -2 $M place-job q5.json --processes 9 --pattern shift --busy busy
	says "busy:81: nobody: not the name of a node"
	run --separate-stderr -2 $M place-job q5.json --processes 9
	says "give --processes N, one --pattern"
	run --separate-stderr -2 $M place-job q5.json --processes 9 --pattern worst
	says "one --pattern of processes"
}

@test "predict: misuse" {
	printf '%s %s 0\n' "$(jq -r '.endpoints[0].name' q5.json)" "$(jq -r '.endpoints[1].name' q5.json)" >zero
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M predict $args
		[ -z "$output" ]
		says "$part"
	done <<-'ROWS'
	|missing argument
	nosuch.json|nosuch.json
	q5.json --routing XY|--routing XY: give one or several of SD, SI, AD, AI, AH, tables, own
	q5.json --routing SD,|--routing : give one or several
	q5.json --pattern waves|uniform, alltoall, permutation, shift
	q5.json --pattern worst --processes 50|leave --processes out
	q5.json --pattern overlap --placement RDN|leave --placement out
	q5.json --pattern yebenes --per-node 2|leave --per-node out
	q5.json --placement RDC|`moorectl plan place` puts them into cabinets
	q5.json --processes 151|151 nodes are needed, but 150 are free: give fewer processes
	q5.json --processes 1|processes
	q5.json --per-node 0|--per-node 0
	q5.json --per-node 10000 --processes 9000|fewer than two nodes
	q5.json --matrix nosuch|nosuch
	q5.json --matrix /dev/null|/dev/null: holds no amount between two nodes
	q5.json --matrix zero|zero: holds no amount between two nodes
	q5.json --matrix m --pattern shift|it names the nodes
	ROWS
}

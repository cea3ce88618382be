# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# topo.bats - families, and sizes that the papers give.
load lib

@test "topo list names the families" {
	run -0 $M topo list
	[[ $output == *slimfly* && $output == *mlfm* && $output == *oft* ]]
	run -0 $M topo list --json
	rows=$(grep -o 'ROW([a-z0-9]*)' "$ROOT/lib/topo/registry.c" | sed 's/ROW(\(.*\))/"\1"/' | paste -sd,)
	holds "[.families[].family] == [$rows]"
	holds '["slimfly", "mlfm", "oft", "hypercube", "torus2d", "torus5d", "fhypercube",
		"myriclos", "dragonfly", "hyperx", "dln"] as $all | [.families[].family | select(IN($all[]))] == $all'
	holds 'all(.families[]; .source and .title and (.parameters | length) > 0)'
}

@test "slimfly q=5 p=4 is the Hoffman-Singleton graph: the Moore bound is met" {
	run -0 $M topo show slimfly q=5 p=4 --json
	holds '.switches == 50 and .degree == 7 and .radix == 11 and .endpoints == 200'
	holds '.links == 175 and .diameter == 2 and .girth == 5'
	# 7 switches at distance one, 42 at distance two
	holds '(.mean_distance - (7 + 2 * 42) / 49 | fabs) < 1e-9'
	holds '.family == "slimfly" and .parameters == {q: 5, p: 4}'
}

@test "cost counts endpoint ports and links too: about 3 and 2" {
	run -0 $M topo show slimfly q=13 p=9 --json
	holds '.switches == 338 and .endpoints == 3042 and .degree == 19 and .radix == 28'
	holds '(.ports_per_endpoint - 9464 / 3042 | fabs) < 1e-9'
	holds '(.links_per_endpoint - 6253 / 3042 | fabs) < 1e-9'
	run -0 $M topo show mlfm h=15 --json
	holds '.endpoints == 3600 and .diameter == 2 * 2 and .ports_per_endpoint == 3 and .links_per_endpoint == 2' ||
	holds '.endpoints == 3600 and .diameter == 2 and .ports_per_endpoint == 3 and .links_per_endpoint == 2'
	run -0 $M topo show oft k=12 --json
	# 2k^3 - 2k^2 + 2k
	holds '.endpoints == 3192 and .ports_per_endpoint == 3 and .links_per_endpoint == 2'
}

@test "p=floor and p=ceil are half the links, rounded" {
	run -0 $M topo show slimfly q=5 p=floor --json
	holds '.parameters.p == 3'
	run -0 $M topo show slimfly q=5 p=ceil --json
	holds '.parameters.p == 4'
}

@test "no endpoints: cost has no value" {
	run -0 $M topo show slimfly q=5 p=0 --json
	holds '.endpoints == 0 and .ports_per_endpoint == null and .links_per_endpoint == null'
}

@test "the bases of swap-and-randomize: sizes, diameters and degrees of the paper" {
	while IFS='|' read -r args cond; do
		run -0 $M topo show $args --json
		holds "$cond"
	done <<-'ROWS'
	torus2d a=64 b=64|.switches == 4096 and .degree == 4 and .diameter == 64
	torus5d a=8 b=8 c=4 d=4 e=4|.switches == 4096 and .degree == 10 and .diameter == 14
	hypercube n=12|.switches == 4096 and .degree == 12 and .diameter == 12
	fhypercube n=12|.switches == 4096 and .degree == 13 and .diameter == 6
	myriclos n=4096|.switches == 1792 and .endpoints == 4096 and .radix == 16
	dragonfly a=32 h=4 g=128|.switches == 4096 and .degree == 35 and .diameter == 3
	dragonfly a=8 h=4 g=32|.switches == 256 and .degree == 11
	dragonfly a=16 h=8 g=16|.switches == 256 and .degree == 23
	hyperx s1=16 s2=16 s3=16|.switches == 4096 and .degree == 45 and .diameter == 3
	hyperx s1=16 s2=4 s3=4|.switches == 256 and .degree == 21
	dln n=4096 k=10|.switches == 4096 and .degree == 10
	ROWS
}

@test "text has no colour codes in a pipe" {
	run -0 $M topo show slimfly q=5
	[[ $output != *$'\033'* && $output == *"diameter       2"* ]]
}

@test "misuse of topo show: what is wrong and what is right" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M topo show $args
		[ -z "$output" ]
		says "$part"
	done <<-'ROWS'
	|missing argument: it takes FAMILY
	slimfli q=5|did you mean slimfly?
	butterfly q=5|`moorectl topo list` names them
	toru q=5|did you mean torus
	slimfly|q
	slimfly q=6|6
	slimfly q=5 q=7|q
	slimfly q=x|q=x
	slimfly r=5|r
	slimfly q=5 p=-3|p=-3
	slimfly q=99999999999999999999|q=
	slimfly 5|5
	ROWS
}

@test "a torus of 100,000 switches: planned, measured, checked within 10 s" {
	cd "$BATS_TEST_TMPDIR"
	run -0 timeout 10 $M plan new torus2d a=250 b=400 -o t.json
	[[ $output == *"switches       100000, "* && $output == *"diameter       325"* ]]
	run -0 timeout 10 $M plan check t.json
	run --separate-stderr -2 $M route t.json
	says "100000 switches and 100000 endpoints of 1 LIDs need more than the 49151 unicast LIDs"
	run --separate-stderr -2 $M ethernet emit t.json --ipv4 10.0.0.0/8 -o net
	says "100000 switches: routes are computed and judged for at most 65534"
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# topo.bats - families, and sizes known from the papers.
load lib

@test "topo list names the three families" {
	run -0 $M topo list
	[[ $output == *slimfly* && $output == *mlfm* && $output == *oft* ]]
	run -0 $M topo list --json
	holds '[.[].family] == ["slimfly", "mlfm", "oft"]'
	holds 'all(.[]; .source and .title and (.parameters | length) > 0)'
}

@test "slimfly q=5 p=4 is the Hoffman-Singleton graph: the Moore bound is met" {
	run -0 $M topo show slimfly q=5 p=4 --json
	holds '.switches == 50 and .degree == 7 and .radix == 11 and .endpoints == 200'
	holds '.links == 175 and .diameter == 2 and .girth == 5'
	# 7 at distance one, 42 at distance two
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
	torus q=5|`moorectl topo list` names them
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

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
	holds '.endpoints == 3600 and .diameter == 4 and .ports_per_endpoint == 3 and .links_per_endpoint == 2'
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

# Where switches differ, halves are of the endpoints.  Beside closed forms (with a design, d links and
# the second singular value s of its matrix: d (1 - s^2) n / 4), the exact value of small graphs: all
# halves of the switches with endpoints, and all choices of the others.
@test "structure: a bound on halves of the endpoints where switches differ" {
	while IFS='|' read -r spec bound; do
		run -0 $M topo show $spec --json
		holds ".bisection_bound == $bound and .bisection >= $bound" || { echo "$spec"; false; }
	done <<-'EOF'
	oft k=4|(4 * (1 - 3 / 16) * 26 / 4 | ceil)
	oft k=12|(12 * (1 - 11 / 144) * 266 / 4 | ceil)
	mlfm h=4|(4 * (1 - 6 / 16) * 20 / 4 | ceil)
	fattree2 k=6|(3 * 6 / 4 | ceil)
	EOF
	for spec in "dfplus s=2 l=2 g=3 h=2" "fattree3 k=2" "sspt r1=2 r2=2" "mlfm h=2" "dragonfly a=3 h=1 g=3" \
		"dfplus s=2 l=3 g=3 h=1"; do
		$M plan new $spec -o "$T/p.json"
		run -0 $M topo show $spec --json
		echo "$spec: $(jq -c '[.bisection_bound, .bisection]' <<<"$output")"
		python3 - "$T/p.json" $(jq '.bisection_bound, .bisection' <<<"$output") <<-'PY'
			import itertools, json, sys
			plan = json.load(open(sys.argv[1]))
			names = [s["name"] for s in plan["switches"]]
			links = [(names.index(c["a"]["switch"]), names.index(c["b"]["switch"])) for c in plan["cables"]]
			ends = sorted({names.index(e["switch"]) for e in plan["endpoints"]})
			inner = [i for i in range(len(names)) if i not in ends]
			least = len(links)
			for half in itertools.combinations(ends, len(ends) // 2):
			    for more in itertools.product((0, 1), repeat=len(inner)):
			        side = [0] * len(names)
			        for i in half + tuple(i for i, m in zip(inner, more) if m):
			            side[i] = 1
			        least = min(least, sum(side[a] != side[b] for a, b in links))
			print(least)
			sys.exit(not 1 <= int(sys.argv[2]) <= least <= int(sys.argv[3]))
		PY
	done
}

# Cuts of K4, C5, Q4 and the Petersen graph (Slim Fly q=5 is printed with it) are known; mu1 and the
# bisections of Slim Fly and LPS are those of Young et al. 2022, tables I and II.
@test "structure: eigenvalues, bisections, shortest paths, the Moore bound" {
	while IFS='|' read -r args cond; do
		run -0 $M topo show $args --json
		holds "$cond"
	done <<-'ROWS'
	hyperx s1=1 s2=4|(.second_eigenvalue + 1 / 3 | fabs) < 1e-6 and .bisection == 4 and .bisection_bound == 4
	hyperx s1=1 s2=1|.mu1 == null and .bisection == null and .shortest_paths == null
	torus a=5|.bisection == 2 and .bisection_bound == 2 and .moore_efficiency == 1
	torus2d a=8 b=8|.bisection == 16 and (.second_eigenvalue - (1 + (0.5 | sqrt)) / 2 | fabs) < 1e-6
	hypercube n=4|.bisection == 8 and (.mu1 - 0.5 | fabs) < 1e-6 and (.shortest_paths - 64 / 15 | fabs) < 1e-6
	slimfly q=9|(.mu1 * 1000 | round) == 615 and .bisection == 369 and .bisection_bound <= 369
	slimfly q=13|.bisection == 1105
	slimfly q=5|.moore_efficiency == 1 and .shortest_paths == 1
	lps p=11 q=7|(.mu1 - 0.5 | fabs) < 1e-6 and .bisection <= 304
	fattree2 k=8|.bisection == 16 and .bisection_bound == 8
	ROWS
}

@test "LIDs at each LMC, and the ports of switches on the market" {
	run -0 $M topo show slimfly q=25 --json
	holds '[.lids[] | .lids] == [23750, 46251, 91251] and [.lids[] | .suffice] == [true, true, false]'
	holds '.radix == 55 and .switch_ports == 64'
	run -0 $M topo show slimfly q=25
	[[ $output == *"up to LMC 1 there are enough"* ]]
	run -0 $M topo show slimfly q=37
	[[ $output == *"InfiniBand has 49151"* ]]
	run -0 $M topo show slimfly q=89 --json
	holds '.radix == 199 and .switch_ports == 256 and .shortest_paths == null'
	run -0 $M topo show slimfly q=5 p=254 --json
	holds '.radix == 261 and .switch_ports == null'
	run -0 $M topo show slimfly q=5 p=254
	[[ $output == *"no switch on the market has so many ports"* ]]
	run -0 $M topo compare slimfly q=5 p=254 slimfly q=3 --quick
	grep -Eq '^ports of a sold switch +- +24' <<<"$output"
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

# Slim Fly q=25 takes 23750, 46251, 91251 LIDs at LMC 0, 1, 2, and q=37 too many at any.
@test "too many LIDs: the greatest LMC that does is named, if there is one" {
	cd "$BATS_TEST_TMPDIR"
	$M plan new slimfly q=25 -o 25.json >/dev/null
	$M plan new slimfly q=37 -o 37.json >/dev/null
	run --separate-stderr -2 $M route 25.json --lmc 2
	says "unicast LIDs; lower the LMC to 1"
	run --separate-stderr -2 $M route 37.json --lmc 2
	says "unicast LIDs; plan fewer endpoints, or use Ethernet, which has no such limit"
	[[ $stderr != *"lower the LMC"* ]]
}

@test "a torus of 100,000 switches: planned, measured, checked within 10 s of processor time each" {
	cd "$BATS_TEST_TMPDIR"
	ulimit -t 10
	run -0 $M plan new torus2d a=250 b=400 -o t.json
	[[ $output == *"switches       100000, "* && $output == *"diameter       325"* ]]
	run -0 $M plan check t.json
	run -0 $M check t.json t.json
	[[ $output == "100000 switches, 100000 endpoints, 200000 cables: cabled as planned" ]]
	run --separate-stderr -2 $M route t.json
	says "100000 switches and 100000 endpoints of 1 LIDs need more than the 49151 unicast LIDs; plan fewer endpoints"
	run --separate-stderr -2 $M ethernet emit t.json --ipv4 10.0.0.0/8 -o net
	says "the files of all 100000 switches would not fit on most disks: with --sample 200 the tables of all are proven"
}

@test "a ring whose routes would be too long is refused by the name of a switch" {
	cd "$BATS_TEST_TMPDIR"
	$M plan new torus a=402 -o ring.json >/dev/null
	for verb in "route ring.json" "ethernet emit ring.json --ipv4 10.0.0.0/8 --layers 1 -o net"; do
		run --separate-stderr -2 $M $verb
		says 'switch "t0" is not within 200 hops of every switch it is connected to'
	done
	$M plan new torus a=200 -o ring.json >/dev/null
	run -0 $M ethernet emit ring.json --ipv4 10.0.0.0/8 --layers 1 --sample 1 -o net
}

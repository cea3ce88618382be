# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# formats.bats - plans exported to the formats of other tools, and read back.
load lib

# wiring FILE: every link as node:port node:port, sorted.
wiring() {
	jq -r '(.cables[] | [.a, .b] | map("\(.switch):\(.port)") | sort | join(" ")),
		(.endpoints[] | "\(.switch):\(.port) \(.name):\(.ca_port // 1)")' "$1" | sort
}

# The names of formats that moorectl can read.
readable() { $M plan import --help | sed -n 's/^  \([a-z0-9][a-z0-9]*\)  *[A-Za-z].*/\1/p'; }

@test "each format brings the wiring of families back" {
	while read -r name spec; do
		$M plan new $spec -o "$T/p.json" >/dev/null
		for f in ibsim ibnetdiscover dot ptm csv opa $(readable | grep -vxE 'ibsim|ibnetdiscover|dot|ptm|csv|opa|slurm'); do
			$M plan export --to $f "$T/p.json" -o "$T/x.$f" >/dev/null
			$M plan import --from $f "$T/x.$f" -o "$T/$name.$f.json" >/dev/null
			diff <(wiring "$T/p.json") <(wiring "$T/$name.$f.json") || { echo "$spec as $f"; false; }
			$M plan export --to $f "$T/$name.$f.json" -o "$T/y.$f" >/dev/null
			diff <(sort "$T/x.$f") <(sort "$T/y.$f") || { echo "$spec as $f, again"; false; }
		done
	done <<-'ROWS'
	sf slimfly q=5 p=4
	mlfm mlfm h=4
	oft oft k=4
	torus torus2d a=4 b=6
	clos myriclos n=64
	ROWS
}

# Graphviz draws the clusters, and Python's XML parser reads the GraphML: all nodes, edges and names.
@test "graphml and clusters: what drawing programs read" {
	$M plan new slimfly q=3 p=1 -o "$T/g.json"
	$M plan place "$T/g.json" -o "$T/g.json"
	jq '.cables[0].label = "a <b> & \"c\""' "$T/g.json" >"$T/h.json"
	$M plan export --to graphml "$T/h.json" >"$T/g.xml"
	python3 - "$T/g.xml" "$T/h.json" <<-'EOF'
		import json, sys, xml.etree.ElementTree as x
		g, p = x.parse(sys.argv[1]).getroot(), json.load(open(sys.argv[2]))
		n = "{http://graphml.graphdrawing.org/xmlns}"
		data = lambda e, k: [d.text for d in e.iter(n + "data") if d.get("key") == k]
		names = [data(e, "name")[0] for e in g.iter(n + "node")]
		assert names == [s["name"] for s in p["switches"]] + [e["name"] for e in p["endpoints"]]
		assert len(list(g.iter(n + "edge"))) == len(p["cables"]) + len(p["endpoints"])
		assert [l for e in g.iter(n + "edge") for l in data(e, "label")] == ['a <b> & "c"']
		read = {"int": int, "double": float}
		types = {k.get("id"): k.get("attr.type") for k in g.iter(n + "key")}
		value = lambda e, k: [read[types[k]](v) for v in data(e, k)]
		cables = list(g.iter(n + "edge"))[len(p["endpoints"]):]
		assert [value(e, k)[0] for e in cables for k in ("port_a", "port_b")] == \
			[end["port"] for c in p["cables"] for end in (c["a"], c["b"])]
		assert [value(e, "metres") for e in cables] == [[c["length"]] for c in p["cables"]]
	EOF
	$M plan export --to clusters "$T/g.json" >"$T/g.dot"
	[ "$(dot -Tplain "$T/g.dot" | grep -c '^node')" -eq 18 ]
	[ "$(dot -Tplain "$T/g.dot" | grep -c '^edge')" -eq "$(jq '.cables | length' "$T/g.json")" ]
	[ "$(grep -c 'label=' "$T/g.dot")" -eq "$(jq '.floor.cabinets | length' "$T/g.json")" ]
}

@test "slurm: which endpoints share a switch, and no more" {
	q5 "$T/p.json"
	run -0 $M plan export --to slurm "$T/p.json"
	[ "$(grep -c '^SwitchName=s.* Nodes=' <<<"$output")" = 50 ]
	[[ ${lines[-1]} == "SwitchName=fabric Switches=s0-0-0,"* ]]
	run -0 bash -c "$M plan export --to slurm '$T/p.json' | $M plan import --from slurm - -o '$T/q.json' --json"
	holds '.switches == 50 and .endpoints == 200 and .cables == 0 and .parts == 50'
	at() { jq -r '.endpoints[] | "\(.name) \(.switch)"' "$1" | sort; }
	[ "$(at "$T/p.json")" = "$(at "$T/q.json")" ]
}

# The reader below takes the part of YAML in which topology.yaml(5) gives its example, and
# nothing else.
@test "slurmyaml: each node in one block, by cabinet or by group" {
	q5 "$T/p.json"
	$M plan place "$T/p.json" -o "$T/placed.json" --cabinet-size 8 --iterations 1000 >/dev/null
	for f in p placed; do
		$M plan export --to slurmyaml "$T/$f.json" -o "$T/$f.yaml"
		python3 - "$T/$f.json" "$T/$f.yaml" <<-'EOF2'
		import json, re, sys
		plan, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
		lines = [l for l in text.splitlines() if not l.startswith("#")]
		assert lines[:6] == ["---", '- topology: "fabric"', "  cluster_default: true", "  block:",
		                     "    block_sizes:", lines[5]] and lines[6] == "    blocks:"
		size = int(re.fullmatch("      - ([0-9]+)", lines[5]).group(1))
		got = {}
		for a, b in zip(lines[7::2], lines[8::2]):
		    name = re.fullmatch('      - block: "([^"]+)"', a).group(1)
		    assert name not in got
		    got[name] = re.fullmatch('        nodes: "([^" ]+)"', b).group(1).split(",")
		at = {s["name"]: s.get("cabinet") or s["name"].rsplit("-", 1)[0] for s in plan["switches"]}
		want = {}
		for e in plan["endpoints"]:
		    want.setdefault(at[e["switch"]], []).append(e["name"])
		assert {k: sorted(v) for k, v in got.items()} == {k: sorted(v) for k, v in want.items()}
		assert size == min(map(len, got.values())) and len(got) == (7 if plan.get("floor") else 10)
		EOF2
	done
	jq '(.. | strings | select(. == "A02")) = "row 1"' "$T/placed.json" >"$T/q.json"
	run --separate-stderr -2 $M plan export --to slurmyaml "$T/q.json" -o "$T/x"
	says "block \"row 1\": Slurm's names hold no blank"
	jq '.endpoints = []' "$T/p.json" >"$T/q.json"
	run --separate-stderr -2 $M plan export --to slurmyaml "$T/q.json" -o "$T/x"
	says "no endpoint"
	[ ! -e "$T/x" ]
}

@test "netbox: devices and cables out, cables in, in any order of columns" {
	q5 "$T/p.json"
	$M plan place "$T/p.json" -o "$T/q.json" --cabinet-size 8 --iterations 1000 >/dev/null
	jq '.cables[0] += {label: "C, 1", length: 4.601} | del(.cables[1].length)' "$T/q.json" >"$T/r.json"
	$M plan export --to netbox "$T/r.json" -o "$T/c.csv"
	$M plan export --to netboxdevices "$T/r.json" -o "$T/d.csv"
	python3 - "$T" <<-'EOF2'
	import csv, json, math, sys
	T = sys.argv[1]
	plan = json.load(open(T + "/r.json"))
	rows = list(csv.DictReader(open(T + "/c.csv", newline="")))
	assert all(r["side_a_type"] == r["side_b_type"] == "dcim.interface" and r["status"] == "planned" for r in rows)
	got = {(r["side_a_device"], r["side_a_name"], r["side_b_device"], r["side_b_name"], r["label"], r["length"], r["length_unit"]) for r in rows}
	cm = lambda c: ("%g" % (math.ceil(round(c["length"] * 100, 6)) / 100), "m") if "length" in c else ("", "")
	want = {(c["a"]["switch"], "swp%d" % c["a"]["port"], c["b"]["switch"], "swp%d" % c["b"]["port"], c.get("label", ""), *cm(c))
	        for c in plan["cables"]} | {(e["switch"], "swp%d" % e["port"], e["name"], "eth0", "", "", "") for e in plan["endpoints"]}
	assert got == want and len(got) == len(rows), got ^ want
	devices = list(csv.DictReader(open(T + "/d.csv", newline="")))
	assert [(d["name"], d["rack"], d["position"], d["role"]) for d in devices] == \
	    [(s["name"], s["cabinet"], str(s["unit"]), "switch") for s in plan["switches"]] + \
	    [(e["name"], "", "", "endpoint") for e in plan["endpoints"]]
	names = list(rows[0])[::-1] + ["color"]
	with open(T + "/mixed.csv", "w", newline="") as f:
	    w = csv.DictWriter(f, names)
	    w.writeheader()
	    w.writerows(dict(r, color="red", side_b_name=r["side_b_name"].replace("eth", "ib")) for r in rows)
	EOF2
	for f in c mixed; do
		$M plan import --from netbox "$T/$f.csv" -o "$T/$f.json" >/dev/null
		diff <(wiring "$T/r.json") <(wiring "$T/$f.json")
		[ "$(jq -c '[.cables[0] | .label, .length] + [.cables[1].length]' "$T/$f.json")" = '["C, 1",4.61,null]' ]
	done
	# The CSV of devices behind that of the cables gives cabinets and units; so do both for Nautobot.
	places() { jq -c '[.switches[] | {name, cabinet, unit}] | sort_by(.name)' "$1"; }
	sed 's/,front$/,rear/; /,front/s/,\([0-9]*\),front/,\1.0,front/' "$T/d.csv" | cat "$T/c.csv" - >"$T/all.csv"
	$M plan import --from netbox "$T/all.csv" -o "$T/all.json" >/dev/null
	diff <(places "$T/r.json") <(places "$T/all.json")
	diff <(wiring "$T/r.json") <(wiring "$T/all.json")
	$M plan export --to nautobot "$T/r.json" -o "$T/nc.csv"
	$M plan export --to nautobotdevices "$T/r.json" -o "$T/nd.csv"
	(cat "$T/nc.csv"; echo; cat "$T/nd.csv") >"$T/n.csv"
	$M plan import --from nautobot "$T/n.csv" -o "$T/n.json" >/dev/null
	diff <(places "$T/r.json") <(places "$T/n.json")
	diff <(wiring "$T/r.json") <(wiring "$T/n.json")
	[ "$(jq -c '.cables[0] | .label, .length' "$T/n.json" | xargs)" = 'C, 1 4.61' ]
	# Columns have other names, and nothing else differs but the case of a status.
	diff <(tail -n +2 "$T/c.csv") <(tail -n +2 "$T/nc.csv" | sed 's/,Planned,/,planned,/')
	diff <(tail -n +2 "$T/d.csv") <(tail -n +2 "$T/nd.csv" | sed 's/,Planned,/,planned,/')
	sed 's/,m$/,ft/' "$T/c.csv" >"$T/ft.csv"
	$M plan import --from netbox "$T/ft.csv" -o "$T/ft.json" >/dev/null
	[ "$(jq '.cables[0].length * 10000 | round' "$T/ft.json")" = 14051 ]
	for name in '=1+1' 'a,b' "$(printf 'a\xe2\x80\xaeb')"; do
		jq --arg n "$name" '(.. | strings | select(. == "s0-0-0-h0")) = $n' "$T/r.json" >"$T/evil.json"
		for f in netbox netboxdevices nautobot nautobotdevices; do
			run --separate-stderr -2 $M plan export --to $f "$T/evil.json" -o "$T/x"
			says "NetBox would not read as it is: rename it"
		done
	done
	[ ! -e "$T/x" ]
}

# A plan of SPEC with cabinets, and another name for each switch and endpoint: words that a shell, YAML,
# HTML or a spreadsheet could take for something else; blanks and brackets too where they are not for Slurm.
hostile() {
	local to=$1 for=$2
	shift 2
	$M plan new "$@" -o "$T/plain.json" >/dev/null
	$M plan place "$T/plain.json" --cabinet-size 6 --iterations 300 -o "$T/plain.json" >/dev/null
	python3 - "$T/plain.json" "$to" "$for" <<-'EOF2'
		import json, sys
		plan = json.load(open(sys.argv[1]))
		slurm = ["null", "~", "yes", "*a", "&a", "!!str", "{a}", "0x10", "1e3", "---", "a:b", "a'b", "$(id)", "`id`",
		         "<b>x</b>", "a;b", "a|b", "caf\u00e9", "\u4ea4\u6362\u673a", "%s%n", "?", ">", "../x", "N/A"]
		netbox = slurm[:] + ['a b', "a  b", "swp1", "eth0", "name", "rack", "side_a_device", "[1-9]", "#"]
		netbox.remove("---")	# begins like a formula
		pool = netbox if sys.argv[3] == "netbox" else slurm
		names = [s["name"] for s in plan["switches"]] + [e["name"] for e in plan["endpoints"]]
		new = {n: pool[i] if i < len(pool) else pool[i % len(pool)] + str(i) for i, n in enumerate(names[::2] + names[1::2])}
		assert len(set(new.values())) == len(names)
		for x in plan["switches"] + plan["endpoints"]:
		    x["name"] = new[x["name"]]
		for x in plan["endpoints"] + [c[k] for c in plan["cables"] for k in "ab"]:
		    x["switch"] = new[x["switch"]]
		if sys.argv[3] == "netbox":
		    plan["cables"][0]["label"] = 'C "1", <b>'
		json.dump(plan, open(sys.argv[2], "w"))
	EOF2
}

# Without its first switch, one cable and one endpoint of the others.
degraded() {
	python3 - "$1" <<-'EOF2'
		import json, sys
		plan = json.load(open(sys.argv[1]))
		gone = plan["switches"].pop(0)["name"]
		plan["endpoints"] = [e for e in plan["endpoints"] if e["switch"] != gone][1:]
		plan["cables"] = [c for c in plan["cables"] if gone not in (c["a"]["switch"], c["b"]["switch"])][1:]
		plan.pop("topology", None)
		json.dump(plan, open(sys.argv[1], "w"))
	EOF2
}

FAMILIES='slimfly q=3 p=2
oft k=3
mlfm h=3
degraded slimfly q=3 p=2'

@test "NetBox and Nautobot: device for device and cable for cable, hostile names in each family" {
	local n=0
	while read -r spec; do
		hostile "$T/h.json" netbox ${spec#degraded }
		[[ $spec != degraded* ]] || degraded "$T/h.json"
		for site in netbox nautobot; do
			$M plan export --to $site "$T/h.json" -o "$T/$site.csv"
			$M plan export --to ${site}devices "$T/h.json" -o "$T/${site}devices.csv"
		done
		python3 - "$T" <<-'EOF2'
			import collections, csv, json, sys
			T = sys.argv[1]
			plan = json.load(open(T + "/h.json"))
			rows = lambda f: list(csv.DictReader(open(T + "/" + f, newline="", encoding="utf-8"), strict=True))
			switches = {s["name"]: s for s in plan["switches"]}
			wanted = collections.Counter((c["a"]["switch"], "swp%d" % c["a"]["port"], c["b"]["switch"], "swp%d" % c["b"]["port"],
			                              c.get("label", "")) for c in plan["cables"])
			wanted += collections.Counter((e["switch"], "swp%d" % e["port"], e["name"], "eth%d" % (e.get("ca_port", 1) - 1), "")
			                              for e in plan["endpoints"])
			hosts = {e["name"] for e in plan["endpoints"]}
			sites = {"netbox": ("side_a_device", "side_a_name", "side_b_device", "side_b_name", "rack", "role"),
			         "nautobot": ("termination_a__device__name", "termination_a__name", "termination_b__device__name",
			                      "termination_b__name", "rack__name", "role__name")}
			for site, (a, ap, b, bp, rack, role) in sites.items():
			    cables = collections.Counter((r[a], r[ap], r[b], r[bp], r["label"]) for r in rows(site + ".csv"))
			    assert cables == wanted, (site, cables - wanted, wanted - cables)
			    devices = rows(site + "devices.csv")
			    assert collections.Counter(d["name"] for d in devices) == collections.Counter([*switches, *hosts])
			    for d in devices:
			        s = switches.get(d["name"], {})
			        want = (s.get("cabinet", ""), str(s.get("unit", "")), "switch" if s else "endpoint")
			        assert (d[rack], d["position"], d[role]) == want, (site, d)
			    # Every end of a cable is a device, and no interface has two cables.
			    ends = [e for c in cables for e in (c[:2], c[2:4])]
			    assert len(set(ends)) == len(ends) and {e[0] for e in ends} <= {d["name"] for d in devices}
		EOF2
		# moorectl reads both files back as the same plan.
		for site in netbox nautobot; do
			cat "$T/$site.csv" "$T/${site}devices.csv" >"$T/both.csv"
			$M plan import --from $site "$T/both.csv" -o "$T/back.json" >/dev/null
			diff <(wiring "$T/h.json") <(wiring "$T/back.json") || fail "$spec as $site"
			diff <(jq -c '[.switches[] | {name, cabinet, unit}] | sort_by(.name)' "$T/h.json") \
				<(jq -c '[.switches[] | {name, cabinet, unit}] | sort_by(.name)' "$T/back.json") || fail "$spec as $site"
		done
		n=$((n + 1))
	done <<<"$FAMILIES"
	[ $n = 4 ]
}

# PyYAML is the reader, which knows nothing of how the file is written.
@test "topology.yaml: each node in the block of its cabinet, hostile names in each family" {
	local n=0
	while read -r spec; do
		hostile "$T/h.json" slurm ${spec#degraded }
		[[ $spec != degraded* ]] || degraded "$T/h.json"
		$M plan export --to slurmyaml "$T/h.json" -o "$T/topology.yaml"
		python3 - "$T" <<-'EOF2'
			import json, sys, yaml
			T = sys.argv[1]
			plan = json.load(open(T + "/h.json"))
			(top,) = yaml.safe_load(open(T + "/topology.yaml", encoding="utf-8"))
			assert set(top) == {"topology", "cluster_default", "block"} and top["cluster_default"] is True
			blocks = top["block"]["blocks"]
			assert all(set(b) == {"block", "nodes"} and isinstance(b["nodes"], str) for b in blocks)
			got = {b["block"]: b["nodes"].split(",") for b in blocks}
			assert len(got) == len(blocks)
			cabinet = {s["name"]: s["cabinet"] for s in plan["switches"]}
			want = {}
			for e in plan["endpoints"]:
			    want.setdefault(cabinet[e["switch"]], set()).add(e["name"])
			assert {k: set(v) for k, v in got.items()} == want
			assert sum(map(len, got.values())) == len(plan["endpoints"])	# no node twice
			assert top["block"]["block_sizes"] == [min(map(len, got.values()))]
		EOF2
		n=$((n + 1))
	done <<<"$FAMILIES"
	[ $n = 4 ]
}

@test "rates and GUIDs cross ibnetdiscover, lengths and labels cross csv" {
	q5 "$T/p.json"
	jq '.rate = "4xHDR" | .cables[3].rate = "4xEDR" | .switches[0].guid = "0x00000000000abc01" |
		.cables[5] += {length: 7.5, label: "a, \"b\""}' "$T/p.json" >"$T/r.json"
	$M plan export --to ibnetdiscover "$T/r.json" -o "$T/x"
	$M plan import --from ibnetdiscover "$T/x" -o "$T/y.json"
	[ "$(jq -c '. as $p | [.switches[0].guid, ([.cables[] | .rate // $p.rate] | group_by(.)[] | [.[0], length]),
		(.endpoints[0].rate // .rate)]' "$T/y.json")" = \
		'["0x00000000000abc01",["4xEDR",1],["4xHDR",174],"4xHDR"]' ]
	$M plan export --to csv "$T/r.json" -o "$T/x"
	$M plan import --from csv "$T/x" -o "$T/y.json"
	[ "$(jq -c '[.cables[] | select(.length) | [.length, .label]]' "$T/y.json")" = '[[7.5,"a, \"b\""]]' ]
}

@test "what Graphviz and ibsim's own tools read" {
	q5 "$T/p.json"
	$M plan export --to dot "$T/p.json" -o "$T/x.dot"
	$M plan export --to ptm "$T/p.json" -o "$T/y.dot"
	grep -q '"s0-0-0":"swp1" -- "s0-0-0-h0":"eth0"' "$T/y.dot"
	type dot >/dev/null 2>&1 || skip "Graphviz is not installed"
	dot -Tplain "$T/x.dot" | grep -c '^edge' | grep -qx 375
	dot -Tplain "$T/y.dot" | grep -c '^edge' | grep -qx 375
}

@test "an error says file, line, what, and what to do; nothing is written" {
	while IFS='|' read -r format text part; do
		printf "$text" >"$T/in"
		run --separate-stderr -2 $M plan import --from $format "$T/in" -o "$T/out.json"
		[[ $stderr == "moorectl: $T/in:$part"* ]] || { echo "$format: $stderr"; false; }
		[ ! -e "$T/out.json" ]
	done <<-'ROWS'
	ibsim|Switch 4 "a"\n[1] "b"[1]\n|2: "b" has no record: is the text complete?
	ibnetdiscover|#\nSwitch\t300 "S-1"\n|2: 
	dot|graph {\na -> b\n}\n|2: 
	ptm|graph G {\na:swp1s0 -- b:swp1\n}\n|2: interface "swp1s0"
	csv|kind,a_switch,a_port,b_node,b_port,length_m,label\ncable,a,0,b,1,,\n|2: a_port: "0" is no port
	opa|Rack Group\n,,a,,1,XX,,,b,,1,SW\n|2: type "XX": it is FI, SW, CL or CS
	slurm|SwitchName=s Nodes=n[3-1]\n|1: want rising ranges
	netbox|side_a_device,side_a_type\n|1: no column side_a_name
	ROWS
}

@test "a name that a format cannot say is told, with the place" {
	q5 "$T/p.json"
	jq '(.switches[7].name, (.cables[] | .a, .b | select(.switch == "s0-1-2") | .switch),
		(.endpoints[] | select(.switch == "s0-1-2") | .switch)) = "a b,c"' "$T/p.json" >"$T/q.json"
	run --separate-stderr -2 $M plan export --to slurm "$T/q.json" -o "$T/x"
	says "\"a b,c\": Slurm's names hold no blank"
	says "rename it"
	run --separate-stderr -2 $M plan export --to opa "$T/q.json" -o "$T/x"
	says "a b,c"
	run --separate-stderr -2 bash -c "$M plan export --to csv '$T/p.json' >/dev/full"
	says "No space left on device"
	run --separate-stderr -2 $M plan export --to opa "$T/p.json" -o /dev/full
	says "No space left on device"
	[ ! -e "$T/x" ]
}

@test "bytes that are no text are refused by every reader" {
	head -c 5000 /dev/urandom >"$T/noise"
	printf '\0\0\0' >"$T/nul"
	[ "$(readable | head -n 7 | paste -sd' ')" = "ibsim ibnetdiscover dot ptm csv opa slurm" ]
	for f in $(readable); do
		for in in noise nul; do
			run --separate-stderr -2 $M plan import --from $f "$T/$in" -o "$T/out"
			[[ $stderr == "moorectl: $T/$in:"* ]] || { echo "$f: $stderr"; false; }
		done
	done
}

@test "anynet: each link of a plan in both directions, each endpoint once" {
	$M plan new slimfly q=5 p=2 -o "$T/s.json"
	$M plan export --to anynet "$T/s.json" >"$T/s.any"
	python3 - "$T/s.json" "$T/s.any" <<-'E'
		import json, sys
		plan = json.load(open(sys.argv[1]))
		at = {s["name"]: i for i, s in enumerate(plan["switches"])}
		want = {("router", at[c[x]["switch"]], at[c[y]["switch"]]) for c in plan["cables"] for x, y in ("ab", "ba")}
		want |= {("node", at[e["switch"]], i) for i, e in enumerate(plan["endpoints"])}
		got = []
		for i, line in enumerate(open(sys.argv[2])):
		    word = line.split()
		    assert word[:2] == ["router", str(i)]
		    got += [(kind, i, int(n)) for kind, n in zip(word[2::2], word[3::2])]
		assert len(got) == len(set(got)) and set(got) == want, "links differ"
	E
}

# Debian's ibtopodiff reads both files and then ends by SIGSEGV when it compares them, also where it
# is right, so what it read is all that can be asked of it.
@test "ibdm: ibtopodiff reads as many systems and links as the plan has" {
	$M plan new slimfly q=5 p=3 -o "$T/p.json"
	$M plan export --to ibdm "$T/p.json" -o "$T/p.topo"
	$M route "$T/p.json" -o "$T/t" >/dev/null
	mkdir "$T/ibnl"
	{ printf 'TOPSYSTEM SW10\n\nNODE SW 10 MT47396 U1\n'; for i in {1..10}; do echo "$i -4x-> P$i"; done; } >"$T/ibnl/SW10.ibnl"
	printf 'TOPSYSTEM HCA1\n\nNODE CA 1 MT25208 U1\n1 -4x-> P1\n' >"$T/ibnl/HCA1.ibnl"
	diff_of() {
		IBDM_IBNL_PATH=$T/ibnl timeout 60 stdbuf -oL ibtopodiff -t "$1" -d "$T/t/opensm-subnet.lst" -s s0-0-0-h0/U1 -p 1 \
			-g 0x0000000000100001 2>&1 || true
	}
	[ "$(diff_of "$T/p.topo" | grep -c 'Defined 200/200 systems/nodes')" -eq 2 ]
	# A port that two cables share is an error to ibdm, and to import.
	sed '0,/ P4 -> SW10 s0-0-1 P4/s//P4 -> SW10 s0-0-1 P5/' "$T/p.topo" >"$T/wrong.topo"
	[[ $(diff_of "$T/wrong.topo") == *"Port:s0-0-1/P5 already connected"* ]]
	run -2 $M plan import --from ibdm "$T/wrong.topo"
	[[ $output == *"wrong.topo:"*"port 5"* ]]
	# What ibdm's manual page shows.
	printf 'MTS2400 S-1\n   P1 -> MT23108 H-1 P1\n   P2 -4x-5G-> MT23108 H-1 P2 # a comment\n   P24 -> MT23108 H-2 P1\n' >"$T/man.topo"
	run -0 $M plan import --from ibdm "$T/man.topo" -o "$T/m.json" --json
	holds '.switches == 1 and .endpoints == 3 and .ports == 24'
}

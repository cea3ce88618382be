# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# find.bats - moorectl find: what a LID, GUID, name or label means.
load lib

setup() {
	$M plan new slimfly q=3 p=2 -o "$T/bare.json" >/dev/null
	$M plan place "$T/bare.json" -o "$T/placed.json" --cabinet-size 6 --iterations 1000 >/dev/null
	jq '.cables |= [to_entries[] | .value + {label: "C\(.key)"}]' "$T/placed.json" >"$T/p.json"
	$M route "$T/p.json" --lmc 1 -o "$T/d" >/dev/null
}

@test "every switch and endpoint is found by name, GUID and each of its LIDs, and by no other" {
	# The oracle is opensm-subnet.lst, read here.
	python3 - "$M" "$T" <<-'EOF2'
	import json, random, re, subprocess, sys
	M, T = sys.argv[1:]
	def find(*words):
	    p = subprocess.run([M, "find", *words, "--json"], capture_output=True, text=True)
	    return p.returncode, json.loads(p.stdout)["matches"]
	plan = json.load(open(T + "/p.json"))
	lids = {}	# name: (guid, base, count)
	for l in open(T + "/d/opensm-subnet.lst"):
	    for m in re.finditer(r"\{ (CA|SW) Ports:\S+ SystemGUID:\S+ NodeGUID:(\S+) PortGUID:(\S+) .*? \{(.*?)\} LID:(\S+) ", l):
	        kind, node, port, name, lid = m.groups()
	        lids[name.strip()] = (kind, int(node, 16), int(port, 16), int(lid, 16))
	assert len(lids) == len(plan["switches"]) + len(plan["endpoints"]), len(lids)
	at = {s["name"]: s for s in plan["switches"]}
	for name, (kind, node, port, lid) in random.Random(1).sample(sorted(lids.items()), 12):
	    n = 2 if kind == "CA" else 1
	    words = [name, hex(port), str(lid), hex(lid), "lid %d" % lid, "lid 0x%x" % lid] + (["lid %d" % (lid + 1)] if n == 2 else [])
	    for w in words:
	        rc, found = find(w, T + "/p.json", T + "/d")
	        assert rc == 0 and len(found) == 1, (w, found)
	        m = found[0]
	        assert m["kind"] == ("endpoint" if kind == "CA" else "switch") and m["name"] == name
	        assert m["lid"] == lid and m["lids"] == n and m["planned"] and m["found"]
	        assert int(m["guid"], 16) == port
	        if kind == "SW":
	            assert (m["cabinet"], m["unit"]) == (at[name]["cabinet"], at[name]["unit"])
	            links = {(l["here"]["port"], l["there"].get("switch") or l["there"]["endpoint"]) for l in m["links"]}
	            want = {(x["port"], y["switch"]) for c in plan["cables"] for x, y in ((c["a"], c["b"]), (c["b"], c["a"]))
	                    if x["switch"] == name} | {(e["port"], e["name"]) for e in plan["endpoints"] if e["switch"] == name}
	            assert links == want
	        else:
	            e = next(e for e in plan["endpoints"] if e["name"] == name)
	            assert m["cabinet"] == at[e["switch"]]["cabinet"]
	            assert [(l["there"]["switch"], l["there"]["port"]) for l in m["links"]] == [(e["switch"], e["port"])]
	EOF2
}

@test "a cable is found by its own label, and by the label or the port of either end" {
	python3 - "$M" "$T" <<-'EOF2'
	import json, subprocess, sys
	M, T = sys.argv[1:]
	plan = json.load(open(T + "/p.json"))
	at = {s["name"]: s for s in plan["switches"]}
	def label(j): return "%s-%d-%d" % (at[j["switch"]]["cabinet"], at[j["switch"]]["unit"], j["port"])
	for c in plan["cables"][::9]:
	    for w in (c["label"], label(c["a"]), label(c["b"]), "%(switch)s[%(port)d]" % c["a"], "%(switch)s[%(port)d]" % c["b"]):
	        p = subprocess.run([M, "find", w, T + "/p.json", T + "/d", "--json"], capture_output=True, text=True)
	        m, = json.loads(p.stdout)["matches"]
	        l, = m["links"]
	        assert m["kind"] == "cable" and m["name"] == l["cable"] == c["label"] and m["found"] and m["length_m"] == c["length"]
	        for key, j in (("here", c["a"]), ("there", c["b"])):
	            assert l[key]["switch"] == j["switch"] and l[key]["port"] == j["port"] and l[key]["label"] == label(j)
	EOF2
	run -0 $M find 's0-0-0-h1[1]' "$T/p.json"
	[[ $output == "cable"$'\n'"  s0-0-0[2] ("*") -- s0-0-0-h1" ]]
}

@test "several matches are all listed, and none is exit code 1" {
	jq '(.. | strings | select(. == "s0-0-2")) = "5" | .cables[1].label = "5"' "$T/p.json" >"$T/five.json"
	$M route "$T/five.json" -o "$T/e" >/dev/null
	run -0 $M find 5 "$T/five.json" "$T/e" --json
	holds '[.matches[].kind] == ["switch", "switch", "cable"] and ([.matches[].name] | index("5")) != null'
	holds '[.matches[] | select(.kind == "switch" and .lid == 5)] | length == 1'
	run -1 $M find nobody "$T/p.json"
	[[ $output == "nobody: no switch, endpoint or cable has that name, GUID, LID or label" ]]
	run -1 $M find nobody "$T/p.json" "$T/d" --json
	holds '.ok == false and .matches == []'
	# A plan gives no LIDs, and no GUID that it does not hold.
	run -1 $M find 5 "$T/p.json"
	run -1 $M find 0x200000 "$T/p.json"
	run -1 $M find 0x0 "$T/p.json"
}

@test "what the plan or the fabric alone has" {
	jq 'del(.cables[2]) | (.. | strings | select(. == "s1-1-1")) = "stranger"' "$T/p.json" >"$T/seen.json"
	$M plan export "$T/seen.json" --to ibnetdiscover >"$T/seen"
	run -0 $M find C2 "$T/p.json" "$T/seen" --json
	holds '.matches[0] | .planned and .found == false'
	run -0 $M find C3 "$T/p.json" "$T/seen" --json
	holds '.matches[0] | .planned and .found'
	run -0 $M find s1-1-1 "$T/p.json" "$T/seen" --json
	holds '.matches[0] | .planned and .found == false and (.links | length) > 0 and .guid == null and .cabinet != null'
	run -0 $M find stranger "$T/p.json" "$T/seen"
	[[ $output == "switch stranger, GUID 0x"*", not in the plan"$'\n'* ]]
	run -0 $M find s1-1-1 "$T/p.json" "$T/seen"
	[[ $output == "switch s1-1-1, cabinet "*", not in the fabric"$'\n'* ]]
	# Tables alone: no plan, so neither is known.
	run -0 $M find s1-1-1 "$T/d" --json
	holds '.matches[0] | .planned == null and .found and .cabinet == null and .lid > 0'
}

@test "misuse of find" {
	run --separate-stderr -2 $M find
	run --separate-stderr -2 $M find x "$T/none"
	says "$T/none"
	run --separate-stderr -2 $M find x "$T/p.json" "$T/none"
	says "$T/none"
	run --separate-stderr -2 $M find x --socket "$T/none.sock"
	says "moorectl find WORD PLAN"
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# place.bats - the places of cabinets on the floor, and the lists by which crews cable.
load lib

setup() {
	$M plan new slimfly q=5 p=2 -o "$T/p.json" >/dev/null
}

placed() {	# OPTIONS: q.json is p.json placed
	$M plan place "$T/p.json" -o "$T/q.json" --iterations 20000 "$@" >/dev/null
}

# lengths FILE: true if each cable has the length that the model gives for its cabinets.
lengths() {
	jq -e --argjson dx "$2" --argjson dy "$3" '
		(.floor.cabinets | map({(.name): .}) | add) as $f |
		(.switches | map({(.name): .cabinet}) | add) as $c |
		all(.cables[]; ($f[$c[.a.switch]]) as $a | ($f[$c[.b.switch]]) as $b |
			(if $a == $b then 2 else
				4 + $dx * ($a.column - $b.column | fabs) + $dy * ($a.row - $b.row | fabs)
			end - .length | fabs) < 1e-9)' "$1" >/dev/null
}

@test "every cable is as long as the model says" {
	placed --model fujiwara
	lengths "$T/q.json" 0.6 2.1
	placed --model young
	lengths "$T/q.json" 0.6 2
	placed --cabinet-size 4 --pitch 0.8x1.5
	lengths "$T/q.json" 0.8 1.5
	[ "$(jq '[.switches[].cabinet] | group_by(.) | map(length) | max' "$T/q.json")" = 4 ]
	[ "$(jq '[.switches[] | "\(.cabinet) \(.unit)"] | unique | length' "$T/q.json")" = 50 ]
	$M plan check "$T/q.json"
}

@test "the report states the gap to both bounds, and a seed repeats" {
	run -0 $M plan place "$T/p.json" -o "$T/a.json" --seed 7 --iterations 20000 --json
	holds '.cabinets == 4 and .rows == 2 and .columns == 2 and .cables == 175'
	holds '.total_m <= .before_m and .bound_m <= .total_m and .bound_any_m <= .bound_m'
	holds '(.gap - (.total_m / .bound_m - 1) | fabs) < 1e-9'
	total=$(jq '[.cables[].length] | add' "$T/a.json")
	holds "(.total_m - $total | fabs) < 1e-6"
	$M plan place "$T/p.json" -o "$T/b.json" --seed 7 --iterations 20000 >/dev/null
	cmp "$T/a.json" "$T/b.json"
	$M plan place "$T/a.json" -o "$T/b.json" --seed 7 --iterations 20000 >/dev/null
	cmp "$T/a.json" "$T/b.json"
	run -0 $M plan place "$T/p.json" -o "$T/b.json" --assign sequential --iterations 0
	[[ $output == *"for these cabinets: at most "*" % from the best"* ]]
	$M plan place - -o - --iterations 0 <"$T/p.json" | $M plan check -
}

@test "one row is written in the singular" {
	run -0 $M plan place "$T/p.json" -o "$T/a.json" --cabinet-size 50 --iterations 0
	[[ ${lines[1]} == "cabinets       1 in 1 row of 1, model fujiwara" ]]
}

@test "a terminal sees how far placing is" {
	$M plan new slimfly q=13 -o "$T/p.json" >/dev/null
	run -0 script -qec "$M plan place '$T/p.json' -o '$T/q.json' --model young --iterations 3000000" /dev/null
	[[ $output =~ "moorectl: placing, 1 s, "[0-9]+" %" ]]
	run -0 --separate-stderr $M plan place "$T/p.json" -o "$T/q.json" --model young --iterations 3000000
	[ -z "$stderr" ]
}

@test "the list has every cable once, with labels and a stock that reaches" {
	placed --cabinet-size 8
	run -0 $M plan cables "$T/q.json" --json
	holds '.cables == 175 and (.lines | length) == 275'
	holds '[.lines[] | .a_label, (.b_label // empty)] | length == (unique | length)'
	holds 'all(.lines[] | select(.kind == "cable"); .stock_m >= .length_m)'
	holds '([.stock[].pieces] | add) == 275 and .metres_bought >= .metres and .without_price == 275'
	holds '.to_endpoints == 100 and ([.stock[].to_endpoints] | add) == 100'
	holds 'all(.lines[] | select(.kind == "endpoint"); .length_m == 2 and .stock_m == 2)'
	holds '(.metres_bought - ([.stock[] | .pieces * .length_m] | add) | fabs) < 1e-6'
	# A label names the cabinet, unit and port of the plan.
	label=$(jq -r '.switches[0] as $s | .cables[] | select(.a.switch == $s.name) |
		"\($s.cabinet)-\($s.unit)-\(.a.port)"' "$T/q.json" | head -n1)
	holds "[.lines[] | .a_label, .b_label] | index(\"$label\") != null"
}

@test "by pair of cabinets, by bundle, by crew" {
	placed --cabinet-size 8
	run -0 $M plan cables "$T/q.json"
	[[ $output == *"inside A01: "* && $output == *"A01 to A02: "* && $output == *"to endpoints: "* ]]
	sum=$(awk '/^(inside|[A-Z][0-9]+ to) .*: [0-9]+$/ { s += $NF } END { print s }' <<<"$output")
	[ "$sum" = 275 ]
	run -0 $M plan cables "$T/q.json" --by bundle
	[[ $output == *"bundle 2: A01 to row "* ]]
	run -0 $M plan cables "$T/q.json" --by cabinet
	[ "$(grep -cE '^from [A-Z0-9]+: [0-9]+$' <<<"$output")" -le 7 ]
	sum=$(awk '/^(from [A-Z][0-9]+|[A-Z][0-9]+ to endpoints): [0-9]+$/ { s += $NF } END { print s }' <<<"$output")
	[ "$sum" = 275 ]
	run -0 $M plan cables "$T/q.json" --crews 4
	[[ $output == *"crew 1, inside A01: "* && $output == *"crew 4, "* && $output != *"crew 5"* ]]
	run -0 $M plan cables "$T/q.json" --crews 4 --json
	holds '[.lines[].crew] | group_by(.) | map(length) | . == [69,69,69,68] or (max - min) <= 1'
}

@test "without --by, many pairs are listed by bundle, and many bundles by cabinet" {
	placed --cabinet-size 8
	run -0 $M plan cables "$T/q.json"
	cmp <(echo "$output") <($M plan cables "$T/q.json" --by pair)
	placed --cabinet-size 1
	run -0 $M plan cables "$T/q.json"
	cmp <(echo "$output") <($M plan cables "$T/q.json" --by bundle)
	$M plan new slimfly q=7 p=1 -o "$T/p.json" >/dev/null
	placed --cabinet-size 1
	run -0 $M plan cables "$T/q.json"
	cmp <(echo "$output") <($M plan cables "$T/q.json" --by cabinet)
}

@test "cables to endpoints have one length, and are ordered with the others" {
	placed
	printf '2.5,copper,10\n5,copper,20\n10,optical,100\n' >"$T/cat"
	run -0 $M plan cables "$T/q.json" --catalogue "$T/cat" --endpoint-length 4 --json
	holds '[.stock[] | select(.to_endpoints > 0)] | length == 1 and .[0].length_m == 5 and .[0].to_endpoints == 100'
	run -0 $M plan cables "$T/q.json" --catalogue "$T/cat" --endpoint-length 2.5
	[[ $output == *"100 to endpoints, 2.5 m each"* ]]
	run --separate-stderr -2 $M plan cables "$T/q.json" --catalogue "$T/cat" --endpoint-length 11
	says "cables to endpoints: 11 m: longer than every cable of the catalogue"
}

@test "a catalogue: prices, the copper limit, what is too long" {
	placed
	printf '# ours\n2.5,copper,10\n5,copper,20\n10,optical,100\n20,optical\n' >"$T/cat"
	run -0 $M plan cables "$T/q.json" --catalogue "$T/cat" --json
	holds 'all(.lines[] | select(.kind == "cable"); (.medium == "copper") == (.length_m <= 5))'
	holds '.price == ([.stock[] | .price] | add)'
	holds 'all(.stock[]; .price == .pieces * {"2.5": 10, "5": 20, "10": 100, "20": 0}["\(.length_m)"])'
	run -0 $M plan cables "$T/q.json" --catalogue "$T/cat"
	[[ $output == *"2.5 m copper "*" at 10.00: "* && $output == *"price "* ]]
	printf '3,copper\n' >"$T/cat"
	run --separate-stderr -2 $M plan cables "$T/q.json" --catalogue "$T/cat"
	says "longer than every cable of the catalogue: add one, or place the cabinets closer"
	printf '3,copper\n\n4,tin\n' >"$T/cat"
	run --separate-stderr -2 $M plan cables "$T/q.json" --catalogue "$T/cat"
	says "$T/cat:3: \"tin\": the kind is copper or optical"
}

@test "names are quoted in CSV and escaped on the page" {
	placed
	jq '(.. | strings | select(. == "s0-0-0")) = "<b>&\u0027, x" |
		(.. | strings | select(. == "A01")) = "R<1>,\u0022" |
		.cables[0].label = "<script>alert(1)</script>, \"q\""' "$T/q.json" >"$T/evil.json"
	run -0 $M plan cables "$T/evil.json" --csv "$T/c.csv" --html "$T/c.html"
	python3 - "$T" <<-'EOF2'
	import csv, sys, html.parser
	T = sys.argv[1]
	rows = list(csv.DictReader(open(T + "/c.csv", newline="")))
	assert len(rows) == 275, len(rows)
	assert all(None not in r and None not in r.values() for r in rows)
	assert any(r["a_node"].startswith("<b>&'") or r["b_node"].startswith("<b>&'") for r in rows)
	assert any(r["label"] == '<script>alert(1)</script>, "q"' for r in rows)
	assert any(r["a_label"].startswith('R<1>,"-') for r in rows)
	class P(html.parser.HTMLParser):
	    tags, text = set(), ""
	    def handle_starttag(self, tag, attrs): self.tags.add(tag)
	    def handle_data(self, data): self.text += data
	p = P(convert_charrefs=True)
	p.feed(open(T + "/c.html").read())
	assert not p.tags & {"script", "b", "1", "r"}, p.tags
	assert {"svg", "rect", "table"} <= p.tags
	for s in ("<b>&'", '<script>alert(1)</script>, "q"', 'R<1>,"-1-', 'inside R<1>,"'):
	    assert s in p.text, s
	EOF2
}

@test "each end of each cable has a label of its own, and the other end's beside it" {
	placed --cabinet-size 8
	jq '(.. | strings | select(. == "s0-0-0-h0")) = "=1+1, x" | .cables[0].label = "our, 1"' "$T/q.json" >"$T/e.json"
	$M plan cables "$T/e.json" --labels "$T/l.csv" >/dev/null
	python3 - "$T" <<-'EOF2'
	import csv, json, sys
	T = sys.argv[1]
	plan = json.load(open(T + "/e.json"))
	rows = list(csv.DictReader(open(T + "/l.csv", newline="")))
	assert len(rows) == 2 * 275 and all(None not in r and None not in r.values() for r in rows)
	at = {s["name"]: (s["cabinet"], str(s["unit"])) for s in plan["switches"]}
	want = set()
	for c in plan["cables"]:
	    for x, y in ((c["a"], c["b"]), (c["b"], c["a"])):
	        want.add((x["switch"], str(x["port"]), y["switch"], str(y["port"])))
	for e in plan["endpoints"]:
	    n = e["name"] if e["name"][0] != "=" else "'" + e["name"]
	    want |= {(n, "1", e["switch"], str(e["port"])), (e["switch"], str(e["port"]), n, "1")}
	got = {(r["node"], r["port"], r["far_node"], r["far_port"]) for r in rows}
	assert got == want and len(got) == len(rows)
	assert len({r["here"] for r in rows}) == len(rows)
	for a, b in zip(rows[::2], rows[1::2]):
	    assert a["line"] == b["line"] and a["end"] + b["end"] == "AB"
	    assert a["here"] == b["there"] and b["here"] == a["there"]
	for r in rows:
	    if r["node"] in at:
	        assert (r["cabinet"], r["unit"]) == at[r["node"]]
	        assert r["here"] == "-".join((r["cabinet"], r["unit"], r["port"]))
	    else:
	        assert r["unit"] == "" and r["here"] == r["node"] + "[1]"
	assert sum(r["label"] == "our, 1" for r in rows) == 2
	EOF2
}

@test "the sheet: a cover, each group on a page, each cable once, ways that cross no cabinet" {
	placed --cabinet-size 8
	for by in pair bundle cabinet; do
		$M plan cables "$T/q.json" --by $by --html "$T/c.html" --title 'Hall <3>' --date 2031-02-03 >/dev/null
		$M plan cables "$T/q.json" --by $by --json >"$T/c.json"
		python3 - "$T" <<-'EOF2'
		import html.parser, json, re, sys, xml.etree.ElementTree as E
		T = sys.argv[1]
		page = open(T + "/c.html").read()
		lines = json.load(open(T + "/c.json"))["lines"]
		assert not re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)|<link|<img", page)
		assert "section{break-before:page}" in page and "thead{display:table-header-group}" in page
		cover, *groups = page.split("<section>")
		for s in ("Hall &lt;3&gt;", "2031-02-03", "slimfly q=5 p=2", "cables to endpoints<td>100"):
		    assert s in cover, s
		assert re.search("hash of the plan<td>0x[0-9a-f]{16}<", cover)
		# Rows, in order, are the lines of the list: box, stock, and label, node and port of both ends.
		class Rows(html.parser.HTMLParser):
		    def __init__(self): super().__init__(); self.row, self.rows = None, []
		    def handle_starttag(self, tag, attrs):
		        if tag == "tr": self.row = []
		        elif tag == "td": self.row.append("")
		    def handle_data(self, d):
		        if self.row: self.row[-1] += d.strip()
		    def handle_endtag(self, tag):
		        if tag == "tr":
		            if self.row: self.rows.append(self.row)
		            self.row = None
		rows = []
		for g in groups:
		    p = Rows(); p.feed(g); rows += p.rows
		    assert g.count('<span></span>') == len(p.rows) and g.count("<thead>") == g.count("<svg") == 1
		    heading = re.search("<h2>(.*: ([0-9]+)) cables?</h2>", g)
		    assert int(heading.group(2)) == len(p.rows) and g.count(heading.group(1)) == 2
		want = [[str(i + 1), "", "%g m %s" % (l["stock_m"], l["medium"]), l["a_label"], l["a_node"], str(l["a_port"]),
		         l["b_label"] or "%s[%d]" % (l["b_node"], l["b_port"]), l["b_node"], str(l["b_port"])]
		        for i, l in enumerate(lines)]
		assert rows == want and len(rows) == 275
		n = "{http://www.w3.org/2000/svg}"
		def box(r): return [float(r.get(k)) for k in ("x", "y", "width", "height")]
		floor = None
		for part in page.split("<svg")[1:]:
		    r = E.fromstring("<svg" + part.split("</svg>")[0] + "</svg>")
		    w, h = map(float, r.get("viewBox").split()[2:])
		    if floor is None:
		        floor = [box(x) for x in r.iter(n + "rect")]
		        assert len(floor) == 7 and len(list(r.iter(n + "text"))) == 14 and r.find(n + "g").get("id") == "floor"
		        assert all(0 <= x and x + a <= w and 0 <= y and y + b <= h for x, y, a, b in floor)
		        for i, (x, y, a, b) in enumerate(floor):
		            assert not any(x < X + A and X < x + a and y < Y + B and Y < y + b for X, Y, A, B in floor[:i])
		        continue
		    assert r.find(n + "use").get("href") == "#floor" and all(box(x) in floor for x in r.iter(n + "rect"))
		    ways = [[tuple(map(float, q.split(","))) for q in x.get("points").split()] for x in r.iter(n + "polyline")]
		    assert len(ways) == len(r.findall(n + "rect")) - 1
		    for way in ways:
		        for (x1, y1), (x2, y2) in zip(way, way[1:]):
		            assert (x1 == x2 or y1 == y2) and max(x1, x2) <= w and max(y1, y2) <= h
		            assert not any(min(x1, x2) < X + A and X < max(x1, x2) and min(y1, y2) < Y + B and Y < max(y1, y2)
		                           for X, Y, A, B in floor)
		    assert len({tuple(way[-1]) for way in ways}) == len(ways)
		EOF2
	done
	cp "$T/c.html" "$T/d.html"
	$M plan cables "$T/q.json" --by cabinet --html "$T/c.html" --title 'Hall <3>' --date 2031-02-03 >/dev/null
	cmp "$T/c.html" "$T/d.html"
}

@test "the sheet: what a crew has, where another crew has the rest, and how to read a label" {
	placed --cabinet-size 8
	for by in pair bundle cabinet; do
		$M plan cables "$T/q.json" --by $by --crews 3 --html "$T/c.html" >/dev/null
		$M plan cables "$T/q.json" --by $by --crews 3 --json >"$T/c.json"
		python3 - "$T" <<-'EOF2'
		import html, json, re, sys
		T = sys.argv[1]
		page = open(T + "/c.html").read()
		cover, *groups = page.split("<section>")
		lines = json.load(open(T + "/c.json"))["lines"]
		crews = re.findall("<tr><td>([0-9]+)<td>([0-9]+) to ([0-9]+)<td>([0-9]+)<td>(.*)<td>(.*)</tr>", cover)
		heads = [re.search("<h2>crew ([0-9]+), (.*): ([0-9]+) cables?</h2>", g).groups() for g in groups]
		assert [int(c[0]) for c in crews] == [1, 2, 3], crews
		for crew, first, last, n, begins, ends in crews:
		    mine = [i + 1 for i, l in enumerate(lines) if l["crew"] == int(crew)]
		    assert mine == list(range(int(first), int(last) + 1)) and len(mine) == int(n)
		    own = [h for h in heads if h[0] == crew]
		    assert own[0][1] == begins and own[-1][1] == ends and sum(int(h[2]) for h in own) == int(n)
		# The two parts of a group name each other, and nothing else does.
		place = lambda h: re.sub(", (begun|ended) by crew [0-9]+", "", h[1])
		for a, b in zip(heads, heads[1:]):
		    parts = place(a) == place(b)
		    assert (", ended by crew " + b[0] in a[1]) == parts == (", begun by crew " + a[0] in b[1]), (a, b)
		assert any("begun by" in h[1] for h in heads)
		l = lines[0]
		assert "<strong>%s</strong> is port %d of the switch %s." % (l["a_label"], l["a_port"], l["a_node"]) in cover
		EOF2
	done
	# One crew has all, and the sheet has no such table.
	$M plan cables "$T/q.json" --html "$T/c.html" >/dev/null
	! grep -qE '<h2>Crews|by crew' "$T/c.html"
}

@test "printed by Chromium, each group begins a page and long tables repeat their heads" {
	command -v chromium >/dev/null && command -v pdftotext >/dev/null || skip "no chromium or pdftotext"
	placed --cabinet-size 16
	mkdir "$T/print"
	$M plan cables "$T/q.json" --by cabinet --html "$T/print/c.html" >/dev/null
	# Chromium's sandbox refuses root.
	user=()
	if [ "$(id -u)" = 0 ]; then
		chmod o+x "$T" "${T%/*}" "${T%/*/*}"
		chown 65534 "$T/print"
		user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	fi
	(cd "$T/print" && "${user[@]}" env HOME="$T/print" timeout 120 chromium --headless --disable-gpu \
		--no-pdf-header-footer --print-to-pdf="$T/print/c.pdf" "file://$T/print/c.html") 2>"$T/print/err" ||
		{ cat "$T/print/err"; false; }
	pdftotext -layout "$T/print/c.pdf" "$T/c.txt"
	python3 - "$T" <<-'EOF2'
	import re, sys
	T = sys.argv[1]
	sizes = [int(n) for n in re.findall("<h2>.*: ([0-9]+) cables?</h2>", open(T + "/print/c.html").read())]
	pages = open(T + "/c.txt").read().split("\f")[:-1]
	assert max(sizes) > 40, sizes	# one group at least needs a second page
	assert 1 + len(sizes) < len(pages) <= 1 + sum(1 + n // 40 for n in sizes), (len(pages), sizes)
	rows = [[l.split()[0] for l in p.split("\n") if re.match(r" *\d+ .*(copper|optical)", l)] for p in pages]
	assert sum(rows[1:], []) == [str(i + 1) for i in range(275)]
	assert all("one end" in p and "other end" in p for p in pages[1:])
	assert all("page %d of %d" % (i + 1, len(pages)) in p for i, p in enumerate(pages))
	assert all("label: cabinet-unit-port, unit 1 is the lowest" in p for p in pages)
	EOF2
	# A crew that has the sheet, the racks and nothing else: it finds a switch by cabinet and unit, an
	# endpoint by its name. moored finds what it plugged.
	jq '[.switches[] | {name, cabinet, unit, ports}]' "$T/q.json" >"$T/racks.json"
	python3 - "$T" <<-'EOF2'
	import json, re, sys
	T = sys.argv[1]
	racks = {(s["cabinet"], s["unit"]): s for s in json.load(open(T + "/racks.json"))}
	cables, ends = [], []
	for line in open(T + "/c.txt"):
	    row = re.match(r" *\d+ +[\d.]+ m (?:copper|optical) +(\S+?)-(\d+)-(\d+) +\S+ +\d+ +(\S+) ", line)
	    if not row:
	        continue
	    cabinet, unit, port, there = row.groups()
	    one = {"switch": racks[cabinet, int(unit)]["name"], "port": int(port)}
	    host = re.fullmatch(r"(\S+)\[(\d+)\]", there)
	    if host:
	        ends.append({"name": host[1], **one})
	    else:
	        cabinet, unit, port = there.rsplit("-", 2)
	        cables.append({"a": one, "b": {"switch": racks[cabinet, int(unit)]["name"], "port": int(port)}})
	json.dump({"moore_plan": 1, "switches": [{"name": s["name"], "ports": s["ports"]} for s in racks.values()],
	           "endpoints": ends, "cables": cables}, open(T + "/plugged.json", "w"))
	EOF2
	run -0 $M check "$T/q.json" "$T/plugged.json"
	[[ $output == *"50 switches, 100 endpoints, 175 cables: cabled as planned" ]]
}

@test "a full disk is told, and nothing is half written" {
	placed
	for o in csv labels html; do
		run --separate-stderr -2 $M plan cables "$T/q.json" --$o /dev/full
		says "/dev/full: cannot write: No space left on device"
	done
	run --separate-stderr -2 bash -c "$M plan cables '$T/q.json' --html - >/dev/full"
	says "No space left on device"
	run --separate-stderr -2 $M plan place "$T/p.json" -o /dev/full --iterations 0
	says "/dev/full: cannot write: No space left on device"
	mkdir "$T/d"
	echo old >"$T/d/c.csv"
	run --separate-stderr -2 bash -c "trap '' XFSZ; ulimit -f 4; $M plan cables '$T/q.json' \
		--csv '$T/d/c.csv' --html '$T/d/c.html'"
	says "nothing was changed"
	[ "$(cat "$T/d/c.csv")" = old ]
	only "$T/d" c.csv
}

@test "misuse of place and cables" {
	placed
	run --separate-stderr -2 $M plan cables "$T/p.json"
	says "$T/p.json: switches[0]: \"s0-0-0\" has no cabinet on the floor, or no unit: place the plan first"
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M $args
		[ -z "$output" ]
		says "$part"
	done <<-ROWS
	plan place $T/p.json|-o FILE is missing
	plan place $T/p.json -o $T/x --model ours|--model ours: it is fujiwara or young
	plan place $T/p.json -o $T/x --assign best|it is sequential, structure or refined
	plan place $T/p.json -o $T/x --pitch 0.6|want metres WIDTHxDEPTH, as in 0.6x2.1
	plan place $T/p.json -o $T/x --pitch 0.6x0|want metres WIDTHxDEPTH
	plan place $T/p.json -o $T/x --pitch 1x1000|pitch of cabinets: 0.001..100 metres
	plan place $T/p.json -o $T/x --pitch nanx1|want metres WIDTHxDEPTH
	plan place $T/p.json -o $T/x --cabinet-size 0|--cabinet-size
	plan place $T/p.json -o $T/x --iterations many|--iterations
	plan place $T/none -o $T/x|No such file
	plan cables $T/q.json --by crew|--by crew: it is pair, bundle or cabinet
	plan cables $T/q.json --crews 0|--crews
	plan cables $T/q.json --catalogue $T/none|No such file
	plan cables $T/q.json --endpoint-length 2m|--endpoint-length 2m: want metres, as in 2.5
	plan cables $T/q.json --endpoint-length 0|want metres
	plan cables $T/q.json --date 2031-02-03|--title and --date are printed on the sheet: add --html FILE
	ROWS
	[ ! -e "$T/x" ]
}

@test "names that a spreadsheet would run, or that hide what they are, do neither" {
	rlo=$(printf '\xe2\x80\xae')
	$M plan new slimfly q=3 -o "$T/p.json" >/dev/null
	sed -i "s/\"s0-0-0\"/\"=1+1\"/g; s/\"s0-0-1\"/\"a${rlo}b\"/g" "$T/p.json"
	$M plan place "$T/p.json" -o "$T/q.json" --iterations 10 >/dev/null
	$M plan cables "$T/q.json" --csv "$T/c.csv" --html "$T/c.html" >/dev/null
	grep -q ",'=1+1," "$T/c.csv"
	grep -qF ',a\u202eb,' "$T/c.csv"
	grep -q 'a&#xfffd;b' "$T/c.html"
	run -0 $M plan cables "$T/q.json"
	[[ $output == *"a?b["* && $output == *"=1+1["* ]]
	run -0 $M plan cables "$T/q.json" --json
	[[ $output == *'a\u202eb'* ]]
	for f in "$T/c.csv" "$T/c.html" <($M plan cables "$T/q.json") <($M plan cables "$T/q.json" --json); do
		! grep -q "$rlo" "$f"
	done
	! grep -qE '(^|,)"?[=+@-]' "$T/c.csv"
	# The list of cables as CSV, exported and imported.
	$M plan export --to csv "$T/p.json" -o "$T/list.csv"
	! grep -qE "(^|,)\"?[=+@-]|$rlo" "$T/list.csv"
	$M plan import --from csv "$T/list.csv" -o "$T/back.json" >/dev/null
	cmp <(jq -r '.switches[].name' "$T/p.json" | sort) <(jq -r '.switches[].name' "$T/back.json" | sort)
	run --separate-stderr -2 $M plan export --to opa "$T/p.json"
	says "begins like a formula, which this format cannot"
}

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# draw.bats - pictures of plans: what stands in them, read by an XML parser.
load lib

# count FILE ELEMENT: how many there are.
count() {
	python3 -c 'import sys, xml.etree.ElementTree as t
print(len(t.parse(sys.argv[1]).findall(".//{http://www.w3.org/2000/svg}" + sys.argv[2])))' "$@"
}

# inside FILE: every switch or cabinet lies within the picture, and no two of them in one place.
inside() {
	python3 -c 'import sys, xml.etree.ElementTree as t
root = t.parse(sys.argv[1]).getroot()
at = [(float(r.get("x")), float(r.get("y"))) for r in root.iter("{http://www.w3.org/2000/svg}rect")
      if r.get("stroke")]
assert len(at) == len(set(at)), "two in one place"
assert all(0 <= x <= float(root.get("width")) and 0 <= y <= float(root.get("height")) for x, y in at), "outside"
print(len(at))' "$1"
}

@test "each family is drawn with all its switches and links inside the picture" {
	cd "$T"
	for f in "slimfly q=5" "oft k=3" "mlfm h=4" "dragonfly a=4 h=2" "hyperx s1=4 s2=3" "torus a=4 b=3 c=3" \
		"fattree2 k=6" "fattree3 k=4" "polarfly q=4" "lps p=3 q=5" "bundlefly p=5 s=3" "jellyfish n=20 k=4" \
		"dfplus s=2" "sspt r1=3 r2=2" "hypercube n=4" "xpander d=4 k=3" "dln n=16 k=3" "myriclos n=64"; do
		"$M" plan new $f -o p.json >/dev/null
		"$M" plan draw p.json --svg p.svg
		[ "$(inside p.svg)" = "$(jq '.switches | length' p.json)" ] || { echo "$f"; false; }
		[ "$(count p.svg g/*)" -ge "$(jq '[.cables[] | [.a.switch, .b.switch]] | unique | length' p.json)" ]
	done
}

# places FILE: a line NAME X Y for each switch of a picture.
places() {
	python3 -c 'import sys, xml.etree.ElementTree as t
for r in t.parse(sys.argv[1]).getroot().iter("{http://www.w3.org/2000/svg}rect"):
    if r.get("stroke"): print(r[0].text, r.get("x"), r.get("y"))' "$1"
}

@test "trees have their hosts at the bottom and their roots at the top, each level in a row" {
	cd "$T"
	for f in "fattree3 k=4:rml" "fattree3 k=6:rml" "fattree2 k=6:sl" "mlfm h=4:gl" "sspt r1=3 r2=2:bt"; do
		"$M" plan new ${f%:*} -o p.json >/dev/null
		"$M" plan draw p.json --svg p.svg
		# From the top: the letters of the rows, one for each.
		got=$(places p.svg | awk '{ print $3, substr($1, 1, 1) }' | sort -n -u | awk '{ printf "%s", $2 }')
		[ "$got" = "${f#*:}" ] || { echo "$f: $got"; false; }
	done
	# A wide one has columns, in the same order.
	"$M" plan new fattree3 k=20 -o p.json >/dev/null
	"$M" plan draw p.json --svg p.svg
	got=$(places p.svg | awk '{ print $3, substr($1, 1, 1) }' | sort -n | awk '{ printf "%s", $2 }' | tr -s rml)
	[ "$got" = rml ] || { echo "$got"; false; }
}

@test "the names of a tree's parts lie between its switches" {
	cd "$T"
	for f in "fattree3 k=12" "fattree3 k=14" "mlfm h=11" "sspt r1=6 r2=2"; do
		"$M" plan new $f -o p.json >/dev/null
		"$M" plan draw p.json --svg p.svg
		# In pixels, letters of this size are 7 wide and an m is 11.
		python3 -c 'import sys, xml.etree.ElementTree as t
svg = "{http://www.w3.org/2000/svg}"
root = t.parse(sys.argv[1]).getroot()
ends = [(float(r.get("x")) + float(r.get("width")), float(r.get("y"))) for r in root.iter(svg + "rect") if r.get("stroke")]
names = [e for e in root.iter(svg + "text") if e.get("text-anchor") == "end"]
assert names
for e in names:
    x, y = float(e.get("x")), float(e.get("y"))
    left = x - sum(11 if c == "m" else 7 for c in e.text)
    assert not any(left < at < x and abs(y - 8 - top) < 4.5 for at, top in ends), e.text' p.svg
	done
}

# Neighbours of the last dimension lie side by side and those of the one before it below one another; the
# planes of a third dimension are equally far apart.
@test "a torus and a HyperX are drawn as grids" {
	cd "$T"
	for f in "torus a=4 b=3 c=5" "hyperx s1=2 s2=4 s3=3" "torus2d a=4 b=7" "torus a=3 c=4 e=2 f=3"; do
		"$M" plan new $f -o p.json >/dev/null
		"$M" plan draw p.json --svg p.svg
		inside p.svg
		places p.svg | python3 -c 'import sys
at = {}
for line in sys.stdin:
    name, x, y = line.split()
    at[tuple(map(int, name[1:].split("-")))] = float(x), float(y)
dims = len(next(iter(at)))
for i in range(dims):
    # From each switch to the next one of a dimension it is as far and in the same direction.
    step = {(round(at[n][0] - at[v][0]), round(at[n][1] - at[v][1])) for v in at
            for n in [v[:i] + (v[i] + 1,) + v[i + 1:]] if n in at}
    assert len(step) == 1, (i, step)
    x, y = step.pop()
    assert i < dims - 2 or (x == 0) != (y == 0), (i, x, y)
    assert i != dims - 1 or y == 0, (x, y)'
	done
	# Other names: a ring, as for any graph.
	"$M" plan new torus a=3 b=3 -o p.json >/dev/null
	jq '(.. | strings | select(. == "t0-0")) = "spine"' p.json >named.json
	"$M" plan draw named.json --svg named.svg
	[ "$(inside named.svg)" = 9 ]
}

@test "a SpectralFly looks the same when it is turned by one of its q parts" {
	cd "$T"
	for f in "lps p=3 q=5 120 5" "lps p=5 q=7 336 7" "lps p=11 q=7 168 7"; do
		set -- $f
		"$M" plan new $1 $2 $3 -o p.json >/dev/null
		"$M" plan draw p.json --svg p.svg
		[ "$(inside p.svg)" = "$4" ]
		places p.svg >places
		python3 -c 'import json, math, sys
parts = int(sys.argv[1])
at = {n: (float(x), float(y)) for n, x, y in map(str.split, open("places"))}
cx, cy = (sum(p[i] for p in at.values()) / len(at) for i in (0, 1))
ring = sorted(at, key=lambda n: math.atan2(at[n][1] - cy, at[n][0] - cx))
place = {n: i for i, n in enumerate(ring)}
links = {frozenset((place[c["a"]["switch"]], place[c["b"]["switch"]])) for c in json.load(open("p.json"))["cables"]}
turned = {frozenset((i + len(ring) // parts) % len(ring) for i in l) for l in links}
assert links == turned, len(links & turned)' "$5"
	done
	# With another name there is no such picture: switches follow one another as in the plan.
	jq '.switches[9].name as $n | (.. | strings | select(. == $n)) = "other"' p.json >named.json
	"$M" plan draw named.json --svg named.svg
	[ "$(inside named.svg)" = 168 ]
}

@test "the load of a job colours the links" {
	cd "$T"
	"$M" plan new slimfly q=5 -o q5.json >/dev/null
	"$M" plan draw q5.json --svg none.svg
	"$M" plan draw q5.json --routing SD --pattern shift --svg shift.svg
	! grep -q 'stroke="#a50f15"' none.svg
	grep -q 'stroke="#a50f15"' shift.svg
	grep -q 'SD, shift, linear' shift.svg
	# The greatest load stands at the legend: half of all nodes send to one switch each.
	max=$("$M" predict q5.json --routing SD --pattern shift --json | jq '.rows[0].max')
	grep -q ">${max%.0}</text>" shift.svg
	# Without --svg the picture goes to standard output.
	"$M" plan draw q5.json | cmp - none.svg
}

@test "the floor shows every cabinet, and asks for one if there is none" {
	cd "$T"
	"$M" plan new oft k=4 -o o.json >/dev/null
	run "$M" plan draw o.json --floor
	[[ $status = 2 && $output == *"plan place"* ]]
	"$M" plan place o.json --cabinet-size 4 --iterations 1000 -o placed.json >/dev/null
	"$M" plan draw placed.json --floor --svg floor.svg
	[ "$(inside floor.svg)" = "$(jq '.floor.cabinets | length' placed.json)" ]
	jq 'del(.switches[3].cabinet, .switches[3].unit)' placed.json >one.json
	run "$M" plan draw one.json --floor
	[[ $status = 2 && $output == *"in no cabinet"* ]]
}

@test "many links: one line for those between two groups" {
	cd "$T"
	"$M" plan new dragonfly a=20 -o d.json >/dev/null
	[ "$(jq '.cables | length' d.json)" -lt 8000 ]
	"$M" plan draw d.json --svg few.svg
	[ "$(inside few.svg)" = 420 ]
	"$M" plan new dragonfly a=16 h=4 -o d.json >/dev/null
	[ "$(jq '.cables | length' d.json)" -gt 8000 ]
	"$M" plan draw d.json --svg many.svg
	[ "$(inside many.svg)" = 65 ]
	grep -q "each line stands for several" many.svg
}

@test "names of any kind are quoted; misuse is refused" {
	cd "$T"
	"$M" plan new mlfm h=2 -o m.json >/dev/null
	jq '(.. | strings | select(. == "l0-0")) = "<b>&x"' m.json >named.json
	"$M" plan draw named.json --svg named.svg
	[ "$(inside named.svg)" = 9 ]
	for bad in "--pattern nosuch" "--routing SD,SI" "--pattern shift,mesh" "--lmc 9" "--svg /nosuch/x.svg"; do
		run "$M" plan draw m.json $bad
		[ "$status" = 2 ] || { echo "$bad"; false; }
	done
}

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""moves.py LINKS REPAIR STEP - prints the moves of one step of a repair (`moorectl repair
--json`) as lines for ibsim's console.  LINKS (`moorectl links --json`) is the fabric
before that step.  All ends that the step moves are first unplugged and then plugged in.
A new cable with only one end plugged in is invisible, so it makes no line."""
import json
import sys


def jack(j):
    return j and f'"{j["switch"]}"[{j["port"]}]'


links, repair = (json.load(open(p)) for p in sys.argv[1:3])
far = {}
for link in links["links"]:
    a, b = jack(link["a"]), jack(link["b"])
    far[a], far[b] = b, a
step = int(sys.argv[3])
assert any(m["step"] == step for m in repair["moves"]), "no such step"
cables = {}                     # by name: the two ends after the step
for m in repair["moves"]:
    if m["step"] != step and (m["from"] or m["step"] > step):
        continue
    if m["cable"] not in cables:
        old = jack(m["from"])
        ends = [None, None]
        if old:
            ends[m["end"] == "b"], ends[m["end"] == "a"] = old, far[old]
            print("Unlink", old)
        cables[m["cable"]] = ends
    cables[m["cable"]][m["end"] == "b"] = jack(m["to"])
for a, b in cables.values():
    if a and b and far.get(a) != b:
        print("Link", a, b)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""mctree.py DUMPS MLID MEMBERS - checks that a multicast group is a tree of its members.

Reads only opensm-subnet.lst and opensm.mcfdbs.  Every link of the tree must be set at
both ends, the switches must form one tree, and the endpoint ports in it must be exactly
those of the members."""
import re
import sys

dumps, mlid, members = sys.argv[1:4]
want = {int(line, 16) for line in open(members) if line.strip()}

end = re.compile(r"\{ (\S+) Ports:\w+ SystemGUID:\w+ NodeGUID:(\w+) PortGUID:(\w+).*?"
                 r"\{.*?\} LID:\w+ PN:(\w+) \}")
peer = {}
for line in open(dumps + "/opensm-subnet.lst"):
    (ka, na, ga, pa), (kb, nb, gb, pb) = end.findall(line)
    if ka == "SW":
        peer[int(na, 16), int(pa, 16)] = (kb == "SW", int(nb, 16), int(pb, 16), int(gb, 16))

ports, switch = {}, None
for line in open(dumps + "/opensm.mcfdbs"):
    word = line.split()
    if word and word[0] == "Switch":
        switch = int(word[1], 16)
    elif word and word[0].upper() == "0X" + mlid.upper():
        ports[switch] = {int(w, 16) for w in word[2:]}

got, edges = set(), set()
for s, out in ports.items():
    for p in out:
        is_switch, t, q, guid = peer[s, p]
        if not is_switch:
            got.add(guid)
        elif q in ports.get(t, ()):
            edges.add(frozenset(((s, p), (t, q))))
        else:
            sys.exit(f"0x{s:x} port {p} is set, its far end is not")
if got != want:
    sys.exit(f"{len(want - got)} members are left out, {len(got - want)} others are in")
seen, todo = set(), list(ports)[:1]
while todo:
    s = todo.pop()
    if s not in seen:
        seen.add(s)
        todo += [t for e in edges for t, _ in e if s in (x for x, _ in e)]
if len(seen) != len(ports) or len(edges) != len(ports) - 1:
    sys.exit(f"{len(ports)} switches, {len(edges)} links, {len(seen)} joined: no tree")

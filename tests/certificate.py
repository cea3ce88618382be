#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""certificate.py DIR CERTIFICATE - checks a certificate of deadlock freedom.

DIR holds OpenSM's dumps.  The certificate lists channels, a line '0xSWITCH_GUID
PORT VL' each.  Unicast packets of every SL from every source to every LID must
use channels in this order.  Shares only the format of the dumps with the checker."""
import collections
import os
import re
import sys

SUBNET, LFTS, SL2VL = (os.path.join(sys.argv[1], 'opensm-' + name)
                       for name in ('subnet.lst', 'lfts.dump', 'sl2vl.dump'))
END = r'\{ (\S\S)\S* Ports:\w+ SystemGUID:\w+ NodeGUID:(\w+) PortGUID:(\w+) .*? LID:\w+ PN:(\w+) \}'
peer, sources, node, lft = {}, {}, {}, {}
vl = collections.defaultdict(lambda: [0] * 16)
for line in open(SUBNET):
    a, b = [(kind == 'SW', int(guid, 16), int(port, 16), int(pguid, 16))
            for kind, guid, pguid, port in re.findall(END, line)]
    for (is_sw, guid, port, pguid), far in ((a, b), (b, a)):
        if is_sw:
            node[pguid] = guid
            sources.setdefault(guid, {0})
            if far[0]:
                peer[guid, port] = far[1], far[2]
            else:
                sources[guid].add(port)
for line in open(LFTS):
    if line.startswith('Unicast'):
        sw = int(re.search(r' guid (0x\w+) ', line)[1], 16)
    elif ' portguid ' in line:
        lft.setdefault(int(line[:6], 16), {})[sw] = int(line[7:10])
for line in open(SL2VL):
    if line[0] in 'SCR':
        sw = node.get(int(re.search('0x[0-9a-f]+', line)[0], 16))
    elif line[0].isdigit():
        i, o, *row = map(int, line.replace(':', ' ').split())
        vl[sw, i, o] = row
rank = {tuple(int(x, 0) for x in line.split()): n
        for n, line in enumerate(open(sys.argv[2])) if line[0] != '#'}

turns = set()  # two links in a row, with the port by which packets reach the first
for out in lft.values():
    come = {sw: set(ports) for sw, ports in sources.items()}
    for sw, o in out.items():
        if (sw, o) in peer:
            come[peer[sw, o][0]].add(peer[sw, o][1])
    for sw, o in out.items():
        far = peer.get((sw, o))
        if far and (far[0], out.get(far[0])) in peer:
            turns.update((sw, i, o, *far, out[far[0]]) for i in come[sw])
steps = {((sw, o, v), (far, o2, w)) for sw, i, o, far, i2, o2 in turns
         for v, w in zip(vl[sw, i, o], vl[far, i2, o2]) if v < 15 and w < 15}
bad = [s for s in steps if not rank.get(s[0], sys.maxsize) < rank.get(s[1], -1)]
for (s, o, v), (t, p, w) in bad[:5]:
    print('not forward: 0x%x port %d VL %d -> 0x%x port %d VL %d' % (s, o, v, t, p, w))
print('%d channels, %d dependencies, %d not forward' % (len(rank), len(steps), len(bad)))
sys.exit(bool(bad))

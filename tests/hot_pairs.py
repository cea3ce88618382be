#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""hot_pairs.py SOCKET flows SEED HEAVY N  - prints traffic for tests/traffic.py: every
endpoint of the fabric that moored found sends 0.2 of its link's rate to 16 others, each
share up to half more or less; N random pairs, written to the file HEAVY, send 0.5 more.
No switch is on the routes of two of these: loads would stay as they are if two flows that
meet exchanged their destinations, so nothing that reads loads could tell which go where.

hot_pairs.py SOCKET named HEAVY  - prints how many of these pairs moored names, that is,
lists among the first three suspects of each link between switches on their route: a
number for pairs of switches, and one for pairs of endpoints.
"""
import json
import random
import socket
import sys

FULL = 1e9		# as tests/traffic.py


class Moored:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")

    def ask(self, method, **params):
        self.file.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self.file.flush()
        answer = json.loads(self.file.readline())
        if "error" in answer:
            sys.exit(f"hot_pairs.py: {method}: " + answer["error"]["message"])
        return answer["result"]


def flows(moored, seed, heavy, n):
    rng = random.Random(int(seed))
    at = {e["name"]: e["switch"] for e in moored.ask("fabric.endpoints")["endpoints"]}
    names = sorted(at)
    for a in names:
        for b in rng.sample(names, 16):
            if at[a] != at[b]:
                print(a, b, 0, 0.2 * FULL / 16 * rng.uniform(0.5, 1.5))
    passed, pairs = set(), []
    while len(pairs) < int(n):
        a, b = rng.sample(names, 2)
        route = {hop["switch"] for hop in moored.ask("routes.path", **{"from": a, "to": b})["hops"]}
        if len(route) > 1 and not route & passed:
            passed |= route
            pairs.append((a, b))
            print(a, b, 0, 0.5 * FULL)
    with open(heavy, "w") as out:
        json.dump(pairs, out)


def named(moored, a, b):
    """Two answers: is the pair named by its switches, and is it named by its endpoints?  Of
    two senders at one switch only the one that sends more can be identified."""
    hops = moored.ask("routes.path", **{"from": a, "to": b})["hops"]
    pair, good = (hops[0]["switch"], hops[-1]["switch"]), [True, True]
    for hop in hops[:-1]:
        why = moored.ask("hotspots.explain", switch=hop["switch"], port=hop["out"])
        said = why["suspects"][:3]
        good[1] &= (a, b) in [(s["source"], s["dest"]) for s in said]
        if pair not in (switches := [(s["from"], s["to"]) for s in said]):
            good[0] = False
            print(f"# {pair} not named on {hop['switch']}:{hop['out']} (load {why['load']}, misfit "
                  f"{why['misfit']}): {switches}", file=sys.stderr)
    return good


if sys.argv[2] == "flows":
    flows(Moored(sys.argv[1]), *sys.argv[3:])
else:
    with open(sys.argv[3]) as file:
        of = Moored(sys.argv[1])
        print(*map(sum, zip(*(named(of, a, b) for a, b in json.load(file)))))

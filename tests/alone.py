#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""alone.py MOORECTL SEED - what a packet alone takes, by hand, over cables whose lengths and rates are drawn.

A plan keeps two of its nodes, which send each other one packet.  A link takes 5 ns a metre, or 50 ns where the plan
has no length; a switch takes 100 ns, and after a slow link as much longer as the packet takes longer there than on
the fastest one.  All are whole ticks of 16 bytes on the fastest link.  Files are written into this folder."""
import json
import random
import subprocess
import sys

MOORECTL, RNG = sys.argv[1], random.Random(int(sys.argv[2]))
RATES = {"4xEDR": 100, "4xHDR": 200, "4xNDR": 400}	# Gbit/s
FAMILIES = ("slimfly q=4", "polarfly q=3", "oft k=5", "torus a=5 b=3")


def run(*words):
    return subprocess.run([MOORECTL, *words], check=True, capture_output=True, text=True).stdout


def draw_plan(family):
    plan = json.loads(run("plan", "new", *family.split(), "-o", "-"))
    plan["rate"] = RNG.choice(list(RATES))
    plan["endpoints"] = RNG.sample(plan["endpoints"], 2)
    for link in plan["cables"] + plan["endpoints"]:
        if RNG.random() < 0.5:
            link["rate"] = RNG.choice(list(RATES))
    for cable in plan["cables"]:
        if RNG.random() < 0.7:
            cable["length"] = RNG.randint(1, 90)
    return plan


def links_of(plan, a, b):
    """The links on the way from node a to node b."""
    cables = {(end["switch"], end["port"]): c for c in plan["cables"] for end in (c["a"], c["b"])}
    hops = json.loads(run("path", a["name"], b["name"], "--tables", "tables", "--json"))["hops"]
    return [a] + [cables[hop["switch"], hop["out"]] for hop in hops[:-1]] + [b]


def by_hand(plan, links, packet):
    """Nanoseconds."""
    def rate(link):
        return RATES[link.get("rate", plan["rate"])]

    def ticks(ns):
        return int(ns * fastest / 128 + 0.5)

    fastest = max(map(rate, plan["cables"] + plan["endpoints"]))
    least = -(-packet // 16)
    times = [least * fastest // rate(link) for link in links]	# of the packet on each link
    wires = sum(ticks(5 * link["length"] if "length" in link else 50) for link in links)
    switches = sum(ticks(100) + time - least for time in times[:-1])
    return (wires + switches + times[-1]) * 128 / fastest


def main():
    for family in FAMILIES:
        for _ in range(3):
            plan, packet = draw_plan(family), RNG.choice([256, 1000, 2048, 4096])
            a, b = plan["endpoints"]
            with open("alone.json", "w") as out:
                json.dump(plan, out)
            run("route", "alone.json", "-o", "tables")
            want = max(by_hand(plan, links_of(plan, *ends), packet) for ends in ((a, b), (b, a)))
            answer = json.loads(run("simulate", "alone.json", "--exchange", "neighbours", "--message", str(packet),
                                    "--packet", str(packet), "--json"))
            got = answer["rows"][0]["completion_ns"]
            if abs(got - want) > 0.01:
                sys.exit(f"{family}: a packet of {packet} bytes takes {got} ns, not {want}: alone.json")


main()

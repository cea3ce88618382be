#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""traffic.py SOCKET SECONDS - counters as traffic would leave them, for ibsim's console.

Flows come on standard input, one a line: FROM TO OFFSET BYTES_PER_SECOND, names of
endpoints.  moored says which ports each passes; ten times a second, for so many SECONDS,
lines for the console (on standard output) set what these ports have sent, received
and waited for by then.  A port whose flows want more than FULL bytes a second
sends that, and waits for the rest of the time.
"""
import json
import socket
import sys
import time

FULL = 1e9		# 4x SDR, ibsim's rate: bytes a second
TICK = 8		# bytes a tick of XmitWait takes


def ask(file, method, params):
    file.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    file.flush()
    answer = json.loads(file.readline())
    if "error" in answer:
        sys.exit("traffic.py: " + answer["error"]["message"])
    return answer["result"]


def main():
    sent, received = {}, {}	# (switch, port): bytes a second
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1])
        file = s.makefile("rw")
        for line in sys.stdin:
            a, b, offset, rate = line.split()
            path = ask(file, "routes.path", {"from": a, "to": b, "offset": int(offset)})
            for hop in path["hops"]:
                key = hop["switch"], hop["in"]
                received[key] = received.get(key, 0) + float(rate)
                key = hop["switch"], hop["out"]
                sent[key] = sent.get(key, 0) + float(rate)
    begin = time.monotonic()
    while (now := time.monotonic() - begin) < float(sys.argv[2]):
        out = []
        for (sw, port), rate in sent.items():
            out.append((sw, port, "PortCountersExtended.PortXmitData", min(rate, FULL) * now / 4))
            if rate > FULL:
                out.append((sw, port, "PortCounters.PortXmitWait", FULL / TICK * (1 - FULL / rate) * now))
        for (sw, port), rate in received.items():
            out.append((sw, port, "PortCountersExtended.PortRcvData", min(rate, FULL) * now / 4))
        for sw, port, field, value in out:
            print(f'PerformanceSet "{sw}"[{port}] {field}={int(value)}')
        sys.stdout.flush()
        time.sleep(0.1)


main()

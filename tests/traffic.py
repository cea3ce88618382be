#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""traffic.py SOCKET SECONDS [EACH] - prints lines for ibsim's console that set the counters
as traffic would.

Standard input has one flow per line: FROM TO OFFSET BYTES_PER_SECOND, where FROM and TO
are names of endpoints.  moored gives the ports that each flow passes.  For SECONDS, every
EACH (0.1) seconds, the lines set what these ports have sent and received and how long they
have waited.  If the flows of a port need more than FULL bytes per second, the port sends
FULL and waits for the rest of the time.
"""
import json
import socket
import sys
import time

FULL = 1e9		# bytes per second of 4x SDR, ibsim's rate
TICK = 8		# bytes that could be sent in one tick of XmitWait


def ask_all(file, method, params):
    """Asks in batches of 100, and yields the results in order."""
    for i in range(0, len(params), 100):
        file.write(json.dumps([{"jsonrpc": "2.0", "id": k, "method": method, "params": p}
                               for k, p in enumerate(params[i:i + 100])]) + "\n")
        file.flush()
        for answer in sorted(json.loads(file.readline()), key=lambda x: x["id"]):
            if "error" in answer:
                sys.exit("traffic.py: " + answer["error"]["message"])
            yield answer["result"]


def main():
    sent, received = {}, {}	# (switch, port): bytes per second
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1])
        file = s.makefile("rw")
        flows = [line.split() for line in sys.stdin]
        paths = ask_all(file, "routes.path", [{"from": a, "to": b, "offset": int(offset)}
                                              for a, b, offset, _ in flows])
        for (_, _, _, rate), path in zip(flows, paths):
            for hop in path["hops"]:
                key = hop["switch"], hop["in"]
                received[key] = received.get(key, 0) + float(rate)
                key = hop["switch"], hop["out"]
                sent[key] = sent.get(key, 0) + float(rate)
    begin, each = time.monotonic(), float(sys.argv[3]) if len(sys.argv) > 3 else 0.1
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
        time.sleep(max(0, begin + now + each - time.monotonic()))


main()

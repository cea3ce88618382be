# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The networks of BookSim2 as plans, and its own routes in them as forwarding and SL2VL tables.

A network has switches by number, nodes in order with the same number on each switch that has any, and links.
next_hop(switch, node) is the switch that follows on the way to the node; lane(before, at, after) is the VL on
which a packet goes from `at` to `after`, where `before` is None for one that a node has sent."""
import json
import re
import subprocess


class Network:
    def __init__(self, n_switches, p, links, next_hop, lane=lambda before, at, after: 0, with_nodes=None):
        self.p, self.next_hop, self.lane = p, next_hop, lane
        self.with_nodes = list(with_nodes or range(n_switches))
        self.port = {}		# by (switch, neighbour)
        used = [p if s in self.with_nodes else 0 for s in range(n_switches)]
        for a, b in links:
            for x, y in ((a, b), (b, a)):
                used[x] += 1
                self.port[x, y] = used[x]
        self.used, self.links = used, links

    def plan(self):
        return {"moore_plan": 1, "topology": {"family": "custom"},
                "switches": [{"name": f"s{i}", "ports": n} for i, n in enumerate(self.used)],
                "cables": [{"a": {"switch": f"s{a}", "port": self.port[a, b]},
                            "b": {"switch": f"s{b}", "port": self.port[b, a]}} for a, b in self.links],
                "endpoints": [{"name": f"h{i * self.p + k}", "switch": f"s{s}", "port": k + 1}
                              for i, s in enumerate(self.with_nodes) for k in range(self.p)]}

    def out_port(self, s, node):
        home = self.with_nodes[node // self.p]
        return node % self.p + 1 if s == home else self.port[s, self.next_hop(s, node)]

    def write(self, moorectl, folder):
        """Makes `folder`/tables: what moorectl writes, with these routes and lanes in place of its own."""
        (folder / "plan").write_text(json.dumps(self.plan()))
        subprocess.run([moorectl, "route", "plan", "-o", "tables"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        rows, s = [], None
        lfts, lanes = folder / "tables" / "opensm-lfts.dump", folder / "tables" / "opensm-sl2vl.dump"
        for row in lfts.read_text().splitlines():
            if row.startswith("Unicast"):
                s = int(re.search(r"'s(\d+)'", row)[1])
            node = re.search(r"'h(\d+)'", row)
            rows.append(re.sub(r" \d+ #", f" {self.out_port(s, int(node[1])):03} #", row) if node else row)
        lfts.write_text("\n".join(rows) + "\n")
        peer, rows = {(x, port): y for (x, y), port in self.port.items()}, []
        for row in lanes.read_text().splitlines():
            if row.startswith("Switch"):
                s = int(re.search(r'"s(\d+)"', row)[1])
            ports = re.match(r"(\d+) +(\d+) +:", row)
            if ports:
                before, after = (peer.get((s, int(x))) for x in ports.groups())
                vl = 0 if after is None else self.lane(before, s, after)
                row = ports[0] + f" {vl} " * 16
            rows.append(row)
        lanes.write_text("\n".join(rows) + "\n")


def toward(at, to, k, step):
    """The switch that follows in a grid of k columns, along the first dimension first."""
    if at % k != to % k:
        return step(at % k, to % k) + at // k * k
    return at % k + step(at // k, to // k) * k


def mesh(k):
    links = [(s, s + 1) for s in range(k * k) if s % k < k - 1] + [(s, s + k) for s in range(k * (k - 1))]
    return Network(k * k, 1, links, lambda s, d: toward(s, d, k, lambda x, y: x + (y > x) - (y < x)))


def flattened_butterfly(k, p):
    links = [(a, b) for a in range(k * k) for b in range(a) if a % k == b % k or a // k == b // k]
    return Network(k * k, p, links, lambda s, d: toward(s, d // p, k, lambda x, y: y))


def fat_tree(k, n):
    """k-ary n-tree, level 0 on top; the node's digits choose the way up, too."""
    per_level = k ** (n - 1)

    def parent(s, u):
        depth, at = divmod(s, per_level)
        size = k ** (n - 1 - depth)
        return (depth - 1) * per_level + at // size // k * size * k + at % size * k + u

    def next_hop(s, d):
        depth, at = divmod(s, per_level)
        size = k ** (n - 1 - depth)
        if d // (k * size) != at // size:
            return parent(s, d // size % k)
        return (depth + 1) * per_level + d // size * (size // k) + at % size // k
    links = [(s, parent(s, u)) for s in range(per_level, n * per_level) for u in range(k)]
    return Network(n * per_level, k, links, next_hop, with_nodes=range((n - 1) * per_level, n * per_level))


def dragonfly(k):
    """p = h = k, a = 2 k, with one link between each two groups; VL 1 from the outer link on."""
    a, groups = 2 * k, 2 * k * k + 1

    def gate(group, other):
        """The switch of a group that has the link to another one."""
        return group * a + (other - (other > group)) // k

    def next_hop(s, d):
        group, to = s // a, d // k
        if group == to // a:
            return to
        return gate(group, to // a) if s != gate(group, to // a) else gate(to // a, group)
    links = [(i * a + x, i * a + y) for i in range(groups) for x in range(a) for y in range(x)]
    links += [(gate(i, j), gate(j, i)) for i in range(groups) for j in range(i)]

    def lane(before, at, after):
        return int(at // a != after // a or (before is not None and before // a != at // a))
    return Network(groups * a, k, links, next_hop, lane)

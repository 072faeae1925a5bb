"""Placements on machines whose capacities are hidden: see scripts/bench.d/machines.

The judge here knows the true machine and nothing of rankfold: bytes through the links of nodes,
leaf switches and groups. Adaptive routes spread them evenly over the cables of a switch, and
between two groups over the direct cables and, at twice the cost, over those of all others. Static
routes take the cable that the number of the receiving node says. The time is that of the busiest
link. Cases come in a random order, the same in every run, so that those of a run that was stopped
are a sample of all."""

import argparse
import collections
import copy
import json
import math
import os
import random
import signal
import subprocess
import tempfile

import machines_nearer

PROMISE, SLOWER, SLOWER_STATIC = 0.05, 0.01, 0.05
OBJECTIVES = ["hop-bytes", "congestion", "hybrid"]


class Machine:
    """Groups of leaf switches of nodes. `up` cables of a bandwidth leave a leaf switch; a group has
    `direct` bandwidth to every other group and `out` to all of them together. A node has
    bandwidth 1."""

    def __init__(self, name, groups, leaves, nodes, up=(math.inf, 1), direct=math.inf, out=math.inf, tells="leaf"):
        self.name, self.groups, self.leaves, self.nodes, self.up = name, groups, leaves, nodes, up
        self.direct, self.out, self.tells = direct, out, tells
        self.hosts = groups * leaves * nodes

    def leaf(self, node):
        return node // self.nodes

    def group(self, node):
        return node // (self.nodes * self.leaves)

    def tree(self):
        """What a scheduler tells of it."""
        lines = []
        each = self.nodes * (self.leaves if self.tells == "group" else 1)
        for leaf in range(self.hosts // each):
            lines.append(f"SwitchName=l{leaf} Nodes=n[{leaf * each}-{(leaf + 1) * each - 1}]")
        switches = self.hosts // each
        if self.tells == "leaf" and self.groups > 1:
            for group in range(self.groups):
                first = group * self.leaves
                lines.append(f"SwitchName=g{group} Switches=l[{first}-{first + self.leaves - 1}]")
            lines.append(f"SwitchName=top Switches=g[0-{self.groups - 1}]")
        else:
            lines.append(f"SwitchName=top Switches=l[0-{switches - 1}]")
        return "\n".join(lines) + "\n"

    def cabled(self, cables):
        """The same machine with so many cables up for each leaf switch, as wide together."""
        own, width = self.up
        other = copy.copy(self)
        other.up = (cables, width * own / cables)
        return other

    def time(self, messages, node_of, static):
        load = collections.Counter()
        for a, b, size in messages:
            s, t = node_of[a], node_of[b]
            if s == t:
                continue
            load["out", s] += size
            load["in", t] += size
            if self.leaf(s) == self.leaf(t):
                continue
            cables, width = self.up
            if cables < math.inf:
                for way, leaf in (("up", self.leaf(s)), ("down", self.leaf(t))):
                    load[(way, leaf, t % cables) if static else (way, leaf)] += size / (width * (1 if static else cables))
            one, other = self.group(s), self.group(t)
            if one == other:
                continue
            if self.out < math.inf:
                load["leaves", one] += size / self.out
                load["enters", other] += size / self.out
            if self.direct < math.inf:
                spare = 0 if static else (self.out - self.direct) / 2
                load["direct", one, other] += size / (self.direct + spare)
        return max(load.values(), default=0.0)


MACHINES = [
    Machine("dragonfly+ 25x15x16", 25, 15, 16, (16, 1.0), 9.0, 216.0),
    Machine("dragonfly+ 23x18x10", 23, 18, 10, (18, 0.5), 9.0, 198.0),
    Machine("slingshot 20x16x8", 20, 16, 8, (math.inf, 1), 3.4, 64.0, tells="group"),
    Machine("fat tree 1:1 16x32", 1, 16, 32, (32, 1.0)),
    Machine("fat tree 2:1 20x16", 1, 20, 16, (8, 1.0)),
    Machine("fat tree 4.7:1 12x66", 1, 12, 66, (14, 1.0)),
]


def scattered(machine, count, chance):
    return sorted(chance.sample(range(machine.hosts), count))


def compact(machine, count, chance):
    first = chance.randrange(machine.hosts - count)
    return list(range(first, first + count))


def fragments(machine, count, chance):
    """Runs of 2 to 12 nodes."""
    chosen = set()
    while len(chosen) < count:
        first, run = chance.randrange(machine.hosts), chance.randint(2, 12)
        chosen.update(range(first, min(machine.hosts, first + min(run, count - len(chosen)))))
    return sorted(chosen)


# How nodes are chosen, how many, and ranks a node.
ALLOCATIONS = [
    (choose, count, cores)
    for choose in (fragments, compact, scattered)
    for count, cores in ((64, 2), (64, 4), (128, 1), (128, 2))
]


def halo(dims, ranks, _):
    sides = sides_of(ranks, dims)
    def neighbours(rank):
        stride = 1
        for side in reversed(sides):
            at = rank // stride % side
            for to in (at - 1, at + 1):
                if 0 <= to < side:
                    yield rank + (to - at) * stride
            stride *= side
    return [(rank, other, 1 << 16) for rank in range(ranks) for other in neighbours(rank)]


def sides_of(ranks, dims):
    sides = [1] * dims
    factors = [f for f in (7, 5, 3, 2) for _ in range(20)]
    for f in factors:
        if ranks % f == 0 and ranks > 1:
            ranks //= f
            sides[sides.index(min(sides))] *= f
    return sorted(sides)


def rows(ranks, _):
    width = 1 << (ranks.bit_length() // 2)
    row = lambda a: range(a // width * width, min(ranks, a // width * width + width))
    return [(a, b, 1 << 14) for a in range(ranks) for b in row(a) if a != b]


def geometric(ranks, chance):
    points = [(chance.random(), chance.random()) for _ in range(ranks)]
    reach = math.sqrt(8 / (math.pi * ranks))
    near = lambda a, b: math.dist(points[a], points[b]) < reach
    return [(a, b, 1 << 16) for a in range(ranks) for b in range(ranks) if a != b and near(a, b)]


MATRICES = [
    ("3D halo", lambda *at: halo(3, *at)),
    ("rows", rows),
    ("2D halo", lambda *at: halo(2, *at)),
    ("geometric", geometric),
]


def place(args, work, hosts, cores, ranks, messages, options):
    graph, listed, nodes, figures = (os.path.join(work, name) for name in ("g.mtx", "hosts", "nodes", "figures.json"))
    with open(graph, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {len(messages)}\n")
        file.writelines(f"{a + 1} {b + 1} {size}\n" for a, b, size in messages)
    with open(listed, "w") as file:
        file.writelines(f"n{host}\n" for host in hosts)
    command = [args.map, "map", graph, "--machine", os.path.join(work, "tree.conf"), "--hosts", listed]
    command += ["--cores", str(cores), "--to", "nodes", "-o", nodes, "--json", figures, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(nodes) as file, open(figures) as document:
        return [int(line) for line in file if line.strip()], json.load(document)


def told(figures):
    """What `map` promises over block order's time."""
    return min(1.0, 1.0 - figures["assumed"]["promised"])


def case(args, work, machine, number, allocation, matrix, effort):
    choose, count, cores = allocation
    title, make = matrix
    chance = random.Random(f"{machine.name} {number} {title}")
    hosts = choose(machine, count, chance)
    ranks = count * cores
    messages = make(ranks, chance)
    with open(os.path.join(work, "tree.conf"), "w") as file:
        file.write(machine.tree())
    block = [hosts[rank // cores] for rank in range(ranks)]
    node_of, figures = place(args, work, hosts, cores, ranks, messages, ["--effort", effort])
    others = [place(args, work, hosts, cores, ranks, messages, ["--effort", "fast", "--objective", it])[0] for it in OBJECTIVES]
    ratio = lambda machine, placed, static: machine.time(messages, placed, static) / machine.time(messages, block, static)
    tried = [ratio(machine, it, False) for it in others]
    own = ratio(machine, node_of, False)
    return {
        "told": told(figures),
        "adaptive": own,
        "best": min([1.0, own, *tried]),
        "static": ratio(machine, node_of, True),
        "any_cables": max(ratio(it, node_of, True) for it in any_cables(machine)),
    }


def any_cables(machine):
    """The same machine with any number of cables up, where leaf switches have some."""
    if machine.up[0] == math.inf:
        return [machine]
    return [machine.cabled(cables) for cables in range(1, machine.nodes + 1)]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(rows):
    head = ["cases", "told", "adaptive", "worst", "static", "worst", "worst by", "promised", "slower", "slower", "slower by", "near best"]
    what = ["", "", "", "", "", "", "any cable", ">5 points", "adaptive", "static", "any cable", "<1 %"]
    for first, names in (("machine", head), ("", what)):
        print(f"{first:24}" + "".join(f"{name:>10}" for name in names))
    for name in [machine.name for machine in MACHINES] + ["all"]:
        own = [row for row in rows if name in (row["machine"], "all")]
        if not own:
            continue
        cells = [f"{value:10.3f}" if isinstance(value, float) else f"{value:10}" for value in summary(own).values()]
        print(f"{name:24}" + "".join(cells), flush=True)


def summary(rows):
    of = lambda key: [row[key] for row in rows]
    above = lambda key, most: sum(it > 1 + most for it in of(key))
    return {
        "cases": len(rows),
        "told": mean(of("told")),
        "adaptive": mean(of("adaptive")),
        "worst_adaptive": max(of("adaptive")),
        "static": mean(of("static")),
        "worst_static": max(of("static")),
        "worst_any_cables": max(of("any_cables")),
        "promised_too_much": sum(row["adaptive"] - row["told"] > PROMISE for row in rows),
        "slower_adaptive": above("adaptive", SLOWER),
        "slower_static": above("static", SLOWER_STATIC),
        "slower_any_cables": above("any_cables", SLOWER_STATIC),
        "near_best": sum(row["adaptive"] <= 1.01 * row["best"] for row in rows),
    }


def cases(args, efforts):
    """All cases that are asked for, in the order of their run: what names a case, and the case."""
    every = [
        ((machine.name, f"{choose.__name__} {count}x{cores}", matrix[0], effort), (machine, number, (choose, count, cores), matrix, effort))
        for machine in MACHINES
        for number, (choose, count, cores) in enumerate(ALLOCATIONS[: args.allocations])
        for matrix in MATRICES[: args.matrices]
        for effort in efforts
    ]
    random.Random("order").shuffle(every)
    return every[:: args.every]


NAMES = ["machine", "allocation", "matrix", "effort"]


def run(args, every):
    """The rows of the cases, each printed and written as soon as it is there, until the run is
    stopped."""
    found = before(args.json) if args.resume else []
    done = {tuple(row[name] for name in NAMES) for row in found}
    try:
        with tempfile.TemporaryDirectory() as work:
            for names, at in every:
                if names in done:
                    continue
                row = {**dict(zip(NAMES, names)), **case(args, work, *at)}
                found.append(row)
                figures = "  ".join(f"{name} {value:.3f}" for name, value in row.items() if name not in NAMES)
                print(f"{', '.join(names):60}{figures}", flush=True)
                written(args, {"rows": found, "all": summary(found)})
    except KeyboardInterrupt:
        print(f"stopped after {len(found)} of {len(every)} cases", flush=True)
    return found


def before(path):
    """The rows that an earlier run wrote."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)["rows"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--map", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--efforts", default="fast,balanced")
    parser.add_argument("--allocations", type=int, default=len(ALLOCATIONS))
    parser.add_argument("--matrices", type=int, default=len(MATRICES))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--nearer", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    if args.every < 1:
        parser.error("--every needs a number from 1 on")
    if args.resume and not args.json:
        parser.error("--resume needs --json FILE")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    efforts = args.efforts.split(",")
    if args.quick:
        efforts, args.allocations, args.matrices = ["fast"], 2, 2
    if args.nearer:
        placed = lambda *asked: place(args, *asked)
        rows_found = machines_nearer.table(placed, MACHINES, MATRICES[: args.matrices], args.every)
        written(args, {"rows": rows_found})
        return
    rows_found = run(args, cases(args, efforts))
    if rows_found:
        table(rows_found)


def written(args, document):
    """At once, so that a run that is stopped leaves what it had."""
    if args.json:
        with open(f"{args.json}.new", "w") as file:
            json.dump(document, file)
        os.replace(f"{args.json}.new", args.json)


if __name__ == "__main__":
    main()

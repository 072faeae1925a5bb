"""Who places ranks in the benchmark `time`: our objectives and families, block order, the peers,
and chance.

A placement is the node of every rank, as a list.
"""

import json
import os
import random
import subprocess

import cases
import partial_peers
import peers

OBJECTIVES = ["time", "hop-bytes", "congestion", "hybrid"]
FAMILIES = ["tiles", "reshape", "gray", "hilbert", "folding", "rcm", "ltm-greedy", "ltm-recursive", "analytical", "ohtma",
            "ptram-fixed", "spectral", "multisection"]
# How many placements the figures of a case are correlated over.
COMPARED = 20


def objectives(program):
    """Those of our objectives that the program has."""
    done = subprocess.run([program, "map", "-h"], check=True, capture_output=True, text=True)
    values = " ".join(done.stdout.split()).partition("--objective")[2].partition("possible values:")[2].partition("]")[0]
    return [objective for objective in OBJECTIVES if objective in values.replace(" ", "").split(",")]


class Mapper:
    """rankfold-map on one graph; machines are paths of machine files."""

    def __init__(self, program, work, machine, ranks, messages):
        self.program, self.work, self.slots = program, work, machine.options(work)
        self.graph = os.path.join(work, "graph.mtx")
        cases.write(self.graph, ranks, messages)

    def place(self, machine, objective, options=()):
        """Our placement and its CPU seconds; no placement if the heuristic asked for is not made
        for the case."""
        found = self.file("ours.nodes")
        command = [self.program, "map", self.graph, "--machine", machine, *self.slots, "--objective", objective]
        command += ["--to", "nodes", "-o", found, "--threads", "1"]
        done, cpu = peers.timed(lambda: subprocess.run([*command, *options], capture_output=True, text=True))
        if done.returncode == 2 and options:
            return None, cpu
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return cases.nodes_in(found), cpu

    def place_told(self, machine, objective, exchange):
        """Our placement for ranks that exchange this way, its CPU seconds, and the seconds below
        which no placement is predicted, where that is proved."""
        report = self.file("ours.json")
        nodes, cpu = self.place(machine, objective, ["--exchange", exchange, "--json", report])
        return nodes, cpu, read(report)["predicted_time"].get("lower_bound")

    def judge(self, machine, nodes, options=()):
        """What `eval` says of any placement."""
        placement, report = self.file("judged.nodes"), self.file("judged.json")
        with open(placement, "w") as file:
            file.writelines(f"{node}\n" for node in nodes)
        command = [self.program, "eval", self.graph, "--machine", machine, *self.slots, "--placement", placement]
        subprocess.run([*command, *options, "--json", report], check=True, capture_output=True)
        return read(report)

    def file(self, name):
        return os.path.join(self.work, name)


def read(report):
    """What the mapper writes with --json."""
    with open(report) as file:
        return json.load(file)


def contestants(mapper, machine, path, ranks, messages):
    """Every rival's placements by name, of which its best one counts, and everybody's CPU
    seconds."""
    found, cpu = by_objectives(mapper, machine, path, objectives(mapper.program))
    case = peers.Case(ranks, cases.undirected(ranks, messages), machine.spec, machine.cores, machine.tree)
    case.room = machine.room
    for name, runs in (partial_peers.ways(case, machine) if machine.partial else ways(case)).items():
        done = [peers.timed(run) for run in runs]
        placed = [peers.repaired(case, nodes)[0] for nodes, _ in done if nodes]
        if placed:
            found[name], cpu[name] = placed, sum(seconds for _, seconds in done)
    return found, cpu


def ways(case):
    """The runs of every peer, of which each gives a placement."""
    return {
        "scotch": [lambda order=order: peers.scotch(case, order) for order in peers.renumberings(case)],
        "metis": [lambda: peers.metis(case, True)],
        "kahip": [lambda: peers.kahip(case)],
    }


def by_objectives(mapper, machine, path, names):
    """The same of block order and some of our objectives alone."""
    found, cpu = {"block": [block(machine)]}, {}
    for objective in names:
        nodes, cpu[objective] = mapper.place(path, objective)
        found[objective] = [nodes]
    return found, cpu


def block(machine):
    """Ranks in order on the slots in order."""
    return [node for node, room in enumerate(machine.room) for _ in range(room)]


def varied(mapper, machine, path, ours, found):
    """COMPARED different placements, from good to hopeless: the objectives', block order, two at
    random, the families' without refinement, and good ones spoilt by more and more random exchanges
    until they are enough."""
    placements = [nodes[0] for name, nodes in found.items() if name in OBJECTIVES or name == "block"]
    for seed in (1, 2):
        placements.append(block(machine))
        random.Random(seed).shuffle(placements[-1])
    for family in FAMILIES:
        options = ["--heuristic", family, "--no-refine", "--effort", "fast"]
        nodes, _ = mapper.place(path, "hop-bytes", options)
        if nodes:
            placements.append(nodes)
    placements = distinct(placements)[:COMPARED]
    good = [found[ours][0], found["hop-bytes"][0]]
    seed = 0
    while len(placements) < COMPARED:
        exchanges = 1 + seed * machine.ranks // 24
        placements = distinct([*placements, spoilt(good[seed % 2], exchanges, seed)])
        seed += 1
    return placements


def spoilt(nodes, exchanges, seed):
    """The placement after that many exchanges of random ranks."""
    chance = random.Random(seed)
    nodes = list(nodes)
    for _ in range(exchanges):
        a, b = chance.sample(range(len(nodes)), 2)
        nodes[a], nodes[b] = nodes[b], nodes[a]
    return nodes


def distinct(placements):
    """Each placement once, in order."""
    return [list(nodes) for nodes in dict.fromkeys(map(tuple, placements))]

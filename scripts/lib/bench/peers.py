"""Peers that Debian and the Python registry provide. Each returns the node of every rank, or None
where it cannot."""

import os
import random
import resource
import shutil
import subprocess
import tempfile
import time


class Case:
    """One graph on one machine, as peers see it."""

    def __init__(self, ranks, partners, machine, cores, tree):
        self.ranks, self.partners = ranks, partners
        self.machine, self.cores, self.tree = machine, cores, tree
        self.nodes = tree[1] if tree else product(dims(machine))
        # Ranks that each node takes.
        self.room = [cores] * self.nodes


def dims(machine):
    return [int(size) for size in machine.split(":")[1].split("x")]


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def scotch(case, order=None):
    """scotch_gmap without imbalance; ranks renumbered by `order`, on which its result depends."""
    if not shutil.which("scotch_gmap"):
        return None
    return scotch_onto(case, scotch_target(case), order)


def scotch_onto(case, architecture, order=None, balance=0):
    """The same onto any target architecture, as the text of its file; nodes take `balance` more
    than their share."""
    order = order or list(range(case.ranks))
    number = {rank: i for i, rank in enumerate(order)}
    with tempfile.TemporaryDirectory() as work:
        graph, target, result = (os.path.join(work, name) for name in ("graph", "target", "map"))
        with open(graph, "w") as file:
            file.write(f"0\n{case.ranks} {sum(map(len, case.partners))}\n0 010\n")
            for rank in order:
                row = " ".join(f"{size} {number[other]}" for other, size in case.partners[rank])
                file.write(f"{len(case.partners[rank])} {row}\n")
        with open(target, "w") as file:
            file.write(architecture)
        subprocess.run(["scotch_gmap", graph, target, result, f"-b{balance}"], check=True, capture_output=True)
        with open(result) as file:
            next(file)
            pairs = (map(int, line.split()) for line in file)
            placed = {order[vertex]: node for vertex, node in pairs}
    return [placed[rank] for rank in range(case.ranks)]


def scotch_target(case):
    if case.tree:
        levels, hosts = case.tree
        slots = " ".join(f"{arity} {cost}" for arity, cost in levels)
        tree = f"tleaf {len(levels)} {slots}\n"
        if product(arity for arity, _ in levels) == hosts:
            return tree
        return f"sub {hosts} {' '.join(map(str, range(hosts)))}\n{tree}"
    sizes = dims(case.machine)[::-1]  # its first dimension varies fastest
    return f"torus{len(sizes)}D {' '.join(map(str, sizes))}\n"


def renumberings(case, runs=8):
    """Orders of the ranks: the given one, and others at random."""
    orders = [list(range(case.ranks)) for _ in range(runs)]
    for seed, order in enumerate(orders[1:], 1):
        random.Random(seed).shuffle(order)
    return orders


def metis(case, recursive, shares=None):
    """METIS's parts, part i on node i; with `shares` of all ranks, as many parts of these sizes."""
    try:
        import pymetis
    except ImportError:
        return None
    starts, ends, sizes = rows(case)
    adjacency = pymetis.CSRAdjacency(starts, ends)
    parts = len(shares) if shares else case.nodes
    return pymetis.part_graph(parts, adjacency, eweights=sizes, recursive=recursive, tpwgts=shares)[1]


def kahip(case, parts=None):
    """KaHIP's parts without imbalance, by default as many as nodes, part i on node i. KaHIP's
    Python wheel has the partitioner only, not the mapping."""
    try:
        from kahip import ECO, kaffpa
    except ImportError:
        return None
    # With large weights KaHIP does not end.
    starts, ends, sizes = rows(case, 1 << 20)
    quiet, seed = True, 1
    return kaffpa([1] * case.ranks, starts, sizes, ends, parts or case.nodes, 0.0, quiet, seed, ECO)[1]


def rows(case, most=1 << 30):
    """The graph as partitioners take it: where each rank's row begins, its partners, and bytes
    scaled to add up to `most` at most, about."""
    starts, ends, sizes = [0], [], []
    for row in case.partners:
        ends += [other for other, _ in row]
        sizes += [size for _, size in row]
        starts.append(len(ends))
    scale = max(1, sum(sizes) // most)
    return starts, ends, [max(1, size // scale) for size in sizes]


def mt_kahypar(case):
    """Steiner-tree mapping. It takes minutes from 300 nodes on, so it only runs with fewer."""
    if case.tree or case.nodes > 64:
        return None
    links = dict.fromkeys(torus_links(dims(case.machine)), 1)
    edges = [(a, b, s) for a, row in enumerate(case.partners) for b, s in row if a < b]
    return steiner(case.ranks, edges, case.nodes, links, 0.0)


def steiner(ranks, edges, nodes, links, imbalance):
    """Mt-KaHyPar's Steiner trees on a target graph of links {(node, node): length}."""
    try:
        import mtkahypar
    except ImportError:
        return None
    start = mtkahypar.initialize(2)
    mtkahypar.set_seed(1)
    context = start.context_from_preset(mtkahypar.PresetType.DEFAULT)
    context.logging = False
    target = start.create_target_graph(context, nodes, len(links), list(links), list(links.values()))
    graph = start.create_graph(
        context, ranks, len(edges), [(a, b) for a, b, _ in edges], [1] * ranks, [s for *_, s in edges]
    )
    context.set_mapping_parameters(nodes, imbalance)
    parts = graph.map_onto_graph(target, context)
    return [parts.block_id(rank) for rank in range(ranks)]


def torus_links(sizes):
    links = set()
    for node in range(product(sizes)):
        stride = 1
        for size in reversed(sizes):
            at = node // stride % size
            next_node = node + ((at + 1) % size - at) * stride
            if next_node != node:
                links.add((min(node, next_node), max(node, next_node)))
            stride *= size
    return sorted(links)


def repaired(case, nodes):
    """Moves ranks off overfull nodes to the node with room whose number is nearest, the ranks with
    the least traffic first. Returns the node of every rank, and the number of moved ranks."""
    on = [[] for _ in range(case.nodes)]
    for rank, node in enumerate(nodes):
        on[node].append(rank)
    nodes, moved = list(nodes), 0
    free = [node for node in range(case.nodes) if len(on[node]) < case.room[node]]
    for node in range(case.nodes):
        on[node].sort(key=lambda rank: sum(size for _, size in case.partners[rank]), reverse=True)
        while len(on[node]) > case.room[node]:
            rank = on[node].pop()
            there = min(free, key=lambda other: abs(other - node))
            nodes[rank] = there
            on[there].append(rank)
            moved += 1
            if len(on[there]) == case.room[there]:
                free.remove(there)
    return nodes, moved


def timed(work):
    """The result of `work` and its CPU seconds, those of programs it started included."""

    def spent():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before = spent()
    result = work()
    return result, spent() - before


def available():
    """Names and functions of all peers, for one case."""
    return {
        "scotch": scotch,
        "metis-rb": lambda case: metis(case, True),
        "metis-kway": lambda case: metis(case, False) if case.cores > 1 else None,
        "mt-kahypar": mt_kahypar,
    }



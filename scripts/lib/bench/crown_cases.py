"""The graphs and the peers of the benchmark `crown`."""

import itertools
import math
import subprocess

import cases
import peers

# Sizes of the machine's levels and their distances, from the nodes up; spare slots.
DISTANCES = [1, 10, 100]
SPARE = 0.03


class Case:
    """A graph by its kind and number of ranks, on a hierarchy."""

    def __init__(self, kind, ranks, hierarchy):
        self.kind, self.ranks, self.hierarchy = kind, ranks, hierarchy
        self.sizes = [int(size) for size in hierarchy.split(":")]
        self.nodes = peers.product(self.sizes)
        self.cores = math.ceil((1 + SPARE) * ranks / self.nodes)
        self.name = f"{kind} {ranks} {hierarchy}"
        distances = ":".join(map(str, DISTANCES))
        self.machine = f"hierarchy:{hierarchy}/distances={distances}"

    def graph(self, instances):
        """Number of ranks and the messages: {(from, to): bytes}."""
        if self.kind in FORMULAS:
            return self.ranks, FORMULAS[self.kind](self.ranks)
        made = subprocess.run([instances, self.kind, str(self.ranks)], check=True, capture_output=True, text=True)
        lines = (line.split() for line in made.stdout.splitlines()[2:])
        return self.ranks, {(int(a) - 1, int(b) - 1): int(size) for a, b, size in lines}

    def fits(self, nodes):
        load = [0] * self.nodes
        for node in nodes:
            load[node] += 1
        return max(load) <= self.cores

    def distance(self, a, b):
        for size, distance in zip(self.sizes, DISTANCES):
            if a == b:
                return 0
            a, b = a // size, b // size
            if a == b:
                return distance
        return DISTANCES[-1]

    def cost(self, edges, nodes):
        """J: bytes of every edge times the distance of its ends."""
        known = [[self.distance(a, b) for b in range(self.nodes)] for a in range(self.nodes)]
        return sum(size * known[nodes[a]][nodes[b]] for a, b, size in edges)


def delaunay(ranks):
    """The Delaunay triangulation of random points in a square."""
    import numpy
    import scipy.spatial

    points = numpy.random.default_rng(1).random((ranks, 2))
    corners = scipy.spatial.Delaunay(points).simplices
    return both_ways((a, b) for triangle in corners.tolist() for a, b in itertools.combinations(triangle, 2))


def mesh(ranks):
    """The tetrahedra of a solid that is finer towards one corner."""
    import numpy
    import scipy.spatial

    points = numpy.random.default_rng(1).random((ranks, 3)) ** 1.5 * [4, 2, 1]
    corners = scipy.spatial.Delaunay(points).simplices
    return both_ways((a, b) for cell in corners.tolist() for a, b in itertools.combinations(cell, 2))


def stencil(ranks):
    """27 points on a cube, or on two beside each other."""
    return cases.stencil("st3d27_" + "x".join(map(str, SHAPES[ranks])))[1]


def kkt(ranks):
    """State and multiplier of every cell of a grid, 7 points each, coupled to each other's."""
    sizes = SHAPES[ranks // 2]
    number = {cell: i for i, cell in enumerate(itertools.product(*map(range, sizes)))}
    half, pairs = len(number), []
    for cell, i in number.items():
        pairs.append((i, half + i))
        for along in range(3):
            other = number.get(tuple(at + (along == axis) for axis, at in enumerate(cell)))
            if other is not None:
                pairs += [(i, other), (i, half + other), (half + i, other)]
    return both_ways(pairs)


SHAPES = {1024: (8, 8, 16), 2048: (8, 16, 16), 16384: (16, 32, 32), 32768: (32, 32, 32)}
FORMULAS = {"delaunay": delaunay, "mesh": mesh, "stencil27": stencil, "kkt": kkt}


def both_ways(pairs):
    messages = {}
    for a, b in pairs:
        messages[a, b] = messages[b, a] = 1
    return messages


def peers_of(case, ranks, edges):
    """Names and functions of all peers for one case. Each returns the node of every rank, or None
    where it cannot be had."""
    partners = [[] for _ in range(ranks)]
    for a, b, size in edges:
        partners[a].append((b, size))
        partners[b].append((a, size))
    told = peers.Case(ranks, partners, case.machine, case.cores, ([], case.nodes))
    modes = {f"sharedmap {mode}": lambda mode=mode: sharedmap(case, told, mode) for mode in ("strong", "eco", "fast")}
    return {
        **modes,
        "kahip": lambda: kahip(case, told),
        "scotch": lambda: scotch(case, told),
        "mt-kahypar": lambda: steiner(case, ranks, edges),
    }


def laboratory(told):
    """The module `chszlablib` and its form of the graph, or None."""
    try:
        import chszlablib
        import numpy
    except ImportError:
        return None
    starts, ends, sizes = peers.rows(told)
    told = (numpy.array(starts), numpy.array(ends))
    return chszlablib.Decomposition, chszlablib.Graph.from_csr(*told, edge_weights=numpy.array(sizes))


def sharedmap(case, told, mode):
    library = laboratory(told)
    if library is None:
        return None
    found = library[0].process_map(library[1], case.sizes, DISTANCES, mode=mode, imbalance=SPARE)
    return found.assignment.tolist()


def kahip(case, told):
    """As many parts as nodes, part i on node i."""
    library = laboratory(told)
    if library is None:
        return None
    return library[0].partition(library[1], case.nodes, mode="eco", imbalance=SPARE).assignment.tolist()


def scotch(case, told):
    if not peers.shutil.which("scotch_gmap"):
        return None
    levels = zip(reversed(case.sizes), reversed(DISTANCES))
    words = " ".join(f"{size} {distance}" for size, distance in levels)
    return peers.scotch_onto(told, f"tleaf {len(case.sizes)} {words}\n", balance=SPARE)


def steiner(case, ranks, edges):
    """Mt-KaHyPar's objective Steiner tree, which takes minutes with more than 64 nodes."""
    if case.nodes > 64:
        return None
    distances = {(a, b): case.distance(a, b) for a in range(case.nodes) for b in range(a)}
    return peers.steiner(ranks, edges, case.nodes, distances, SPARE)


QUICK = [Case("delaunay", 2048, "2:4:4"), Case("stencil27", 2048, "4:4:4")]
CASES = [
    *[Case(kind, ranks, "4:8:6") for ranks in (8192, 32768, 65536) for kind in ("flat", "geometric", "delaunay")],
    *[Case(kind, 32768, "4:8:6") for kind in ("mesh", "stencil27", "kkt", "powerlaw")],
    *[Case(kind, 32768, "4:4:4") for kind in ("flat", "geometric")],
    *[Case(kind, 32768, "8:8:16") for kind in ("delaunay", "mesh")],
    Case("delaunay", 131072, "4:8:8"),
]

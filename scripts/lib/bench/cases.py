"""The cases: communication graphs, and the machines they are mapped onto."""

import itertools
import lzma
import pathlib

INSTANCES = pathlib.Path(__file__).resolve().parents[2] / "instances"
BYTES = 1024

# Graph, machine, ranks a node. For switched machines also the description for peers that know trees
# only: the arity of every level from the root down with ten times the mean hops between its
# branches, and the number of hosts.
CASES = [
    ("st2d_16x16", "torus:8x8x4", 1, None),
    ("st2d_32x32", "torus:8x8x16", 1, None),
    ("st3d7_8x8x16", "torus:8x8x16", 1, None),
    ("sub_a2a_32x32", "torus:8x8x16", 1, None),
    ("nlpkkt_256", "torus:8x8x4", 1, None),
    ("nlpkkt_512", "torus:4x4x4", 8, None),
    ("fe_4096", "torus:8x8x8", 8, None),
    ("nlpkkt_512", "torus:8x8x8", 1, None),
    ("fe_512", "torus:8x8x8", 1, None),
    ("amr_512", "torus:8x8x8", 1, None),
    ("nlpkkt_1728", "torus:12x12x12", 1, None),
    ("fe_1728", "torus:12x12x12", 1, None),
    ("amr_1728", "torus:12x12x12", 1, None),
    ("nlpkkt_4096", "torus:16x16x16", 1, None),
    ("fe_4096", "torus:16x16x16", 1, None),
    ("st2d_64x64", "ibcore:", 8, ([(3, 60), (6, 40), (30, 20)], 512)),
    ("st3d15_16x16x16", "ibcore:", 8, ([(3, 60), (6, 40), (30, 20)], 512)),
    ("sub_a2a_64x64", "ibcore:", 8, ([(3, 60), (6, 40), (30, 20)], 512)),
    ("nlpkkt_1024", "dragonfly:16,8,4,8", 1, ([(8, 48), (8, 30), (16, 20)], 1024)),
    ("fe_4096", "dragonfly:16,8,4,8", 4, ([(8, 48), (8, 30), (16, 20)], 1024)),
    ("rgg_1024", "dragonfly:16,8,4,8", 1, ([(8, 48), (8, 30), (16, 20)], 1024)),
    ("fe_1024", "xgft:16,8,8:1,8,8", 1, ([(8, 60), (8, 40), (16, 20)], 1024)),
    ("nlpkkt_1024", "percs:32", 1, ([(32, 28), (4, 10), (8, 10)], 1024)),
]


def graph(name):
    """Number of ranks and the messages: {(from, to): bytes}."""
    if name.startswith("st"):
        return stencil(name)
    if name.startswith("sub_a2a"):
        return columns(name)
    with lzma.open(INSTANCES / f"{name}.mtx.xz", "rt") as file:
        return read(file)


def read(text):
    """A graph from the lines of a Matrix Market file."""
    lines = (line.split() for line in text if not line.startswith("%"))
    ranks = int(next(lines)[0])
    return ranks, {(int(sender) - 1, int(receiver) - 1): int(size) for sender, receiver, size in lines}


def stencil(name, is_periodic=False):
    """st2d_AxB: 4 neighbours; st3d7_AxBxC: 6; st3d15_AxBxC: 6 and the 8 corners; st3d27_AxBxC: all
    26, an edge an eighth of a face and a corner an eighth of an edge. Row-major, with open ends
    unless they are periodic."""
    dims = [int(size) for size in name.split("_")[1].split("x")]
    cells = list(itertools.product(*map(range, dims)))
    rank = {cell: i for i, cell in enumerate(cells)}
    kind = name.split("_")[0]
    kept = {"st3d15": {1, 3}, "st3d27": {1, 2, 3}}.get(kind, {1})
    steps = [s for s in itertools.product((-1, 0, 1), repeat=len(dims)) if sum(map(abs, s)) in kept]
    messages = {}
    for cell in cells:
        for step in steps:
            there = tuple(c + s for c, s in zip(cell, step))
            if is_periodic:
                there = tuple(c % size for c, size in zip(there, dims))
            if there in rank:
                shared = sum(map(abs, step)) - 1 if kind == "st3d27" else 0
                messages[rank[cell], rank[there]] = BYTES >> 3 * shared
    return len(cells), messages


def columns(name):
    """sub_a2a_AxB: every rank of the A x B grid sends to all other ranks of its column."""
    rows, width = (int(size) for size in name.split("_")[2].split("x"))
    messages = {}
    for column in range(width):
        members = range(column, rows * width, width)
        messages.update({pair: BYTES for pair in itertools.permutations(members, 2)})
    return rows * width, messages


def nodes_in(path):
    """The node of every rank, as `map --to nodes` writes them."""
    with open(path) as file:
        return [int(line) for line in file if not line.startswith("#")]


def write(path, ranks, messages):
    """The graph as a Matrix Market file."""
    with open(path, "w") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n")
        file.write(f"{ranks} {ranks} {len(messages)}\n")
        for (sender, receiver), size in sorted(messages.items()):
            file.write(f"{sender + 1} {receiver + 1} {size}\n")


def undirected(ranks, messages):
    """For every rank its partners and the bytes of both directions, ascending."""
    partners = [{} for _ in range(ranks)]
    for (sender, receiver), size in messages.items():
        partners[sender][receiver] = partners[sender].get(receiver, 0) + size
        partners[receiver][sender] = partners[receiver].get(sender, 0) + size
    return [sorted(row.items()) for row in partners]

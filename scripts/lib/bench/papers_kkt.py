"""The matrices nlpkkt120 and nlpkkt240 by formula, cut into parts by METIS: the communication of a
product of matrix and vector.

A PDE-constrained problem on N x N x N points: a state and a multiplier at every point, and a
control at every point of the six faces of N x N. The multiplier of a point is coupled with the
states of the 27 points around it, and beside a face with the 9 controls around it; the other blocks
are diagonal. Such a matrix has 2 N^3 + 6 N^2 rows, and its lower half (3N-2)^3 + 6 (3N-2)^2
nonzeros besides the diagonal. With N = 120 and 240 these are the figures of the papers to the last
digit, which is what says that the formula is that of the collection's matrices.

    python papers_kkt.py N PARTS DIRECTORY      needs numpy and pymetis

writes nlpkktN_PARTS_needed.mtx, with 8 bytes for every element of the vector that another part
needs, and nlpkktN_PARTS_edges.mtx, with 8 bytes for every edge that is cut.
"""

import itertools
import pathlib
import sys


def rows(side):
    return 2 * side ** 3 + 6 * side ** 2


def nonzeros(side):
    """Of the lower half, as the collection stores a symmetric matrix and both papers count."""
    reach = 3 * side - 2
    return reach ** 3 + 6 * reach ** 2 + rows(side)


# Faces as (dimension, end), in the order of their controls.
FACES = list(itertools.product(range(3), (0, 1)))


def adjacency(side):
    """The graph of the matrix: starts of rows, and neighbours. States come first, then multipliers,
    then controls."""
    import numpy as np

    points, controls = side ** 3, 2 * side ** 3
    plane = np.indices((side, side)).reshape(2, -1).astype(np.int32)
    counts, found = [], []

    def add(table):
        counts.append((table >= 0).sum(axis=1, dtype=np.int32))
        found.append(table[table >= 0])

    for other in (points, 0):
        for i in range(side):
            at = np.vstack([np.full(side * side, i, np.int32), plane])
            tables = [around(np, side, at, other)]
            if other == 0:
                tables += [beside(np, side, at, face, controls) for face in range(6)]
            add(np.hstack(tables))
    for dim, end in FACES:
        at = np.insert(plane, dim, end * (side - 1), axis=0)
        add(around(np, side, at, points, flat=dim))
    starts = np.zeros(rows(side) + 1, np.int64)
    np.cumsum(np.concatenate(counts), out=starts[1:])
    kind = np.int32 if starts[-1] < 2 ** 31 else np.int64
    return starts.astype(kind), np.concatenate(found).astype(kind, copy=False)


def around(np, side, at, first, flat=None):
    """The points around each point, numbered from `first`, -1 outside of the grid; only those of
    the same plane with `flat`, the dimension across it."""
    reach = [(0,) if dim == flat else (-1, 0, 1) for dim in range(3)]
    columns = []
    for step in itertools.product(*reach):
        there = at + np.array(step, np.int32)[:, None]
        inside = ((there >= 0) & (there < side)).all(axis=0)
        number = first + (there[0] * side + there[1]) * side + there[2]
        columns.append(np.where(inside, number, -1))
    return np.stack(columns, axis=1)


def beside(np, side, at, face, first):
    """The controls around each point of the layer at a face; -1 for all other points."""
    dim, end = FACES[face]
    held = at[dim] == end * (side - 1)
    along = np.delete(at, dim, axis=0)
    columns = []
    for step in itertools.product((-1, 0, 1), repeat=2):
        there = along + np.array(step, np.int32)[:, None]
        inside = held & ((there >= 0) & (there < side)).all(axis=0)
        columns.append(np.where(inside, first + face * side * side + there[0] * side + there[1], -1))
    return np.stack(columns, axis=1)


# Vertices that are counted together: bounds the memory.
AT_ONCE = 1 << 20
# Bytes of an element of the vector.
ELEMENT = 8


def messages(starts, neighbours, part, parts, needed):
    """Bytes from part to part: for every element that rows of another part need, once, or for every
    such row."""
    import numpy as np

    total = np.zeros(parts * parts, np.int64)
    for first in range(0, len(starts) - 1, AT_ONCE):
        last = min(first + AT_ONCE, len(starts) - 1)
        vertex = np.repeat(np.arange(first, last), np.diff(starts[first:last + 1]))
        to = part[neighbours[starts[first]:starts[last]]]
        pairs = (vertex * parts + to)[part[vertex] != to]
        if needed:
            pairs = np.unique(pairs)
        total += np.bincount(part[pairs // parts] * parts + pairs % parts, minlength=parts * parts)
    return {divmod(int(pair), parts): ELEMENT * int(total[pair]) for pair in np.flatnonzero(total)}


def cut(side, parts):
    """The graph, and METIS's parts by k-way cuts, its default for so many parts."""
    import numpy as np
    import pymetis

    starts, neighbours = adjacency(side)
    _, part = pymetis.part_graph(parts, pymetis.CSRAdjacency(starts, neighbours), recursive=False)
    return starts, neighbours, np.asarray(part, np.int64)


def main(side, parts, directory):
    import cases

    graph = cut(side, parts)
    for weight in ("edges", "needed"):
        name = f"nlpkkt{side}_{parts}_{weight}.mtx"
        part = pathlib.Path(directory, f"{name}.part")
        cases.write(part, parts, messages(*graph, parts, weight == "needed"))
        part.rename(part.with_suffix(""))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])

"""nlpkkt240 in less memory than nlpkkt120 takes: METIS cuts cells of points in place of rows.

A cell is CELL x CELL x CELL points with all of their rows: a state and a multiplier of each point,
and the controls of points on a face. A vertex weighs as many as its rows, an edge as many as the
nonzeros between the rows of two cells, by formula. What parts exchange is counted point by point,
so that cells bound only where parts can be cut.

    python papers_kkt_cells.py N PARTS DIRECTORY      needs numpy and pymetis

writes nlpkktN_PARTS_cells.mtx, with 8 bytes for every element of the vector that another part
needs.

Compared with nlpkkt120 cut row by row, the hop-bytes that Wu's mapping saves with 512 and 1024
parts differ by 2.9 and 0.1 points (RCM) and 2.8 and 3.7 (breadth-first); with cells of one point
and 1024 parts by 0.5 and 1.2. Another random order of 256 parts moves them by up to 7. Cells of
nlpkkt240 are to its parts as single points are to parts of nlpkkt120.
"""

import itertools
import pathlib
import sys

import cases
import numpy as np
from papers_kkt import ELEMENT, FACES, rows

# Points along an edge of a cell.
CELL = 2
STEPS = [step for step in itertools.product((-1, 0, 1), repeat=3) if any(step)]


def graph(side):
    """Starts of rows, neighbours, weights of vertices and of edges."""
    wide = side // CELL
    at = np.indices((wide,) * 3).reshape(3, -1).astype(np.int32)
    faces = np.stack([at[dim] == end * (wide - 1) for dim, end in FACES])
    numbers, weights = [], []
    for step in STEPS:
        there = at + np.array(step, np.int32)[:, None]
        inside = ((there >= 0) & (there < wide)).all(axis=0)
        numbers.append(np.where(inside, (there[0] * wide + there[1]) * wide + there[2], -1))
        # The controls of a face reach the multipliers of its layer alone.
        flat = sum(held * (step[dim] == 0) * couplings(np.delete(step, dim)) for held, (dim, _) in zip(faces, FACES))
        weights.append(2 * (couplings(step) + flat))
    numbers, weights = np.stack(numbers, axis=1), np.stack(weights, axis=1)
    starts = np.zeros(wide ** 3 + 1, np.int32)
    np.cumsum((numbers >= 0).sum(axis=1), out=starts[1:])
    held = 2 * CELL ** 3 + CELL ** 2 * faces.sum(axis=0)
    assert held.sum() == rows(side)
    kept = numbers >= 0
    return starts, *(each.astype(np.int32) for each in (numbers[kept], held, weights[kept]))


def couplings(step):
    """Pairs of points no more than one apart in each dimension, one in each of two cells."""
    return np.prod([1 if there else 3 * CELL - 2 for there in step])


def cut(side, parts):
    """The part of every point."""
    import pymetis

    starts, neighbours, held, weights = graph(side)
    _, part = pymetis.part_graph(parts, pymetis.CSRAdjacency(starts, neighbours), vweights=held, eweights=weights,
                                 recursive=False)
    wide = side // CELL
    part = np.asarray(part, np.int32).reshape((wide,) * 3)
    return part.repeat(CELL, 0).repeat(CELL, 1).repeat(CELL, 2)


def messages(part, parts):
    """Bytes from part to part. States and multipliers go to all parts among the 27 points around,
    controls to those among the 9 of their face."""
    total = np.zeros(parts * parts, np.int64)
    around = np.pad(part, 1, mode="edge")
    for layer in range(len(part)):
        total += 2 * reached(around[layer:layer + 3], parts)
    for dim, end in FACES:
        face = part.take(end * (part.shape[dim] - 1), axis=dim)
        total += reached(np.pad(face, 1, mode="edge")[None], parts)
    return {divmod(int(pair), parts): ELEMENT * int(total[pair]) for pair in np.flatnonzero(total)}


def reached(layers, parts):
    """How often points of the middle layer have another part next to them, for every pair."""
    high, wide = (size - 2 for size in layers.shape[1:])
    beside = [layer[i:i + high, j:j + wide].ravel() for layer in layers for i in range(3) for j in range(3)]
    own = layers[len(layers) // 2][1:-1, 1:-1].ravel()
    near = np.stack(beside, axis=1)
    mixed = (near != own[:, None]).any(axis=1)
    near, own = np.sort(near[mixed], axis=1), own[mixed]
    fresh = near != own[:, None]
    fresh[:, 1:] &= near[:, 1:] != near[:, :-1]
    pairs = (own[:, None].astype(np.int64) * parts + near)[fresh]
    return np.bincount(pairs, minlength=parts * parts)


def main(side, parts, directory):
    path = pathlib.Path(directory, f"nlpkkt{side}_{parts}_cells.mtx")
    part = path.with_suffix(".part")
    cases.write(part, parts, messages(cut(side, parts), parts))
    part.rename(path)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])

"""Algorithm 1 of LibTopoMap's paper with another queue: a rank waits there once, with the first
edge that finds it. The listing queues a rank with every edge to it, and does not say what becomes
of the other edges when one was taken; `ltm-greedy` skips them then."""

import heapq
import itertools
import random

import cases


def by_first_edges(ranks, messages, nodes, beside):
    """The node of every rank, one on each, from the first node on. `beside`: the neighbours of
    every node and switch, by links of one speed."""
    partners, load = cases.undirected(ranks, messages), {}
    node, at, free, met = [None] * ranks, nodes[0], set(nodes), set()
    for root in sorted(range(ranks), key=lambda rank: -sum(size for _, size in partners[rank])):
        queue = [] if root in met else [(0, 0, None, root)]
        met.add(root)
        while queue:
            size, _, partner, rank = heapq.heappop(queue)
            node[rank] = at = closest(at, free.__contains__, beside, load)[0]
            free.remove(at)
            if partner is not None:
                for link in closest(node[partner], at.__eq__, beside, load)[1]:
                    load[link] = load.get(link, 0) - size
            for other, bytes_there in partners[rank]:
                if other not in met:
                    met.add(other)
                    heapq.heappush(queue, (-bytes_there, -len(met), rank, other))
    return node


def closest(start, is_wanted, beside, load):
    """The nearest wanted node, on the least loaded of the shortest paths, and the links of that
    path."""
    front, seen = {start: (0, ())}, {start}
    while True:
        found = [(front[there][0], there) for there in front if is_wanted(there)]
        if found:
            return min(found)[1], front[min(found)[1]][1]
        farther = {}
        for here, (loaded, path) in front.items():
            for there in beside[here]:
                way = (loaded + load.get((here, there), 0), (*path, (here, there)))
                if there not in seen and way < farther.get(there, (float("inf"),)):
                    farther[there] = way
        seen.update(farther)
        front = farther


def grid(sizes, wraps):
    """The neighbours of every node of a torus or a mesh."""
    cells = list(itertools.product(*map(range, sizes)))
    number = {cell: node for node, cell in enumerate(cells)}
    beside = []
    for cell in cells:
        steps = [(*cell[:dim], cell[dim] + step, *cell[dim + 1:]) for dim in range(len(sizes)) for step in (-1, 1)]
        if wraps:
            steps = [tuple(at % size for at, size in zip(step, sizes)) for step in steps]
        beside.append([number[step] for step in steps if step in number])
    return beside


def network(hosts, switches, links):
    """The neighbours of every host and switch, by their names."""
    beside = {name: [] for name in (*hosts, *switches)}
    for one, other, _ in links:
        beside[one].append(other)
        beside[other].append(one)
    return beside


def percs(supernodes, size=32):
    """The neighbours of every node where all nodes of a supernode are neighbours, and a random node
    of each supernode has the link to each other one."""
    beside = [[other for other in range(node - node % size, node - node % size + size) if other != node]
              for node in range(supernodes * size)]
    share = -(-(supernodes - 1) // size)
    ends = [[first * size + end // share for end in random.Random(first).sample(range(supernodes - 1), supernodes - 1)]
            for first in range(supernodes)]
    for one, other in itertools.combinations(ends, 2):
        here, there = one.pop(), other.pop()
        beside[here].append(there)
        beside[there].append(here)
    return beside

"""The cases of the benchmark `time`: graphs, and the machines their ranks just fill."""

import subprocess

import cases
from time_machines import dragonfly, fat_tree, torus

# Made by the example `instances`: random points and their neighbours, and graphs with a few very
# busy ranks.
SHAPES = {"geometric", "graded", "aircraft", "flat", "powerlaw"}

# A graph is a name of cases.graph or SHAPE:RANKS; /N cuts a connected part of N ranks out of it.
CASES = [
    (torus(4, 4, 4), ["st2d_8x8", "st3d27_4x4x4", "sub_a2a_8x8", "fe_512/64", "geometric:128/64"]),
    (torus(5, 5, 5), ["amr_512/125", "fe_512/125", "nlpkkt_256/125", "geometric:250/125"]),
    (torus(9, 7), ["flat:126/63"]),
    (torus(8, 4, 4, cores=2), ["nlpkkt_256"]),
    (torus(4, 4, 4, cores=4), ["st2d_16x16", "fe_512/256"]),
    (torus(8, 8, 4), ["amr_512/256"]),
    (fat_tree([16, 8], [1, 16]), ["st3d27_4x4x8", "rgg_1024/128"]),
    (fat_tree([16, 8], [1, 8]), ["st2d_8x16", "st3d7_4x4x8", "fe_512/128", "rgg_1024/128", "sub_a2a_8x16"]),
    (fat_tree([8, 8], [1, 4]), ["nlpkkt_512/64"]),
    (fat_tree([8, 8], [1, 4], cores=2), ["st2d_16x8", "aircraft:256/128"]),
    (fat_tree([4, 4, 8], [1, 4, 2]), ["amr_512/128", "graded:256/128"]),
    (fat_tree([16, 16], [1, 8]), ["st2d_16x16"]),
    (dragonfly(8, 8, 2), ["st2d_8x16", "st3d7_4x4x8", "rgg_1024/128", "amr_512/128", "sub_a2a_8x16", "powerlaw:128"]),
    (dragonfly(8, 8, 1, cores=2), ["fe_512/128"]),
    (dragonfly(8, 8, 4), ["st3d7_4x8x8", "nlpkkt_256"]),
]

# One small case of every family.
QUICK = ["torus 4x4x4 fe_512/64", "torus 9x7 flat:126/63", "xgft 8,8:1,4 nlpkkt_512/64", "dragonfly 8x8x1 c2 fe_512/128"]


def every():
    """Title, machine and name of the graph."""
    for machine, graphs in CASES:
        for name in graphs:
            yield f"{machine.name} {name}", machine, name


def graph(name, instances):
    """Number of ranks and the messages: {(from, to): bytes}."""
    whole, _, part = name.partition("/")
    shape, _, size = whole.partition(":")
    ranks, messages = made(instances, shape, size) if shape in SHAPES else cases.graph(whole)
    return cut(ranks, messages, int(part)) if part else (ranks, messages)


def made(instances, shape, ranks):
    """What the program `instances` makes."""
    done = subprocess.run([instances, shape, ranks, "1"], check=True, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("%")]
    return int(ranks), {(int(i) - 1, int(j) - 1): int(size) for i, j, size in lines[1:]}


def cut(ranks, messages, keep):
    """The `keep` ranks nearest to rank 0 by messages, in their old order."""
    partners = cases.undirected(ranks, messages)
    found, met = [0], {0}
    for rank in found:
        new = [other for other, _ in partners[rank] if other not in met]
        found += new
        met.update(new)
    if len(found) < keep:
        raise SystemExit(f"rank 0 reaches {len(found)} ranks, not {keep}")
    number = {rank: i for i, rank in enumerate(sorted(found[:keep]))}
    inside = {pair: size for pair, size in messages.items() if pair[0] in number and pair[1] in number}
    return keep, {(number[i], number[j]): size for (i, j), size in inside.items()}


def scaled(messages, mean):
    """The same messages with that many bytes on average, none empty."""
    factor = mean * len(messages) / sum(messages.values())
    return {pair: max(1, round(size * factor)) for pair, size in messages.items()}

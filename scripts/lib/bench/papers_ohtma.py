"""OHTMA, 2021: hop-bytes and times of section 5.3 on the Tianhe-3 prototype.

Bytes are those of `rankfold generate`, and for Snap those of Sweep3D, which sweeps over a grid of
processes as Snap does. Times are predicted, with all links of one speed.
"""

import functools
import itertools
import random

from papers_jobs import Job
from papers_mapper import saved, seconds

TITLE = "OHTMA (2021)"

# Six rows of eight chips of 96 nodes: the smallest prototype that holds the paper's largest jobs,
# of 4096 processes. A job has as many nodes as processes (section 2.1).
MACHINE, CHIP, NODES = "tianhe3:6x8", 96, 4608


def scattered(ranks):
    return sorted(random.Random(1).sample(range(NODES), ranks))


def first(ranks):
    return list(range(ranks))


def spread(ranks):
    """As many nodes of every chip."""
    share = -(-ranks // (NODES // CHIP))
    nodes = [node for node in range(NODES) if node % CHIP < share]
    return nodes[:ranks]


ASSUMPTIONS = {
    # The paper does not say which nodes: against round-robin, in-order gains there what it gains on
    # random nodes.
    "nodes": ("random", "first", "spread"),
    # Other idle nodes that OHTMA may take instead: Algorithm 1 extracts "a subset of all the
    # compute nodes".
    "idle": ("none", "as many again"),
    # Line 26 as listed, or without the bytes between the two that are exchanged.
    "cost": ("listing", "exact"),
    # Section 5.2: half as many exchanges as processes.
    "exchanges": ("half", "all"),
}
NODES_OF_JOB = {"random": scattered, "first": first, "spread": spread}

HEURISTICS = {"greedy": "ltm-greedy", "RCM": "rcm"}
# What `rankfold generate` calls the programs, and the sizes that they run on.
SQUARES, POWERS = (256, 1024, 4096), (256, 512, 1024, 2048, 4096)
PROGRAMS = {"BT": ("npb-bt", SQUARES), "SP": ("npb-sp", SQUARES), "CG": ("npb-cg", POWERS), "LU": ("npb-lu", POWERS),
            "Snap": ("sweep3d", POWERS)}

# A path has one link more here than the paper's table 1 counts, since the links of both hosts
# count.
LINKS_MORE = 1


def program(name, mapper, assume):
    """Gains of OHTMA on every other mapping: the mean over all sizes, the most and the least."""
    kind, sizes = PROGRAMS[name]
    runs = [mappings(mapper, kind, ranks, assume) for ranks in sizes]
    for rival in ("in-order", "round-robin", *HEURISTICS):
        for figure, of in (("hop-bytes", hops), ("time", seconds)):
            gains = [saved(of(run[rival]), of(run["ohtma"])) for run in runs]
            yield f"{rival} {figure}", mean(gains)
            yield f"{rival} {figure} most", max(gains)
            yield f"{rival} {figure} least", min(gains)
    yield "in-order to round-robin", mean([hops(run["in-order"]) / hops(run["round-robin"]) for run in runs])
    yield "bound", mean([saved(hops(run["in-order"]), bound(run["ohtma"])) for run in runs])
    for ranks, run in zip(sizes, runs):
        yield f"seconds {ranks}", run["ohtma"]["cpu_seconds"]


def mappings(mapper, kind, ranks, assume):
    """The figures of all mappings of one program."""
    case, job = placed(mapper, kind, ranks, assume)
    ours = (f"ohtma:cost={assume['ohtma.cost']}", *(("--loops", str(ranks)) if assume["ohtma.exchanges"] == "all" else ()))
    others = sorted(set(range(NODES)) - set(job))
    more = random.Random(2).sample(others, min(len(others), ranks)) if assume["ohtma.idle"] != "none" else []
    return {
        "in-order": case.judge(job), "round-robin": case.judge(chip_by_chip(job)),
        "ohtma": on_nodes(mapper, kind, ranks, job + more).published(*ours),
        **{name: case.published(member) for name, member in HEURISTICS.items()},
    }


def placed(mapper, kind, ranks, assume):
    """A program on the nodes of a job, and these nodes."""
    job = NODES_OF_JOB[assume["ohtma.nodes"]](ranks)
    return on_nodes(mapper, kind, ranks, job), job


def on_nodes(mapper, kind, ranks, nodes):
    """A program where these nodes are idle."""
    held = set(nodes)
    hosts = [f"n{node}" if node in held else "-" for node in range(NODES)]
    return mapper.case(*mapper.generated(kind, ranks), MACHINE, hosts=hosts)


def hops(figures):
    """Hop-bytes by the paper's count of hops."""
    return figures["hop_bytes"] * (1 - LINKS_MORE / figures["hops_per_byte"])


def bound(figures):
    """The lower bound on hop-bytes by the paper's count of hops."""
    return figures["lower_bound"] - LINKS_MORE * figures["hop_bytes"] / figures["hops_per_byte"]


def mean(values):
    return sum(values) / len(values)


def chip_by_chip(job):
    """The first node of every chip, then the second, and so on."""
    chips = [[node for node in job if node // CHIP == chip] for chip in range(NODES // CHIP)]
    return [node for deal in itertools.zip_longest(*chips) for node in deal if node is not None]


# Table 1: a node on the same side of a chip, on the other side, and likewise in the same row and in
# another row and column.
PLACES = {"chip, same side": 1, "chip, other side": CHIP // 2, "row, same side": CHIP, "row, other side": CHIP + CHIP // 2,
          "apart, same side": 9 * CHIP, "apart, other side": 9 * CHIP + CHIP // 2}


def table(mapper, _):
    """Hops between the first node and others."""
    case = mapper.case(2, {(0, 1): 1}, MACHINE)
    for name, node in PLACES.items():
        yield name, case.judge([0, node])["hops_per_byte"] - LINKS_MORE


JOBS = [
    Job("ohtma.table", table, 1, is_quick=True),
    *(Job(f"ohtma.{name}", functools.partial(program, name), 31 if name == "CG" else 17) for name in PROGRAMS),
]

"""OHTMA, 2021: hop-bytes and times of section 5.3 on the Tianhe-3 prototype.

Why LU and Snap gain less here than in the paper, on the first nodes most of all: in-order is a good
mapping of these programs on consecutive nodes, and was not on the paper's nodes. The paper's gains
against in-order and against round-robin give the hop-bytes of in-order relative to round-robin:
0.78 for BT, 0.79 for SP, 1.04 for Snap. On the first nodes here they are 0.46 to 0.50 for LU and
Snap with 256 to 1024 processes: most partners of a rank are on its side of its chip, one hop away
by the paper's table 1. In-order has 1.30 hops a byte there with 256 processes, and every byte needs
one, so that no mapping saves more than 23.1 per cent, and with SP no more than 33.3; the paper
saves 29.6 with Snap and 34.3 with SP on average. On random nodes in-order is 0.74 of round-robin
for BT and SP: the paper's jobs had scattered nodes.

On consecutive nodes OHTMA itself loses to in-order: 1.41 hops a byte with 256 processes, where the
automatic choice has 1.17. The order in which it takes nodes does not depend on the processes, and
half as many exchanges as processes do not make up for that.
"""

import itertools
import random

from papers_table import PROCESSOR, Row, Table, about, between

TITLE = "OHTMA (2021)"

# Six rows of eight chips of 96 nodes: the smallest prototype that holds the paper's largest jobs,
# of 4096 processes. A job has as many nodes as processes (section 2.1). The paper does not say
# which nodes.
MACHINE, CHIP, NODES = "tianhe3:6x8", 96, 4608


def scattered(ranks):
    return sorted(random.Random(1).sample(range(NODES), ranks))


ALLOCATIONS = {"random nodes": scattered, "the first nodes": lambda ranks: list(range(ranks))}

# Section 5.3: hop-bytes of OHTMA below those of other mappings, in per cent, on average over 256 to
# 4096 processes.
PUBLISHED = {
    "BT": {"in-order": 29.7, "round-robin": 45.3},
    "SP": {"in-order": 34.3, "round-robin": 48, "greedy": 34.2, "RCM": 44.7},
    "CG": {"in-order": 4},
    "LU": {"in-order": 20.36, "greedy": 12.3},
    "Snap": {"in-order": 29.6, "round-robin": 26.7, "greedy": 29.5, "RCM": 32.4},
}
SECONDS = {256: 4.7, 512: 98}
# Figure 3, from the text: communication time saved in per cent, against another mapping, on average
# or at most.
SAVED = [("BT", "in-order", "mean", 13.5), ("SP", "in-order", "most", 20), ("Snap", "in-order", "mean", 16.7),
         ("Snap", "in-order", "most", 19.5), ("Sweep3D", "greedy", "mean", 5.9)]
MEASURED = "10 points: the paper's are measured; ours are predicted, with all links of one speed"
AVERAGES = "0.05: from averages over sizes that are not the same for all programs"
PROVED = "the gain that the paper has, and more: a bound below it proves other nodes or other bytes"
HEURISTICS = {"ohtma": "ohtma", "greedy": "ltm-greedy", "RCM": "rcm"}


# What `rankfold generate` calls the programs, and the sizes that they run on. Snap sweeps over a
# grid of ranks as Sweep3D does.
PROGRAMS = {"BT": ("npb-bt", (256, 1024, 4096)), "SP": ("npb-sp", (256, 1024, 4096)),
            "CG": ("npb-cg", (256, 512, 1024, 2048, 4096)), "LU": ("npb-lu", (256, 512, 1024, 2048, 4096)),
            "Snap": ("sweep3d", (256, 512, 1024, 2048, 4096)), "Sweep3D": ("sweep3d", (256, 512, 1024, 2048, 4096))}


# A path has one link more here than the paper's table 1 counts, since the links of both hosts
# count.
LINKS_MORE = 1

PATTERN = "5 points: nodes that the paper does not name, and problem sizes of our own"


def tables(mapper, quick):
    """No case is quick."""
    if quick:
        return
    for allocation, nodes in ALLOCATIONS.items():
        runs = Runs(mapper, nodes)
        note = ("Bytes by `rankfold generate`, for Snap those of Sweep3D. On average over 256 to 4096 processes. Hops as the "
                "paper's table 1 counts them.")
        yield Table(f"Section 5.3: hop-bytes below other mappings', per cent; {allocation}", gains(runs), 1, False, note)
        note = "The paper's figures are those of its gains against both."
        yield Table(f"Section 5.3: in-order relative to round-robin; {allocation}", in_order(runs), note=note)
        yield Table(f"Section 5.3: the most that hop-bytes can fall below in-order, per cent; {allocation}", most(runs), 1,
                    False, "By the lower bound on hop-bytes, which holds for every mapping of these bytes on these nodes.")
        yield Table(f"Figure 3: communication time below other mappings', per cent; {allocation}", times(runs), 1, False,
                    "Predicted; Sweep3D and Snap are one program here.")
    note = "Ours are CPU seconds of the whole run, reading included."
    yield Table("Section 5.3: seconds (BT at 256 processes, LU at 512)", seconds(runs), 1, note=note, not_judged=PROCESSOR)


class Runs:
    """The figures of every mapping of a program."""

    def __init__(self, mapper, nodes):
        self.mapper, self.nodes, self.found = mapper, nodes, {}

    def of(self, program):
        kind, sizes = PROGRAMS[program]
        return [self.run(kind, ranks) for ranks in sizes]

    def run(self, kind, ranks):
        if (kind, ranks) not in self.found:
            self.found[kind, ranks] = Mappings(self.mapper, self.mapper.generated(kind, ranks), self.nodes(ranks))
        return self.found[kind, ranks]


def gains(runs):
    for name, published in PUBLISHED.items():
        for rival, gain in published.items():
            of = [[100 * (1 - hops(found[key]) / hops(found[rival])) for key in ("ohtma", "automatic")]
                  for found in runs.of(name)]
            ours, automatic = (mean(column) for column in zip(*of))
            yield Row(f"{name} against {rival}", about(gain, 5, PATTERN), ours, automatic)


def in_order(runs):
    for name, published in PUBLISHED.items():
        if "round-robin" in published:
            figure = (100 - published["round-robin"]) / (100 - published["in-order"])
            of = [hops(found["in-order"]) / hops(found["round-robin"]) for found in runs.of(name)]
            yield Row(name, about(figure, 0.05, AVERAGES, f"{figure:.2f}"), mean(of))


def most(runs):
    """By the lower bound on hop-bytes, over all sizes and at the smallest, where consecutive nodes
    are best."""
    for name, published in PUBLISHED.items():
        gains_of = [(1 - bound(found) / hops(found["in-order"]), 1 - hops(found["automatic"]) / hops(found["in-order"]))
                    for found in runs.of(name)]
        figure = between(published["in-order"], 100, PROVED, f"{published['in-order']:g}")
        for case, values in ((name, gains_of), (f"{name}, 256 processes", gains_of[:1])):
            yield Row(case, figure, *(100 * mean(column) for column in zip(*values)))


def bound(found):
    """The lower bound on hop-bytes by the paper's count of hops."""
    figures = found["automatic"]
    return figures["lower_bound"] - LINKS_MORE * figures["hop_bytes"] / figures["hops_per_byte"]


def times(runs):
    for name, rival, over, published in SAVED:
        of = [[100 * (1 - seconds_of(found[key]) / seconds_of(found[rival])) for key in ("ohtma", "automatic")]
              for found in runs.of(name)]
        ours, automatic = ((mean if over == "mean" else max)(column) for column in zip(*of))
        yield Row(f"{name} against {rival}, {over}", about(published, 10, MEASURED), ours, automatic)


def seconds_of(figures):
    return figures["predicted_time"]["total"]


def mean(values):
    return sum(values) / len(values)


def seconds(runs):
    for name, ranks in (("BT", 256), ("LU", 512)):
        found = runs.run(PROGRAMS[name][0], ranks)
        ours, automatic = (found[key]["cpu_seconds"] for key in ("ohtma", "automatic"))
        yield Row(f"{ranks} processes", between(0, SECONDS[ranks], PROCESSOR, f"{SECONDS[ranks]:g}"), ours, automatic)


def hops(figures):
    """Hop-bytes by the paper's count of hops."""
    return figures["hop_bytes"] * (1 - LINKS_MORE / figures["hops_per_byte"])


class Mappings(dict):
    """The figures of the mappings of one program on the nodes of a job, each made when it is first
    asked for."""

    def __init__(self, mapper, messages, job):
        super().__init__()
        held = set(job)
        hosts = [f"n{node}" if node in held else "-" for node in range(NODES)]
        self.case, self.job = mapper.case(len(job), messages, MACHINE, hosts=hosts), job

    def __missing__(self, name):
        self[name] = self.figures(name)
        return self[name]

    def figures(self, name):
        match name:
            case "in-order":
                return self.case.judge(self.job)
            case "round-robin":
                return self.case.judge(chip_by_chip(self.job))
            case "automatic":
                return self.case.automatic("hop-bytes")
            case _:
                return self.case.published(HEURISTICS[name])


def chip_by_chip(job):
    """The first node of every chip, then the second, and so on."""
    chips = [[node for node in job if node // CHIP == chip] for chip in range(NODES // CHIP)]
    deals = itertools.zip_longest(*chips)
    return [node for deal in deals for node in deal if node is not None]

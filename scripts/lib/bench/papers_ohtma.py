"""OHTMA, 2021: the averages of section 5.3 on the Tianhe-3 prototype, and its times."""

import itertools
import random

from papers_table import PROCESSOR, Row, Table, about, between

TITLE = "OHTMA (2021)"

# Six rows of eight chips of 96 nodes: the smallest prototype that holds the paper's largest jobs, of 4096 processes. A job
# has as many nodes as processes (section 2.1). The paper does not say which nodes.
MACHINE, CHIP, NODES = "tianhe3:6x8", 96, 4608


def scattered(ranks):
    return sorted(random.Random(1).sample(range(NODES), ranks))


ALLOCATIONS = {"random nodes": scattered, "the first nodes": lambda ranks: list(range(ranks))}

# Section 5.3: hop-bytes of OHTMA below those of other mappings, in per cent, on average over 256 to 4096 processes.
PUBLISHED = {
    "BT": {"in-order": 29.7, "round-robin": 45.3},
    "SP": {"in-order": 34.3, "round-robin": 48, "greedy": 34.2, "RCM": 44.7},
    "CG": {"in-order": 4},
    "LU": {"in-order": 20.36, "greedy": 12.3},
    "Snap": {"in-order": 29.6, "round-robin": 26.7, "greedy": 29.5, "RCM": 32.4},
}
SECONDS = {256: 4.7, 512: 98}
HEURISTICS = {"greedy": "ltm-greedy", "RCM": "rcm"}


# What `rankfold generate` calls the programs, and the sizes that they run on. Snap sweeps over a grid of ranks as Sweep3D does.
PROGRAMS = {"BT": ("npb-bt", (256, 1024, 4096)), "SP": ("npb-sp", (256, 1024, 4096)),
            "CG": ("npb-cg", (256, 512, 1024, 2048, 4096)), "LU": ("npb-lu", (256, 512, 1024, 2048, 4096)),
            "Snap": ("sweep3d", (256, 512, 1024, 2048, 4096))}


# A path has one link more here than the paper's table 1 counts, since the links of both hosts count.
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
            self.found[kind, ranks] = run(self.mapper, self.mapper.generated(kind, ranks), self.nodes(ranks))
        return self.found[kind, ranks]


def gains(runs):
    for name, published in PUBLISHED.items():
        for rival, gain in published.items():
            of = [[100 * (1 - hops(found[key]) / hops(found[rival])) for key in ("ohtma", "automatic")]
                  for found in runs.of(name)]
            ours, automatic = (sum(column) / len(column) for column in zip(*of))
            yield Row(f"{name} against {rival}", about(gain, 5, PATTERN), ours, automatic)


def seconds(runs):
    for name, ranks in (("BT", 256), ("LU", 512)):
        found = runs.run(PROGRAMS[name][0], ranks)
        ours, automatic = (found[key]["cpu_seconds"] for key in ("ohtma", "automatic"))
        yield Row(f"{ranks} processes", between(0, SECONDS[ranks], PROCESSOR, f"{SECONDS[ranks]:g}"), ours, automatic)


def hops(figures):
    """Hop-bytes by the paper's count of hops."""
    return figures["hop_bytes"] * (1 - LINKS_MORE / figures["hops_per_byte"])


def run(mapper, messages, job):
    """The figures of every mapping on the nodes of a job."""
    held = set(job)
    hosts = [f"n{node}" if node in held else "-" for node in range(NODES)]
    case = mapper.case(len(job), messages, MACHINE, hosts=hosts)
    found = {"in-order": case.judge(job), "round-robin": case.judge(chip_by_chip(job)), "ohtma": case.published("ohtma"),
             "automatic": case.automatic("hop-bytes")}
    for name, heuristic in HEURISTICS.items():
        found[name] = case.published(heuristic)
    return found


def chip_by_chip(job):
    """The first node of every chip, then the second, and so on."""
    chips = [[node for node in job if node // CHIP == chip] for chip in range(NODES // CHIP)]
    deals = itertools.zip_longest(*chips)
    return [node for deal in deals for node in deal if node is not None]

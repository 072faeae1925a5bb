"""OHTMA, 2021: the averages of section 5.3 on the Tianhe-3 prototype, and its times."""

import itertools
import random

from papers_table import PROCESSOR, Row, Table, about, between

TITLE = "OHTMA (2021)"

# Six rows of eight chips of 96 nodes: the smallest prototype that holds the paper's largest jobs, of 4096 processes. A job
# has as many nodes as processes (section 2.1). The paper does not say which nodes.
MACHINE, CHIP, NODES = "tianhe3:6x8", 96, 4608
BYTES = 1000


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


def multipartition(ranks):
    """BT and SP: every rank exchanges with both neighbours in rows, columns and diagonals of a periodic square."""
    side = round(ranks**0.5)
    steps = [(0, 1), (1, 0), (-1, -1)]
    return ring(side, side, steps)


def ring(rows, columns, steps):
    messages = {}
    for row, column in itertools.product(range(rows), range(columns)):
        for down, right in steps:
            other = (row + down) % rows * columns + (column + right) % columns
            messages[row * columns + column, other] = messages[other, row * columns + column] = BYTES
    return messages


def mesh(ranks):
    """LU and Snap: both neighbours in rows and columns of a grid."""
    rows, columns = sides(ranks)
    cells = itertools.product(range(rows), range(columns))
    messages = {}
    for row, column in cells:
        for down, right in ((0, 1), (1, 0)):
            if row + down < rows and column + right < columns:
                here, there = row * columns + column, (row + down) * columns + column + right
                messages[here, there] = messages[there, here] = BYTES
    return messages


def conjugate_gradient(ranks):
    """CG: sums over rows by exchanges with partners at distances of powers of two, and one with the transposed place."""
    rows, columns = sides(ranks)
    messages = {}
    for row, column in itertools.product(range(rows), range(columns)):
        here = row * columns + column
        distance = 1
        while distance < columns:
            messages[here, row * columns + (column ^ distance)] = BYTES
            distance *= 2
        # With twice as many columns as rows, two neighbouring columns count as one.
        wide = columns // rows
        there = (column // wide) * columns + row * wide + column % wide
        if there != here:
            messages[here, there] = messages.get((here, there), 0) + BYTES
    return messages


def sides(ranks):
    """As square as powers of two can be, rows not more than columns."""
    rows = 1 << (ranks.bit_length() - 1) // 2
    return rows, ranks // rows


PROGRAMS = {"BT": (multipartition, (256, 1024)), "SP": (multipartition, (256, 1024)),
            "CG": (conjugate_gradient, (256, 512, 1024)), "LU": (mesh, (256, 512, 1024)), "Snap": (mesh, (256, 512, 1024))}


# A path has one link more here than the paper's table 1 counts, since the links of both hosts count.
LINKS_MORE = 1

PATTERN = "5 points: patterns by formula on nodes that the paper does not name, and fewer sizes"


def tables(mapper, quick):
    """No case is quick."""
    if quick:
        return
    for allocation, nodes in ALLOCATIONS.items():
        runs = Runs(mapper, nodes)
        note = ("Patterns by formula, all messages alike: no traces of the programs are here. On average over 256 to 1024 "
                "processes, the paper's over 256 to 4096. Hops as the paper's table 1 counts them.")
        yield Table(f"Section 5.3: hop-bytes below other mappings', per cent; {allocation}", gains(runs), 1, False, note)
    note = "Ours are CPU seconds of the whole run, reading included."
    yield Table("Section 5.3: seconds (BT at 256 processes, LU at 512)", seconds(runs), 1, note=note, not_judged=PROCESSOR)


class Runs:
    """The figures of every mapping of a pattern. A pattern that several programs share is measured once."""

    def __init__(self, mapper, nodes):
        self.mapper, self.nodes, self.found = mapper, nodes, {}

    def of(self, program):
        make, sizes = PROGRAMS[program]
        return [self.run(make, ranks) for ranks in sizes]

    def run(self, make, ranks):
        if (make, ranks) not in self.found:
            self.found[make, ranks] = run(self.mapper, make(ranks), self.nodes(ranks))
        return self.found[make, ranks]


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

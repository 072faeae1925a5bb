"""Mirsadeghi and Afsahi, PTRAM, 2016: figures 5, 6 and 8 on the GPC."""

import math
import random

import cases
from papers_table import PROCESSOR, Row, Table, about, between

TITLE = "PTRAM (Mirsadeghi and Afsahi 2016)"

HOSTS = "0.05: the paper names neither the hosts of its job nor their order"
MORE_THAN_60 = "a reduction of more than 60 per cent, and the largest of the four is 73"

# Benchmarks with 4096 processes, 8 on each host, and the figures in the text of sections V.A.1 and V.A.3: of PTRAM and of
# the partition alone, both relative to block order, and seconds on 512 leaders.
BENCHMARKS = {
    "2D 5-point": {
        "graph": "st2d_64x64",
        "ptram": {"hop-bytes": between(0.27, 0.40, MORE_THAN_60, "< 0.40"), "max congestion": about(0.32, 0.05, HOSTS),
                  "nz average": about(0.27, 0.05, HOSTS), "nz variance": between(0.27, 0.40, MORE_THAN_60, "< 0.40")},
        "partition": 0.45, "seconds": 2.3},
    "3D 15-point": {
        "graph": "st3d15_16x16x16",
        "ptram": {"max congestion": about(0.50, 0.05, HOSTS)},
        "partition": 0.71, "seconds": 5},
    "sub-communicators": {
        "graph": "sub_a2a_64x64",
        "ptram": {"max congestion": about(0.50, 0.05, HOSTS)},
        "partition": 1.0, "seconds": 38},
}
KEYS = {"hop-bytes": "hop_bytes", "max congestion": "max_congestion", "nz average": "nz_avg", "nz variance": "nz_var"}

CORES, JOB, CLUSTER = 8, 512, 3090


class Allocation:
    """The hosts of a job, and the order in which its host list names them, which is the order of ranks."""

    def __init__(self, title, hosts, order):
        self.title, self.order = title, order
        self.machine = f"ibcore:hosts={hosts}"
        held = set(order)
        self.hosts = [f"h{host}" if host in held else "-" for host in range(hosts)]
        self.index = {host: i for i, host in enumerate(sorted(order))}

    def block(self):
        """Ranks in order on the hosts as listed."""
        return [self.order[rank // CORES] for rank in range(CORES * JOB)]

    def listed(self, nodes):
        """A placement by parts in order of hosts, with parts in order of the list instead."""
        return [self.order[self.index[node]] for node in nodes]


def allocations():
    """The paper says neither which hosts its job had nor how they were listed."""
    scattered = sorted(random.Random(1).sample(range(CLUSTER), JOB))
    shuffled = random.Random(2).sample(scattered, JOB)
    yield Allocation(f"{JOB} random hosts of {CLUSTER}, listed in any order", CLUSTER, shuffled)
    yield Allocation(f"{JOB} random hosts of {CLUSTER}, listed leaf switch by leaf switch", CLUSTER, scattered)
    yield Allocation(f"{JOB} hosts of {math.ceil(JOB / 30)} leaf switches, listed one by one", JOB, list(range(JOB)))


# Section V.A.1 on the 3D 15-point benchmark: PTRAM outperforms LibTopoMap "by a factor of 2 (at least)".
LIBTOPOMAP = {"benchmark": "3D 15-point", "factor": 2, "members": ["ltm-greedy", "ltm-recursive", "rcm"]}
FACTOR = "the paper's own bound: at least"


def tables(mapper, quick):
    """No case is quick."""
    if quick:
        return
    for allocation in allocations():
        yield Table(f"Figures 5 and 6, relative to block order: {allocation.title}", allocated(mapper, allocation))
    note = "Ours are CPU seconds of the whole run, reading included; the paper's are seconds on 512 leaders."
    yield Table("Figure 8(a), seconds", seconds(mapper), decimals=1, note=note, not_judged=PROCESSOR)


def allocated(mapper, allocation):
    for name, published in BENCHMARKS.items():
        case = mapper.case(*cases.graph(published["graph"]), allocation.machine, CORES, allocation.hosts)
        block = case.judge(allocation.block())
        automatic = case.automatic("congestion")
        ptram = case.published("ptram")
        for metric, figure in published["ptram"].items():
            key = KEYS[metric]
            ours, best = (figures[key] / block[key] for figures in (ptram, automatic))
            yield Row(f"{name}, {metric}", figure, ours, best)
        case.published("init-part")
        partition = case.judge(allocation.listed(case.nodes()))
        key = KEYS["max congestion"]
        yield Row(f"{name}, max congestion, initPart", about(published["partition"], 0.05, HOSTS), partition[key] / block[key])
        if name == LIBTOPOMAP["benchmark"]:
            rival = min(case.published(member)[key] for member in LIBTOPOMAP["members"])
            figure = between(0, 1 / LIBTOPOMAP["factor"], FACTOR, f"<= 1/{LIBTOPOMAP['factor']}")
            yield Row(f"{name}, max congestion, PTRAM to LibTopoMap", figure, ptram[key] / rival)


def seconds(mapper):
    for name, published in BENCHMARKS.items():
        case = mapper.case(*cases.graph(published["graph"]), "ibcore:", CORES)
        ours, automatic = case.published("ptram"), case.automatic("congestion")
        yield Row(name, between(0, published["seconds"], PROCESSOR, f"{published['seconds']:g}"), ours["cpu_seconds"], automatic["cpu_seconds"])

"""Mirsadeghi and Afsahi, PTRAM, 2016: figures 5 to 9 on the GPC."""

import math
import random

import cases
from papers_table import PROCESSOR, Row, Table, about, between

TITLE = "PTRAM (Mirsadeghi and Afsahi 2016)"

HOSTS = "0.05: the paper names neither the hosts of its job nor their order"
MORE_THAN_60 = "a reduction of more than 60 per cent, and the largest of the four is 73"

# Benchmarks with 4096 processes, 8 on each host, and the figures in the text of sections V.A.1 and
# V.A.3: of PTRAM and of the partition alone, both relative to block order, and seconds on 512
# leaders.
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
    """The hosts of a job, and the order in which its host list names them, which is the order of
    ranks."""

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


# Section V.A.1 on the 3D 15-point benchmark: PTRAM outperforms LibTopoMap "by a factor of 2 (at
# least)".
LIBTOPOMAP = {"benchmark": "3D 15-point", "factor": 2, "members": ["ltm-greedy", "ltm-recursive", "rcm"]}
FACTOR = "the paper's own bound: at least"


# Figure 7: communication time below that of block order in per cent, of messages of more than 4 KB.
# Links are 4X QDR: 4 GB/s of data.
TIMES = {"2D 5-point": {"ptram": 25}, "sub-communicators": {"ptram": 50, "LibTopoMap": 30}}
LINKS = "@4GB/s+100ns"
MESSAGE = 64
TIMED = "10 points: the paper's are measured, and move by 25 with the size of messages; ours are predicted"

# Figures 8(b) and 8(c): processes, 8 a node, and benchmarks by number of processes.
GROWING = {"2D 5-point": {1024: "st2d_32x32", 2048: "st2d_32x64", 4096: "st2d_64x64"},
           "sub-communicators": {1024: "sub_a2a_32x32", 2048: "sub_a2a_32x64", 4096: "sub_a2a_64x64"}}

# Figure 9: Gadget with 4096 processes, relative to block order, and seconds of PTRAM and
# LibTopoMap.
GADGET = ("gadget-surrogate", 4096)
ABOUT_0_3 = "0.1: the paper says about 0.3, and the communication is a surrogate"
INTACT = "0.1: the paper says almost intact"
INCREASE = "from block order to ten times as much: the paper says an increase"
MAPPING = {"ptram": 317, "ltm-greedy": 4000}


def tables(mapper, quick):
    """No case is quick."""
    if quick:
        return
    for allocation in allocations():
        yield Table(f"Figures 5 and 6, relative to block order: {allocation.title}", allocated(mapper, allocation))
    note = f"Predicted by `eval` for messages of {MESSAGE} KB; LibTopoMap's is the best of its members."
    allocation = next(allocations())
    yield Table(f"Figure 7, time below that of block order, per cent: {allocation.title}", times(mapper, allocation), 1, False,
                note)
    note = "Ours are CPU seconds of the whole run, reading included; the paper's are seconds on 512 leaders."
    yield Table("Figure 8(a), seconds", seconds(mapper), decimals=1, note=note, not_judged=PROCESSOR)
    note = "CPU seconds of PTRAM over those of LibTopoMap's greedy member; the paper's PTRAM runs on all nodes at once."
    yield Table("Figures 8(b) and 8(c), seconds relative to LibTopoMap's", growth(mapper), note=note, not_judged=PROCESSOR)
    for order in ORDERS:
        yield Table(f"Figure 9(a), relative to block order: Gadget's surrogate, ranks {order}", gadget(mapper, order))
    note = "Ours are CPU seconds of the whole run, reading included. Figure 9(b) has ten seconds less of a time that is not told."
    yield Table("Figure 9(c), seconds", gadget_seconds(mapper), decimals=1, note=note, not_judged=PROCESSOR)


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


def times(mapper, allocation):
    for name, published in TIMES.items():
        ranks, messages = cases.graph(BENCHMARKS[name]["graph"])
        messages = {pair: size * MESSAGE * 1024 // cases.BYTES for pair, size in messages.items()}
        case = mapper.case(ranks, messages, allocation.machine, CORES, allocation.hosts)
        timed = mapper.case(ranks, messages, f"{allocation.machine}{LINKS}", CORES, allocation.hosts)
        block = seconds_of(timed, allocation.block())
        found = {"ptram": [placed(case, "ptram")], "LibTopoMap": [placed(case, member) for member in LIBTOPOMAP["members"]]}
        automatic = 100 * (1 - timed.automatic("time")["predicted_time"]["total"] / block)
        for who, gain in published.items():
            ours = 100 * (1 - min(seconds_of(timed, nodes) for nodes in found[who]) / block)
            yield Row(f"{name}, {who}", about(gain, 10, TIMED), ours, automatic)


def placed(case, member):
    case.published(member)
    return case.nodes()


def seconds_of(timed, nodes):
    return timed.judge(nodes)["predicted_time"]["total"]


def growth(mapper):
    for name, graphs in GROWING.items():
        for ranks, graph in graphs.items():
            case = mapper.case(*cases.graph(graph), f"ibcore:hosts={ranks // CORES}", CORES)
            ours, rival = (case.published(member)["cpu_seconds"] for member in ("ptram", "ltm-greedy"))
            yield Row(f"{name}, {ranks} processes", between(0, 1, PROCESSOR, "< 1"), ours / rival)


def along_the_curve(ranks):
    return list(range(ranks))


def in_no_order(ranks):
    return random.Random(1).sample(range(ranks), ranks)


# Gadget cuts a space-filling curve into more pieces than ranks and deals them by load: the paper
# does not tell how near to the curve the ranks are.
ORDERS = {"along the curve": along_the_curve, "in no order": in_no_order}


def gadget_case(mapper, order):
    kind, ranks = GADGET
    number = ORDERS[order](ranks)
    messages = {(number[sender], number[receiver]): size
                for (sender, receiver), size in mapper.generated(kind, ranks).items()}
    return mapper.case(ranks, messages, "ibcore:", CORES)


def gadget(mapper, order):
    case = gadget_case(mapper, order)
    block, ptram, automatic = case.published("block"), case.published("ptram"), case.automatic("congestion")
    for metric, key in KEYS.items():
        yield Row(f"PTRAM, {metric}", about(0.3, 0.1, ABOUT_0_3), ptram[key] / block[key], automatic[key] / block[key])
    key = KEYS["max congestion"]
    for member in LIBTOPOMAP["members"]:
        figure = about(1, 0.1, INTACT) if member == "rcm" else between(1, 10, INCREASE, "> 1")
        yield Row(f"{member}, max congestion", figure, case.published(member)[key] / block[key])


def gadget_seconds(mapper):
    case = gadget_case(mapper, "in no order")
    for member, published in MAPPING.items():
        yield Row(member, between(0, published, PROCESSOR, f"{published:g}"), case.published(member)["cpu_seconds"])


def seconds(mapper):
    for name, published in BENCHMARKS.items():
        case = mapper.case(*cases.graph(published["graph"]), "ibcore:", CORES)
        ours, automatic = case.published("ptram"), case.automatic("congestion")
        yield Row(name, between(0, published["seconds"], PROCESSOR, f"{published['seconds']:g}"), ours["cpu_seconds"], automatic["cpu_seconds"])

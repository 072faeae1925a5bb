"""Mirsadeghi and Afsahi, PTRAM, 2016: figures 5 to 9 on the GPC.

The paper names neither the hosts of its job nor the order of their list, neither the routing engine
of its subnet nor whether the halos are periodic. So each figure is that of several choices, of
which the median is compared.
"""

import functools
import random
import subprocess

import cases
import papers_machines
import peers
from papers_jobs import Job
from papers_mapper import between, saved, seconds

TITLE = "PTRAM (Mirsadeghi and Afsahi 2016)"

CORES, JOB, CLUSTER = 8, 512, 3090

ASSUMPTIONS = {
    # Which hosts, in the order in which the job's list names them.
    "hosts": ("random, any order", "random, in order", "the first"),
    # d-mod-k routes of the evaluator of our design, or those of the real OpenSM (scripts/subnet).
    "routing": ("d-mod-k", "ftree", "minhop", "updn"),
    "halos": ("open", "periodic"),
    # Section III partitions with Scotch, of which the paper had version 6.
    "partition": ("exact", "Scotch"),
    # The mapping of LibTopoMap: by its members, or with groups or ranks in random order. A mapping
    # that is applied the wrong way round puts ranks in such an order.
    "library": ("members", "groups in no order", "ranks in no order"),
    # Gadget cuts a space-filling curve into more pieces than ranks and deals them by load: the
    # paper does not tell how near to the curve the ranks are.
    "gadget": ("in no order", "along the curve"),
    # How many random allocations.
    "allocations": ("3", "1", "20"),
}

# Benchmarks with 4096 processes, 8 on each host.
GRAPHS = {"2D 5-point": "st2d_64x64", "3D 15-point": "st3d15_16x16x16", "sub-communicators": "sub_a2a_64x64"}
KEYS = {"hop-bytes": "hop_bytes", "max congestion": "max_congestion", "nz average": "nz_avg", "nz variance": "nz_var"}
RIVALS = ["ltm-greedy", "ltm-recursive", "rcm"]

# Figure 7: links are 4X QDR: 4 GB/s of data; kilobytes of a message.
LINKS = "@4GB/s+100ns"
MESSAGE = 64

# Figures 8(b) and 8(c): processes, 8 a node, and benchmarks by number of processes.
GROWING = {"2D 5-point": {1024: "st2d_32x32", 2048: "st2d_32x64", 4096: "st2d_64x64"},
           "sub-communicators": {1024: "sub_a2a_32x32", 2048: "sub_a2a_32x64", 4096: "sub_a2a_64x64"}}


class Allocation:
    """The hosts of a job, and the order in which its host list names them, which is the order of
    ranks."""

    def __init__(self, order):
        self.order, held = order, set(order)
        self.hosts = [f"h{host}" if host in held else "-" for host in range(CLUSTER)]
        self.index = {host: i for i, host in enumerate(sorted(order))}

    def block(self):
        """Ranks in order on the hosts as listed."""
        return [self.order[rank // CORES] for rank in range(CORES * JOB)]

    def listed(self, nodes):
        """A placement by parts in order of hosts, with parts in order of the list instead."""
        return [self.order[self.index[node]] for node in nodes]


def allocations(assume):
    kind = assume["ptram.hosts"]
    if kind == "the first":
        yield Allocation(list(range(JOB)))
        return
    for seed in range(1, 1 + int(assume["ptram.allocations"])):
        scattered = sorted(random.Random(seed).sample(range(CLUSTER), JOB))
        yield Allocation(scattered if kind.endswith("in order") else random.Random(seed + 1).sample(scattered, JOB))


def machine(mapper, assume):
    """The GPC by its formula, or with the routes of OpenSM's engine."""
    engine = assume["ptram.routing"]
    if engine == "d-mod-k":
        return f"ibcore:hosts={CLUSTER}"
    path = mapper.kept / f"gpc-{engine}.toml"
    if not path.exists():
        folder, netlist = mapper.kept / f"gpc-{engine}", mapper.kept / "gpc.netlist"
        mapper.kept.mkdir(parents=True, exist_ok=True)
        netlist.write_text("".join(papers_machines.gpc().netlist()))
        subnet = papers_machines.ROOT / "scripts/subnet"
        subprocess.run([subnet, folder, engine, netlist, "1"], capture_output=True, check=True)
        told = [folder / "ibnetdiscover.txt", folder / "dump_lfts.txt"]
        subprocess.run([mapper.program, "machine", "import", "infiniband", *told, "-o", path], capture_output=True, check=True)
    return str(path)


def graph(name, assume):
    """A benchmark's messages."""
    is_periodic = assume["ptram.halos"] == "periodic" and name.startswith("st")
    return cases.stencil(name, is_periodic=True) if is_periodic else cases.graph(name)


def benchmark(name, mapper, assume):
    """Figures 5 and 6: PTRAM and its partition alone, relative to block order."""
    found = {}

    def note(key, value):
        found.setdefault(key, []).append(value)

    ranks, messages = graph(GRAPHS[name], assume)
    parts = scotch(ranks, messages) if assume["ptram.partition"] == "Scotch" else None
    for allocation in allocations(assume):
        case = mapper.case(ranks, messages, machine(mapper, assume), CORES, allocation.hosts)
        block = case.judge(allocation.block())
        if parts:
            ptram = case.judge(mapped(mapper, messages, parts, allocation, assume))
            partition = case.judge([allocation.order[part] for part in parts])
        else:
            ptram = case.published("ptram")
            case.published("init-part")
            partition = case.judge(allocation.listed(case.nodes()))
        for metric, key in KEYS.items():
            note(metric, ptram[key] / block[key])
        note("partition", partition["max_congestion"] / block["max_congestion"])
        note("beyond the partition", 100 * (found["partition"][-1] - found["max congestion"][-1]))
    yield from found.items()


def scotch(ranks, messages):
    """Scotch's part of every rank, of as many parts as hosts."""
    case = peers.Case(ranks, cases.undirected(ranks, messages), None, CORES, ((), JOB))
    return peers.scotch_onto(case, f"cmplt {JOB}\n")


def mapped(mapper, messages, parts, allocation, assume):
    """The host of every rank by PTRAM with these parts."""
    case = mapper.case(JOB, between(messages, parts), machine(mapper, assume), hosts=allocation.hosts)
    nodes = placed(case, "ptram")
    return [nodes[part] for part in parts]


def rivals(name, mapper, assume):
    """LibTopoMap's members in figure 5, on the first of the allocations: the best of each."""
    allocation = next(allocations(assume))
    case = mapper.case(*graph(GRAPHS[name], assume), machine(mapper, assume), CORES, allocation.hosts)
    block = case.judge(allocation.block())
    ours = case.published("ptram")
    kind = assume["ptram.library"]
    runs = [case.published(rival) for rival in RIVALS] if kind == "members" else [case.judge(in_no_order(case, kind))]
    for metric, key in KEYS.items():
        yield metric, min(run[key] / block[key] for run in runs)
    yield "PTRAM to LibTopoMap", ours["max_congestion"] / min(run["max_congestion"] for run in runs)


def in_no_order(case, kind):
    """The partition with its groups on random hosts, or ranks on random slots."""
    nodes = placed(case, "init-part")
    if kind.startswith("ranks"):
        return random.Random(1).sample(nodes, len(nodes))
    hosts = sorted(set(nodes))
    other = dict(zip(hosts, random.Random(1).sample(hosts, len(hosts))))
    return [other[node] for node in nodes]


def times(mapper, assume):
    """Figure 7: predicted time below that of block order, for messages of more than 4 KB."""
    allocation = next(allocations(assume))
    for name, which in GRAPHS.items():
        ranks, messages = graph(which, assume)
        messages = {pair: size * MESSAGE * 1024 // cases.BYTES for pair, size in messages.items()}
        untimed = mapper.case(ranks, messages, machine(mapper, assume), CORES, allocation.hosts)
        timed = mapper.case(ranks, messages, f"{machine(mapper, assume)}{LINKS}", CORES, allocation.hosts)
        before = seconds(timed.judge(allocation.block()))
        kind = assume["ptram.library"]
        yield f"{name}, PTRAM", saved(before, seconds(timed.judge(placed(untimed, "ptram"))))
        made = [in_no_order(untimed, kind)] if kind != "members" else [placed(untimed, rival) for rival in RIVALS]
        yield f"{name}, LibTopoMap", saved(before, min(seconds(timed.judge(nodes)) for nodes in made))


def placed(case, member):
    case.published(member)
    return case.nodes()


def mapping_times(mapper, _):
    """Figure 8: seconds, ours of the whole run, reading included."""
    for name, graphs in GROWING.items():
        for ranks, which in graphs.items():
            case = mapper.case(*cases.graph(which), f"ibcore:hosts={ranks // CORES}", CORES)
            ours, rival = (case.published(member)["cpu_seconds"] for member in ("ptram", "ltm-greedy"))
            yield f"{name} {ranks}", ours
            yield f"{name} {ranks} to LibTopoMap", ours / rival
    case = mapper.case(*cases.graph(GRAPHS["3D 15-point"]), f"ibcore:hosts={JOB}", CORES)
    yield "3D 15-point 4096", case.published("ptram")["cpu_seconds"]


def gadget(mapper, assume):
    """Figure 9: Gadget's surrogate with 4096 processes."""
    ranks, messages = mapper.generated("gadget-surrogate", CORES * JOB)
    if assume["ptram.gadget"] == "in no order":
        number = random.Random(1).sample(range(ranks), ranks)
        messages = {(number[sender], number[receiver]): size for (sender, receiver), size in messages.items()}
    case = mapper.case(ranks, messages, "ibcore:", CORES)
    block, ptram = case.published("block"), case.published("ptram")
    for metric, key in KEYS.items():
        yield metric, ptram[key] / block[key]
    yield "seconds", ptram["cpu_seconds"]
    for rival in RIVALS:
        found = case.published(rival)
        yield f"{rival} max congestion", found["max_congestion"] / block["max_congestion"]
        yield f"{rival} hop-bytes", found["hop_bytes"] / block["hop_bytes"]
        yield f"{rival} seconds", found["cpu_seconds"]


JOBS = [
    *(Job(f"ptram.{name}", functools.partial(benchmark, name), spent) for name, spent in
      (("2D 5-point", 11), ("3D 15-point", 19), ("sub-communicators", 12))),
    *(Job(f"ptram.rivals {name}", functools.partial(rivals, name), spent) for name, spent in
      (("2D 5-point", 94), ("3D 15-point", 98), ("sub-communicators", 95))),
    Job("ptram.times", times, 300, is_short=False),
    Job("ptram.mapping", mapping_times, 60),
    Job("ptram.gadget", gadget, 40),
]

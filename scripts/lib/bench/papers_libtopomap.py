"""Hoefler and Snir, 2011 (LibTopoMap): dilation and congestion on tori, PERCS, JuRoPA and Ranger.

The matrix nlpkkt120, made by its formula and cut by METIS, stands for nlpkkt240; for F1 and
audikw_1 stands the crankshaft-like solid of scripts/instances. On tori parts come in no order, as
the published initial dilation, that of random placement, says of the paper's. Congestion is the
paper's Algorithm 3. All mappings are those with threshold accepting, with which the paper made all
its results but those on more than 512 nodes of a PERCS, where it took too long (sections 5.2 and
5.3.2).
"""

import functools
import random

import cases
import papers_greedy
import papers_kkt
import papers_machines
from papers_jobs import Job
from papers_mapper import saved, shuffled

TITLE = "Generic topology mapping strategies, LibTopoMap (Hoefler and Snir 2011)"

ASSUMPTIONS = {
    # The smaller matrix of the same formula stands for the larger one: METIS takes 5 GiB for the
    # rows of that one, eight times as much for the other's, and 2 GiB for the other's cells.
    "matrix": ("nlpkkt120", "nlpkkt120 in cells", "nlpkkt240 in cells"),
    "order": ("random", "partitioner"),
    # Algorithm 1 queues a rank with every edge to it; with the first one alone the mapping scatters
    # as the published dilations do. Without threshold accepting.
    "queue": ("every edge", "first edges"),
    # How long threshold accepting ran on tori is not told.
    "ta": ("some seconds", "none"),
    # Which hosts of a cluster, by name.
    "hosts": ("the first", "random"),
    # "We connect all D links randomly": which link goes where is not told.
    "percs": ("random=1", "random=2", "random=3", "regular"),
    # Section 5.3.2 gives speeds of links; Algorithm 3 divides by them.
    "speeds": ("published", "equal"),
}

# Section 5.2: the figures are those after threshold accepting.
MEMBERS = {"greedy": "ltm-greedy-ta", "rcm": "rcm-ta", "recursive": "ltm-recursive-ta"}
ALONE = {"greedy": "ltm-greedy", "rcm": "rcm", "recursive": "ltm-recursive"}

# Nodes of a PERCS with 9 D links a node, 32 of them a supernode.
PERCS_NODES, SUPERNODES = 9248, 289

# Parts of the solid for the paper's 1792 processes.
PARTS = 1728


def nlpkkt(mapper, parts, assume):
    name, _, cells = assume["libtopomap.matrix"].partition(" in ")
    graph = mapper.kkt(int(name.removeprefix("nlpkkt")), parts, cells or "needed")
    return shuffled(*graph) if assume["libtopomap.order"] == "random" else graph


def matrix(_, __):
    """Sizes of the matrices of both papers that have them, by the formula."""
    for side in (120, 240):
        yield f"rows {side}", papers_kkt.rows(side)
        yield f"nonzeros {side}", papers_kkt.nonzeros(side)
        yield f"nonzeros a row {side}", papers_kkt.nonzeros(side) / papers_kkt.rows(side)


# Networks whose memory the paper prints, and 11^3, whose memory it prints for 12^3.
NETWORKS = {"3^3": "torus:3x3x3", "8^3": "torus:8x8x8", "12^3": "torus:12x12x12", "11^3": "torus:11x11x11",
            "percs": "percs:289,random=1"}


def memory(mapper, _):
    """Four bytes for each neighbour of each vertex, in kiB."""
    clusters = {name: papers_machines.written(name, mapper.work)[0] for name in papers_machines.MACHINES}
    for name, machine in {**NETWORKS, **clusters}.items():
        found = mapper.machine(machine)
        yield f"{name} memory", 4 * found["channels"] / 1024
        yield f"{name} nodes", found["nodes"]
        yield f"{name} diameter", found["diameter"]


# Figure 1: one message for each edge of the job, and the two mappings; a node is its coordinates.
EDGES = [(0, 1), (0, 3), (2, 3)]
INITIAL, BETTER = (0b000, 0b111, 0b101, 0b100), (0b101, 0b111, 0b000, 0b100)


def example(mapper, _):
    """A job of four processes on a cube, by the routes of its text."""
    case = mapper.case(4, dict.fromkeys(EDGES, 1), "mesh:2x2x2")
    for name, nodes in (("initial", INITIAL), ("better", BETTER)):
        yield from both(name, case.judge(nodes))
    yield from both("greedy", case.published("ltm-greedy"))


def both(name, figures):
    yield f"{name} congestion", figures["max_congestion"]
    yield f"{name} dilation", figures["max_dilation"]


def torus(side, mapper, assume):
    """Dilation, and congestion saved, with and without threshold accepting."""
    ranks, messages = nlpkkt(mapper, side ** 3, assume)
    case = mapper.case(ranks, messages, f"torus:{side}x{side}x{side}")
    block = case.published("block")
    initial = estimated(case)
    automatic = case.automatic("hop-bytes")["hops_per_byte"]
    least = estimated(case)
    yield "initial dilation", block["hops_per_byte"], automatic
    if assume["libtopomap.queue"] == "first edges":
        beside = papers_greedy.grid((side,) * 3, True)
        found = case.judge(papers_greedy.by_first_edges(ranks, messages, range(ranks), beside))
        yield "greedy dilation", found["hops_per_byte"], automatic
        yield "greedy congestion", saved(initial, estimated(case, "placement")), saved(initial, least)
        return
    for name, member in (MEMBERS if assume["libtopomap.ta"] != "none" else ALONE).items():
        alone = case.published(ALONE[name])
        before = estimated(case)
        found = case.published(member)
        after = estimated(case)
        yield f"{name} dilation", found["hops_per_byte"], automatic
        yield f"{name} congestion", saved(initial, after), saved(initial, least)
        yield f"{name} ta", saved(before, after)
        yield f"{name} seconds", alone["search_seconds"]
        yield f"{name} ta seconds", found["search_seconds"]


def surveyor(mapper, assume):
    """512 nodes of a Blue Gene/P: the best of all options."""
    graphs = {"nlpkkt": nlpkkt(mapper, 512, assume), "solid": shuffled(*cases.graph("fe_512"))}
    for name, graph in graphs.items():
        case = mapper.case(*graph, "torus:8x8x8")
        case.published("block")
        initial = estimated(case)
        found = case.published("ltm-ta")
        yield f"{name} congestion", saved(initial, estimated(case))
        yield f"{name} seconds", found["search_seconds"]


def percs(parts, mapper, assume):
    """Drawer by drawer, without threshold accepting."""
    kind = assume["libtopomap.percs"]
    speeds = "@1,1,1" if assume["libtopomap.speeds"] == "equal" else ""
    machine = f"percs:{SUPERNODES}" + (f",{kind}" if kind != "regular" else "") + speeds
    hosts = [f"n{node}" if node < parts else "-" for node in range(PERCS_NODES)]
    ranks, messages = nlpkkt(mapper, parts, assume)
    case = mapper.case(ranks, messages, machine, hosts=hosts)
    if assume["libtopomap.queue"] == "first edges":
        # On random links other than those that it is judged on.
        nodes = papers_greedy.by_first_edges(ranks, messages, range(ranks), papers_greedy.percs(SUPERNODES))
        yield "greedy dilation", case.judge(nodes)["hops_per_byte"]
        return
    yield "initial dilation", case.published("block")["hops_per_byte"]
    initial = estimated(case)
    for name, member in ALONE.items():
        found = case.published(member)
        yield f"{name} dilation", found["hops_per_byte"]
        yield f"{name} congestion", saved(initial, estimated(case))
        yield f"{name} seconds", found["search_seconds"]


def cluster(name, mapper, assume):
    """One process on each host of a job."""
    machine, hosts = papers_machines.written(name, mapper.work)
    graph = cases.graph(f"fe_{PARTS}")
    ranks, messages = shuffled(*graph) if assume["libtopomap.order"] == "random" else graph
    job = hosts[:ranks] if assume["libtopomap.hosts"] == "the first" else sorted(random.Random(1).sample(hosts, ranks))
    case = mapper.case(ranks, messages, machine, hosts=job)
    block = case.published("block")
    yield "initial dilation", block["hops_per_byte"]
    initial = estimated(case)
    automatic = case.automatic("hop-bytes")
    if assume["libtopomap.queue"] == "first edges":
        found = case.judge(first_edges(name, job, ranks, messages))
        yield "greedy dilation", found["hops_per_byte"], automatic["hops_per_byte"]
        return
    least = estimated(case)
    for key, member in MEMBERS.items():
        found = case.published(member)
        yield f"{key} dilation", found["hops_per_byte"], automatic["hops_per_byte"]
        yield f"{key} congestion", saved(initial, estimated(case)), saved(initial, least)
        yield f"{key} one path", *(saved(block["max_congestion"], each["max_congestion"]) for each in (found, automatic))
        yield f"{key} seconds", case.published(ALONE[key])["search_seconds"]


def first_edges(name, job, ranks, messages):
    """The node of every rank on a cluster."""
    made = papers_machines.MACHINES[name]()
    beside = papers_greedy.network(made.hosts, made.switches, made.links)
    return [job.index(host) for host in papers_greedy.by_first_edges(ranks, messages, job, beside)]


def estimated(case, made="map"):
    """Algorithm 3's congestion of the placement just made, or just judged."""
    case.start("eval", "--placement", case.file(made), "--estimate")
    return case.report()["max_congestion_estimate"]


# Seconds with those in which METIS cuts the matrix.
JOBS = [
    Job("libtopomap.matrix", matrix, 1, is_quick=True),
    Job("libtopomap.memory", memory, 1, is_quick=True),
    Job("libtopomap.example", example, 1, is_quick=True),
    *(Job(f"libtopomap.torus-{side}", functools.partial(torus, side), spent) for side, spent in ((3, 42), (12, 94))),
    Job("libtopomap.surveyor", surveyor, 12),
    *(Job(f"libtopomap.percs-{parts}", functools.partial(percs, parts), spent, is_short)
      for parts, spent, is_short in ((512, 30, False), (1728, 30, True), (1792, 95, False))),
    *(Job(f"libtopomap.{name}", functools.partial(cluster, name), 50) for name in papers_machines.MACHINES),
]

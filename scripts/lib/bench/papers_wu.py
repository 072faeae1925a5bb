"""Wu, Xiong, Berrocal, Wang and Lan, analytical mapping, 2016: tables 4 to 6 and figures 6 to 8 on
Blue Gene/P.

The matrix nlpkkt120 is made by its formula and cut by METIS. ART is `generate art-surrogate`; for
F1 and audikw_1 stands the crankshaft-like solid of scripts/instances, which was cut into 512, 1024
and 4096 parts.
"""

import functools
import re

import cases
import papers_greedy
from papers_jobs import Job
from papers_mapper import between, saved, seconds, shuffled

TITLE = "Analytical mapping (Wu et al. 2016)"

# Table 2: four processes a node.
CORES = 4
MACHINES = {256: "mesh:4x4x4", 512: "mesh:4x4x8", 1024: "mesh:8x4x8", 2048: "torus:8x8x8", 4096: "torus:8x8x16",
            8192: "torus:8x8x32"}
# Most processes for which the automatic choice is made, too.
COMPARED = 1024
# Links of a Blue Gene/P.
LINKS = "@425MB/s+100ns"

ASSUMPTIONS = {
    # Section 3.3.2 takes process shifting from FastPlace, section V, where shifts are damped.
    "damping": ("fastplace", "none"),
    # Global mapping ends with at most four processes at a node, "or four groups": a node has one
    # group for each.
    "most": ("4 groups", "2 groups", "1 group"),
    # The paper has no refinement; the authors' program refines in every iteration.
    "refinement": ("none", "local"),
    # METIS numbers parts from neighbour to neighbour; the paper's default mapping, on which all of
    # its figures depend, fits parts in random order. ART's processes follow a Hilbert curve.
    "order": ("random", "random=2", "random=3", "partitioner"),
    # Bytes by elements of the vector, or by the edges that the text speaks of.
    "weight": ("needed", "edges"),
    # "Supercomputers often use dynamic routing" (section 2.2), and a Blue Gene/P does.
    "routes": ("spread", "static"),
    # The queue of LibTopoMap's greedy member: see papers_libtopomap.py.
    "queue": ("every edge", "first edges"),
    # How near to the curve ART's processes are.
    "art": ("along the curve", "in no order"),
}


def member(assume, anchors):
    name = {"rcm": "analytical", "bft": "analytical-bft"}[anchors]
    most = assume["wu.most"].split()[0]
    return f"{name}:refine={assume['wu.refinement']},damping={assume['wu.damping']},gamma={most}"


def nlpkkt(mapper, ranks, assume):
    return in_order(mapper.kkt(120, ranks, assume["wu.weight"]), assume)


def crankshaft(_, ranks, assume):
    return in_order(cases.graph(f"fe_{ranks}"), assume)


def art(mapper, ranks, assume):
    graph = mapper.generated("art-surrogate", ranks)
    return shuffled(*graph) if assume["wu.art"] == "in no order" else graph


def in_order(graph, assume):
    kind, _, seed = assume["wu.order"].partition("=")
    return shuffled(*graph, int(seed or 1)) if kind == "random" else graph


def figures(graph, ranks, mapper, assume):
    """What the tables have of one matrix and size, against the default mapping."""
    _, messages = made = graph(mapper, ranks, assume)
    case = mapper.case(*made, f"{MACHINES[ranks]}{LINKS}/routes={assume['wu.routes']}", CORES)
    default = case.judge(txyz(ranks))
    runs = {anchors: case.published(member(assume, anchors)) for anchors in ("bft", "rcm")}
    # The automatic choice is one column; that of the smaller sizes suffices.
    automatic = case.automatic("hop-bytes") if ranks <= COMPARED else None
    for anchors, found in runs.items():
        yield anchors, *compared(hops, default, found, automatic)
    found = runs["rcm"]
    yield "time", *compared(seconds, default, found, automatic)
    yield "congestion", *compared(congestion, default, found, automatic)
    yield "iterations", int(re.search(r"(\d+) global iterations", found["notes"])[1])
    yield "rounds", max(int(re.search(r"(\d+) rounds of migration", run["notes"])[1]) for run in runs.values())
    yield "seconds", found["search_seconds"]
    if ranks == 1024:
        by_first_edges = assume["wu.queue"] == "first edges"
        yield from greedy(case, default, ranks, messages) if by_first_edges else libtopomap(case, default)


def compared(figure, default, *placements):
    """What placements save, in per cent."""
    return [saved(figure(default), figure(placement)) for placement in placements if placement]


def hops(figures):
    return figures["hop_bytes"]


def congestion(figures):
    return figures["max_congestion"]


def libtopomap(case, default):
    """LibTopoMap's members in figures 6 and 7."""
    for name in ("ltm-greedy", "rcm", "ltm-recursive"):
        found = case.published(name)
        yield f"{name} hop-bytes", saved(default["hop_bytes"], found["hop_bytes"])
        yield f"{name} congestion", saved(default["max_congestion"], found["max_congestion"])


def greedy(case, default, ranks, messages):
    """LibTopoMap's greedy member with another queue, and groups of the partition."""
    case.published("init-part")
    groups, sizes = case.nodes(), [int(size) for size in MACHINES[ranks].split(":")[1].split("x")]
    nodes = papers_greedy.by_first_edges(ranks // CORES, between(messages, groups), range(ranks // CORES),
                                         papers_greedy.grid(sizes, MACHINES[ranks].startswith("torus")))
    found = case.judge([nodes[group] for group in groups])
    for name in ("hop_bytes", "max_congestion"):
        yield f"ltm-greedy {name.removeprefix('max_').replace('_', '-')}", saved(default[name], found[name])


def txyz(ranks):
    """Blue Gene's order: the cores of a node, then along the first dimension, the second, the
    third."""
    x, y, z = (int(size) for size in MACHINES[ranks].split(":")[1].split("x"))
    nodes = []
    for node in (rank // CORES for rank in range(ranks)):
        nodes.append((node % x * y + node // x % y) * z + node // x // y)
    return nodes


def arithmetic(_, __):
    """Section 4.3: a fifth of ART's time is communication, of which 59 per cent are saved."""
    yield "ART", 0.2 * 59


# Graphs and machines on which the authors' own program, analmap 1.0 (github.com/SPEAR-UIC/topomap,
# with METIS 5.1), was run once with `analmap 8x8x16 GRAPH torus=true refine=true pin_scheme=1`:
# pin_scheme=0 is breadth-first, torus=false a mesh. Ranks in random order except those of SP.
PROGRAM = {
    ("npb-sp", "torus:8x8x16", 1): 1, ("npb-sp", "mesh:8x8x16", 1): 1, ("npb-sp", "torus:8x4x8", 4): 1,
    ("npb-sp", "mesh:8x4x8", 4): 1, ("nlpkkt_512", "torus:8x8x8", 1): 2, ("fe_512", "torus:8x8x8", 1): 2,
    ("amr_512", "torus:8x8x8", 1): 2, ("nlpkkt_1024", "torus:8x8x16", 1): 3, ("fe_1024", "torus:8x8x16", 1): 3,
    ("rgg_1024", "torus:8x8x16", 1): 3,
}
QUICK = ("npb-sp", "mesh:8x4x8", 4)


def program(graph, machine, cores, mapper, _):
    """Hops a byte, refined as the authors' program does."""
    made = mapper.generated(graph, 1024) if graph == "npb-sp" else shuffled(*cases.graph(graph))
    case = mapper.case(*made, machine, cores)
    for anchors, name in (("rcm", "analytical"), ("bft", "analytical-bft")):
        yield anchors, case.published(name)["hops_per_byte"]


SIZES = {"nlpkkt120": (nlpkkt, {256: 60, 512: 66, 1024: 80, 2048: 85, 4096: 95, 8192: 120}),
         "crankshaft": (crankshaft, {512: 9, 1024: 14, 4096: 8}),
         "ART": (art, {256: 4, 512: 9, 1024: 14, 2048: 4, 4096: 5, 8192: 8})}
# What needs `--all`, since METIS cuts for a minute or more.
LONG = {("nlpkkt120", ranks) for ranks in (2048, 4096, 8192)}

JOBS = [
    Job("wu.arithmetic", arithmetic, 1, is_quick=True),
    *(Job(f"wu.{name}-{ranks}", functools.partial(figures, graph, ranks), spent, (name, ranks) not in LONG)
      for name, (graph, sizes) in SIZES.items() for ranks, spent in sizes.items()),
    *(Job(f"wu.program-{graph}-{machine}", functools.partial(program, graph, machine, cores), spent,
          is_quick=(graph, machine, cores) == QUICK)
      for (graph, machine, cores), spent in PROGRAM.items()),
]

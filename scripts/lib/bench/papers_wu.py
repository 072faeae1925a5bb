"""Wu, Xiong, Berrocal, Wang and Lan, analytical mapping, 2016: tables 4, 5 and 6 on Blue Gene/P."""

import random
import re

import cases
from papers_table import PROCESSOR, Row, Table, about, absent, between

TITLE = "Analytical mapping (Wu et al. 2016)"

# Table 2: four processes a node.
CORES = 4
MACHINES = {256: "mesh:4x4x4", 512: "mesh:4x4x8", 1024: "mesh:8x4x8", 2048: "torus:8x8x8", 4096: "torus:8x8x16",
            8192: "torus:8x8x32"}

# The paper's matrix, its surrogate here, and whether the surrogate's parts come in random order:
# METIS numbers parts without regard to their place, ART's processes follow a Hilbert curve.
MATRICES = {"F1": (None, True), "audikw_1": ("fe", True), "nlpkkt120": ("nlpkkt", True), "ART": ("amr", False)}
SURROGATES = {"fe": (512, 1024, 4096), "nlpkkt": (256, 512, 1024, 4096), "amr": (512,)}

# Table 4: hop-bytes below the default mapping in per cent, anchors by breadth-first traversal and
# by RCM.
TABLE_4 = {
    "F1": {256: (70.66, 71.11), 512: (75.29, 74.59), 1024: (76.80, 78.61), 2048: (72.60, 73.69), 4096: (75.68, 77.02),
           8192: (77.35, 82.72)},
    "audikw_1": {256: (67.80, 65.94), 512: (71.26, 70.95), 1024: (73.79, 74.30), 2048: (67.71, 65.27),
                 4096: (71.16, 71.07), 8192: (68.14, 70.95)},
    "nlpkkt120": {256: (53.76, 53.45), 512: (63.38, 64.76), 1024: (69.39, 70.48), 2048: (66.67, 69.39),
                  4096: (75.15, 74.58), 8192: (77.73, 79.49)},
    "ART": {256: (42.96, 42.63), 512: (39.18, 43.04), 1024: (49.07, 48.49), 2048: (28.17, 26.37), 4096: (27.10, 31.53),
            8192: (22.84, 25.76)},
}
# Table 5: communication time below that of the default mapping, in per cent.
TABLE_5 = {
    "F1": {256: 62, 512: 67, 1024: 72, 2048: 33, 4096: 49, 8192: 60},
    "audikw_1": {256: 60, 512: 69, 1024: 69, 2048: 37, 4096: 47, 8192: 31},
    "nlpkkt120": {256: 34, 512: 64, 1024: 72, 2048: 42, 4096: 56, 8192: 48},
    "ART": {256: 34, 512: 47, 1024: 59, 2048: 40, 4096: 31, 8192: 35},
}
# Table 6: iterations of global mapping, and seconds.
TABLE_6 = {
    "F1": {256: (14, 0.010), 512: (32, 0.015), 1024: (29, 0.035), 2048: (33, 0.093), 4096: (42, 0.347),
           8192: (49, 1.086)},
    "audikw_1": {256: (22, 0.007), 512: (34, 0.010), 1024: (38, 0.026), 2048: (41, 0.075), 4096: (56, 0.328),
                 8192: (49, 0.783)},
    "nlpkkt120": {256: (33, 0.005), 512: (32, 0.013), 1024: (34, 0.040), 2048: (41, 0.115), 4096: (44, 0.345),
                  8192: (56, 1.265)},
    "ART": {256: (27, 0.011), 512: (33, 0.014), 1024: (51, 0.040), 2048: (44, 0.088), 4096: (55, 0.236),
            8192: (49, 0.579)},
}


# Hops a byte of the authors' own program, analmap 1.0 (github.com/SPEAR-UIC/topomap, with METIS
# 5.1), anchors by RCM and by breadth-first traversal, of ranks in random order except those of SP.
# Measured once with `analmap 8x8x16 GRAPH torus=true refine=true pin_scheme=1`: pin_scheme=0 is
# breadth-first, torus=false a mesh.
OWN_CODE = [
    ("npb-sp", "torus:8x8x16", 1, (2.483, 2.634)),
    ("npb-sp", "mesh:8x8x16", 1, (2.488, 2.634)),
    ("npb-sp", "torus:8x4x8", 4, (1.403, 1.500)),
    ("npb-sp", "mesh:8x4x8", 4, (1.539, 1.549)),
    ("nlpkkt_512", "torus:8x8x8", 1, (2.569, 2.466)),
    ("fe_512", "torus:8x8x8", 1, (2.631, 2.644)),
    ("amr_512", "torus:8x8x8", 1, (2.748, 2.748)),
    ("nlpkkt_1024", "torus:8x8x16", 1, (2.821, 2.823)),
    ("fe_1024", "torus:8x8x16", 1, (2.763, 2.735)),
    ("rgg_1024", "torus:8x8x16", 1, (2.816, 2.935)),
]

ANCHORS = "5 points, about as much as the two ways to choose anchors differ on one matrix in the paper's table"
MEASURED = "10 points: the paper's are measured, and with the table's sizes they move by up to 39 on one matrix"
LOOPS = "from half to twice: at one size the paper's matrices differ by up to a factor of 2.4"

NEAR = "at most 3 % above, and a fifth below: the steps are the same, solvers and partitioners are not"

# The quick part: matrices and their numbers of processes.
QUICK = {"nlpkkt120": (256,)}


def tables(mapper, quick):
    runs = Runs(mapper, quick)
    note = "Surrogates: fe for audikw_1, nlpkkt on another grid for nlpkkt120, amr for ART: scripts/instances."
    yield Table("Table 4: hop-bytes below the default mapping (TXYZ), per cent", hop_bytes(runs), 1, False, note)
    note = "Predicted: with links of 425 MB/s as Blue Gene/P has; the paper's are measured."
    yield Table("Table 5: communication time below the default mapping's, per cent", times(runs), 1, False, note)
    yield Table("Table 6: iterations of global mapping", iterations(runs), decimals=0)
    note = "The authors' program run on the graphs of scripts/instances and on `rankfold generate npb-sp 1024`."
    yield Table("Hops a byte of the authors' own code", own_code(mapper, OWN_CODE[3:4] if quick else OWN_CODE), 3, note=note)
    if not quick:
        note = "Of the whole search here, the grouping of ranks into nodes included; the paper's with CHOLMOD on a Xeon X5650."
        yield Table("Table 6: seconds", seconds(runs), decimals=3, note=note, not_judged=PROCESSOR)


def own_code(mapper, rows):
    for graph, machine, cores, published in rows:
        ranks, messages = (1024, mapper.generated(graph, 1024)) if graph == "npb-sp" else shuffled(graph)
        case = mapper.case(ranks, messages, machine, cores)
        automatic = case.automatic("hop-bytes")["hops_per_byte"]
        for anchors, member, value in zip(("RCM", "BFT"), ("analytical", "analytical-bft"), published):
            figure = between(0.8 * value, 1.03 * value, NEAR, f"{value:.3f}")
            name = f"{graph} on {machine}, {cores} a node, {anchors}"
            yield Row(name, figure, case.published(member)["hops_per_byte"], automatic)


def shuffled(graph):
    ranks, messages = cases.graph(graph)
    return ranks, in_random_order(ranks, messages)


def hop_bytes(runs):
    for name, ranks, run in runs.all():
        for anchors, published, order in zip(("BFT", "RCM"), TABLE_4[name][ranks], ("bft", "rcm")):
            default = run["default"]["hop_bytes"]
            ours, automatic = (100 * (1 - run[key]["hop_bytes"] / default) for key in (order, "automatic"))
            yield Row(f"{name}, {ranks} processes, {anchors}", about(published, 5, ANCHORS), ours, automatic)
    yield from runs.missing(column(TABLE_4, 1))


def times(runs):
    for name, ranks, run in runs.all():
        default = run["default"]["predicted_time"]["total"]
        ours, automatic = (100 * (1 - run[key]["predicted_time"]["total"] / default) for key in ("rcm", "automatic"))
        yield Row(f"{name}, {ranks} processes", about(TABLE_5[name][ranks], 10, MEASURED), ours, automatic)
    yield from runs.missing(TABLE_5)


def iterations(runs):
    for name, ranks, run in runs.all():
        found = re.search(r"(\d+) global iterations", run["rcm"]["notes"])
        published = TABLE_6[name][ranks][0]
        figure = between(published / 2, published * 2, LOOPS, str(published))
        yield Row(f"{name}, {ranks} processes", figure, int(found[1]))
    yield from runs.missing(column(TABLE_6, 0))


def seconds(runs):
    for name, ranks, run in runs.all():
        ours, automatic = (run[key]["search_seconds"] for key in ("rcm", "automatic"))
        published = TABLE_6[name][ranks][1]
        yield Row(f"{name}, {ranks} processes", between(0, published, PROCESSOR, f"{published:g}"), ours, automatic)
    yield from runs.missing(column(TABLE_6, 1))


def column(table, which):
    return {name: {ranks: figures[which] for ranks, figures in row.items()} for name, row in table.items()}


def missing(table):
    """One row for each matrix that has no surrogate here."""
    for name, (surrogate, _) in MATRICES.items():
        without = {ranks: figure for ranks, figure in table[name].items() if ranks not in SURROGATES.get(surrogate, ())}
        because = "no surrogate of so many parts" if surrogate else "no surrogate of the matrix"
        sizes, published = ("/".join(map(str, values)) for values in (without, without.values()))
        yield Row(f"{name}, {sizes}", absent(published), None, because=because)


class Runs:
    """Everything measured, once for all tables."""

    def __init__(self, mapper, quick):
        self.mapper, self.quick, self.found = mapper, quick, {}

    def all(self):
        """Matrix, processes, and the figures of every placement, where there is a surrogate."""
        for name, (surrogate, _) in MATRICES.items():
            for ranks in QUICK.get(name, ()) if self.quick else SURROGATES.get(surrogate, ()):
                yield name, ranks, self.run(name, ranks)

    def missing(self, table):
        """One row for each matrix that has no surrogate here; none in the quick part."""
        return [] if self.quick else missing(table)

    def run(self, name, ranks):
        if (name, ranks) not in self.found:
            self.found[name, ranks] = self.measured(name, ranks)
        return self.found[name, ranks]

    def measured(self, name, ranks):
        surrogate, is_shuffled = MATRICES[name]
        _, messages = cases.graph(f"{surrogate}_{ranks}")
        case = self.case(ranks, in_random_order(ranks, messages) if is_shuffled else messages)
        return {**figures(case, ranks), "automatic": case.automatic("hop-bytes")}

    def case(self, ranks, messages):
        return self.mapper.case(ranks, messages, f"{MACHINES[ranks]}@425MB/s+100ns", CORES)


def figures(case, ranks):
    """The default mapping, and the paper's algorithm with both its ways to choose anchors."""
    return {"default": case.judge(txyz(ranks)), "bft": case.published("analytical-bft"), "rcm": case.published("analytical")}


def in_random_order(ranks, messages):
    number = random.Random(1).sample(range(ranks), ranks)
    return {(number[sender], number[receiver]): size for (sender, receiver), size in messages.items()}


def txyz(ranks):
    """Blue Gene's order: the cores of a node, then along the first dimension, the second, the
    third."""
    x, y, z = (int(size) for size in MACHINES[ranks].split(":")[1].split("x"))
    nodes = []
    for node in (rank // CORES for rank in range(ranks)):
        nodes.append((node % x * y + node // x % y) * z + node // x // y)
    return nodes

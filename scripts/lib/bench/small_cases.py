"""The cases of the benchmark `small`: graphs of 8 to 256 ranks and the machines they are placed
on."""

import json
import lzma

import cases

QAPLIB = cases.INSTANCES / "qaplib.jsonl.xz"

# Graph, machine, ranks a node, and whether --quick runs the case. Graphs: a name of cases.graph;
# PARENT/RANKS@FIRST, the part of a graph that is nearest to a rank.
OTHERS = [
    ("st3d27_2x2x2", "torus:2x2x2", 1, False),
    ("rgg_1024/8@0", "tree:2x4", 1, False),
    ("fe_512/12@7", "torus:3x4", 1, True),
    ("cg_16", "tree:4x4", 1, False),
    ("amr_512/16@40", "torus:4x4", 1, True),
    ("rgg_1024/16@3", "dragonfly:2,2,2,4", 1, False),
    ("lulesh_27", "torus:3x3x3", 1, True),
    ("nlpkkt_256/32@9", "xgft:8,4:1,4", 1, False),
    ("fe_512/32@100", "dragonfly:2,4,1,4", 1, True),
    ("rgg_1024/48@11", "mesh:6x8", 1, False),
    ("bt_64", "torus:4x4x4", 1, True),
    ("amg_64", "torus:4x4x4", 1, True),
    ("minife_64", "torus:4x4x4", 1, False),
    ("amr_512/64@0", "torus:4x4x4", 1, False),
    ("fe_512/64@0", "torus:4x4x4", 1, True),
    ("nlpkkt_512/64@0", "torus:4x4x4", 1, False),
    ("rgg_1024/64@0", "torus:4x4x4", 1, True),
    ("amg_64", "tree:4x4x4", 1, False),
    ("bt_64", "dragonfly:4,4,2,4", 1, False),
    ("fe_512/64@200", "torus:4x4", 4, False),
    ("rgg_1024/128@0", "tree:8x16", 1, False),
    ("amr_512/128@0", "torus:4x4x8", 1, False),
    ("nlpkkt_256", "torus:8x8x4", 1, True),
    ("fe_512/256@0", "torus:8x8x4", 1, False),
    ("amr_512/256@0", "torus:8x8x4", 1, False),
    ("rgg_1024/256@0", "torus:8x8x4", 1, False),
    ("fe_512/256@100", "dragonfly:8,4,4,8", 1, False),
    ("amr_512/256@30", "torus:4x4x4", 4, False),
]

QUICK_QAPLIB = ["nug12", "nug20", "nug30", "scr20", "ste36a", "sko42", "sko64", "sko100a", "tho40"]


class SmallCase:
    """A graph, a machine, ranks a node, the fewest hop-bytes that the literature knows, and whether
    --quick runs the case."""

    def __init__(self, name, machine, cores, graph, best, is_quick):
        self.name, self.machine, self.cores = name, machine, cores
        self.ranks, self.messages = graph
        self.best, self.is_quick = best, is_quick


def qaplib():
    """QAPLIB's instances. A flow counts once in each direction, as in QAPLIB's own values."""
    with lzma.open(QAPLIB, "rt") as file:
        for line in file:
            instance = json.loads(line)
            flows = instance["flows"]
            pairs = ((i, i + 1 + k, flow) for i, row in enumerate(flows) for k, flow in enumerate(row) if flow)
            messages = {}
            for one, other, flow in pairs:
                messages[one, other] = messages[other, one] = flow
            name = instance["name"]
            graph = len(flows) + 1, messages
            yield SmallCase(name, instance["machine"], 1, graph, instance["best"], name in QUICK_QAPLIB)


def others():
    for name, machine, cores, is_quick in OTHERS:
        yield SmallCase(name, machine, cores, graph(name), None, is_quick)


def graph(name):
    """Number of ranks and the messages: {(from, to): bytes}."""
    parent, _, part = name.partition("/")
    whole = cases.graph(parent)
    if not part:
        return whole
    ranks, first = (int(number) for number in part.split("@"))
    return nearest(*whole, ranks, first)


def nearest(ranks, messages, wanted, first):
    """The ranks that a breadth-first search from one of them meets first, in the order met."""
    partners = cases.undirected(ranks, messages)
    met, number = [first], {first: 0}
    for rank in met:
        for other, _ in partners[rank]:
            if other not in number and len(met) < wanted:
                number[other] = len(met)
                met.append(other)
    inside = {(number[a], number[b]): size for (a, b), size in messages.items() if a in number and b in number}
    return wanted, inside

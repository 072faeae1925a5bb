"""Hoefler and Snir, 2011 (LibTopoMap): dilation and congestion on tori and PERCS.

The matrices' partitions are surrogates of the same kind: the KKT system of a PDE-constrained problem for nlpkkt240 and a
crankshaft-like solid for F1 and audikw_1. On tori parts come in no order, as the published initial dilation, that of
random placement, says of the paper's. Congestion is the paper's Algorithm 3. The greedy and the recursive mapping are those
with threshold accepting, with which the paper made all its results but those on more than 512 nodes of a PERCS, where it
took too long (sections 5.2 and 5.3.2).
"""

import random

import cases
from papers_table import Published, Row, Table, about

TITLE = "Generic topology mapping strategies, LibTopoMap (Hoefler and Snir 2011)"

# Nodes of a PERCS with 9 D links a node, 32 of them a supernode.
PERCS, PERCS_NODES = "percs:289", 9248


def tables(mapper):
    yield Table("Section 5.3.1: mean dilation, nlpkkt on a torus of 12x12x12", dilations(mapper))
    yield Table(
        "Sections 5.3.1 and 5.5: congestion saved against the initial mapping after threshold accepting, per cent",
        tori(mapper),
        decimals=1,
        less_is_better=False,
    )
    yield Table("Section 5.3.2: mean dilation, nlpkkt on 1728 nodes of a PERCS", percs_dilations(mapper))
    yield Table(
        "Section 5.3.2: congestion saved against the initial mapping on a PERCS, per cent",
        percs(mapper),
        decimals=1,
        less_is_better=False,
    )


def dilations(mapper):
    case = torus(mapper, "nlpkkt_1728", 12)
    automatic = dilation(case.automatic("hop-bytes"))
    for name, member, published in [("initial", "block", 9.00), ("greedy", "ltm-greedy-ta", 9.03),
                                    ("rcm", "rcm", 7.02), ("recursive", "ltm-recursive-ta", 4.50)]:
        figures = case.published(member)
        band = about(published, 0.2, f"{published:.2f}")
        yield Row(f"{name}, weighted by volume", band, dilation(figures), automatic)
        yield Row(f"{name}, all pairs alike", band, figures["avg_dilation"])


def dilation(figures):
    """The paper's equation 2: the mean length of paths, weighted by volume."""
    return figures["hops_per_byte"]


def tori(mapper):
    case = torus(mapper, "nlpkkt_1728", 12)
    initial = congestion(case, "block")
    automatic = saved(initial, estimated(case, case.automatic("congestion")))
    found = {}
    for name, published in [("greedy", 32), ("recursive", 44)]:
        found[name] = saved(initial, congestion(case, f"ltm-{name}-ta"))
        yield Row(f"nlpkkt_1728 on 12x12x12, {name}", about(published, 8), found[name], automatic)
    rcm = saved(initial, congestion(case, "rcm"))
    yield Row("nlpkkt_1728 on 12x12x12, greedy above rcm", Published("slightly", 0, 12), found["greedy"] - rcm)
    for name in ("nlpkkt_512", "fe_512", "amr_512"):
        case = torus(mapper, name, 8)
        initial = congestion(case, "block")
        automatic = saved(initial, estimated(case, case.automatic("congestion")))
        best = saved(initial, congestion(case, "ltm-ta"))
        yield Row(f"{name} on 8x8x8, predicted", Published("18..32", 10, 40), best, automatic)


def percs_dilations(mapper):
    case = supernodes(mapper, *in_no_order("nlpkkt_1728"))
    automatic = dilation(case.automatic("hop-bytes"))
    for name, published in [("greedy", 2.89), ("recursive", 1.82)]:
        yield Row(name, about(published, 0.2), dilation(case.published(f"ltm-{name}")), automatic)


def percs(mapper):
    orders = {
        "in the partitioner's order": (cases.graph("nlpkkt_1728"), "the paper's D links and parts are not known"),
        "in no order": (in_no_order("nlpkkt_1728"), "parts in no order load the D links evenly from the start"),
    }
    for order, (graph, why) in orders.items():
        case = supernodes(mapper, *graph)
        initial = congestion(case, "block")
        automatic = saved(initial, estimated(case, case.automatic("congestion")))
        yield Row(f"greedy, parts {order}", about(80, 8), saved(initial, congestion(case, "ltm-greedy")), automatic, why)


def torus(mapper, name, side):
    return mapper.case(*in_no_order(name), f"torus:{side}x{side}x{side}")


def supernodes(mapper, ranks, messages):
    """A node for every rank, drawer by drawer."""
    hosts = [f"n{node}" if node < ranks else "-" for node in range(PERCS_NODES)]
    return mapper.case(ranks, messages, PERCS, hosts=hosts)


def in_no_order(name):
    ranks, messages = cases.graph(name)
    number = list(range(ranks))
    random.Random(1).shuffle(number)
    return ranks, {(number[sender], number[receiver]): size for (sender, receiver), size in messages.items()}


def congestion(case, member):
    return estimated(case, case.published(member))


def saved(initial, after):
    return 100 * (1 - after / initial)


def estimated(case, _):
    """Algorithm 3's congestion of the placement just made."""
    case.start("eval", "--placement", case.file("map"), "--estimate")
    return case.report()["max_congestion_estimate"]

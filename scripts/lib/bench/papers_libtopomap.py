"""Hoefler and Snir, 2011 (LibTopoMap): dilation and congestion on tori, PERCS, JuRoPA and Ranger.

The matrices' partitions are surrogates of the same kind: the KKT system of a PDE-constrained
problem for nlpkkt240 and a crankshaft-like solid for F1 and audikw_1. On tori parts come in no
order, as the published initial dilation, that of random placement, says of the paper's. Congestion
is the paper's Algorithm 3. All mappings are those with threshold accepting, with which the paper
made all its results but those on more than 512 nodes of a PERCS, where it took too long (sections
5.2 and 5.3.2).
"""

import random

import cases
import papers_machines
from papers_table import Row, Table, about, between

TITLE = "Generic topology mapping strategies, LibTopoMap (Hoefler and Snir 2011)"

# Nodes of a PERCS with 9 D links a node, 32 of them a supernode; D links are "connected randomly".
PERCS, PERCS_NODES = "percs:289,random=1", 9248

# Section 5.4: figures of audikw_1 on clusters of InfiniBand with 1792 processes, one a node, the
# largest of the paper's jobs. Congestion saved grows with the job on JuRoPA; on Ranger it is "up to
# 50%, depending on the allocation size".
CLUSTERS = {"JuRoPA": "juropa", "Ranger": "ranger"}
DILATIONS = {"JuRoPA": {"greedy": 5.8, "rcm": 4.45, "recursive": 5.13}}
SAVED = {"JuRoPA": 61, "Ranger": 50}
PARTS = 1728

# Section 5.2: the figures are those after threshold accepting.
MEMBERS = {"greedy": "ltm-greedy-ta", "rcm": "rcm-ta", "recursive": "ltm-recursive-ta"}

DILATION = "a tenth: the matrix is a surrogate"
CONGESTION = "a tenth of the congestion that remains: the matrix is a surrogate"
RANDOM = "0.1: parts in random order on a torus, for which 9.005 is the expected figure"
ROUNDED = "the last digit of the paper, and 2 % for servers and links of the clusters that nobody describes"
SLIGHTLY = "less than the 12 per cent by which the paper sets recursive apart from greedy"
MATRICES = "the range of the paper's matrices"
NETWORK = "a tenth: the matrix is a surrogate, and a part of the network is assumed"
POINTS = "5 points: the matrix is a surrogate, and a part of the network is assumed"


# Sections 5.3 to 5.5: kiB of memory of a network as printed, and the share of it by which ours may
# differ.
MEMORY = {"torus:3x3x3": ("0.63", 0), "torus:8x8x8": ("12", 0), PERCS: ("1445", 0), "juropa": ("87", 0.02), "ranger": ("134", 0.02)}


def tables(mapper, quick):
    """The memory of networks is quick."""
    note = ("Four bytes for each neighbour of each vertex, which is what the tori and the PERCS give. The paper's 31.20 kiB of a "
            "torus of 12x12x12 are those of 11x11x11.")
    yield Table("Sections 5.3 to 5.5: memory of the network, kiB", memory(mapper), note=note)
    if quick:
        return
    yield Table("Section 5.3.1: dilation by volume (equation 2), nlpkkt on a torus of 12x12x12", dilations(mapper))
    yield Table("Section 5.3.1: congestion saved against the initial mapping, per cent", tori(mapper), decimals=1,
                less_is_better=False)
    yield Table("Section 5.5: congestion saved on 512 nodes of a Blue Gene/P, predicted, per cent", predictions(mapper),
                decimals=1, less_is_better=False)
    without = "The paper's figures of more than 512 processes on a PERCS are without threshold accepting."
    yield Table("Section 5.3.2: dilation by volume, nlpkkt on 1728 nodes of a PERCS", percs_dilations(mapper), note=without)
    yield Table("Section 5.3.2: congestion saved against the initial mapping on a PERCS, per cent", percs(mapper), decimals=1,
                less_is_better=False, note=without)
    jobs = Clusters(mapper)
    hosts = "Hosts in the order of their names, as batch systems list them; networks: scripts/lib/bench/papers_machines.py."
    yield Table("Section 5.4: dilation by volume, audikw_1 on clusters of InfiniBand", cluster_dilations(jobs), note=hosts)
    bound = ("The links of hosts bound the congestion of every mapping of one process a node (`map --metrics`). By Algorithm 3, "
             "which spreads messages over paths, the initial mapping is at this bound already. Where all messages to a host "
             "take one path, it is not.")
    yield Table("Section 5.4: congestion saved on clusters of InfiniBand, per cent", cluster_savings(jobs), decimals=1,
                less_is_better=False, note=bound)


def memory(mapper):
    for name, (published, within) in MEMORY.items():
        machine = papers_machines.written(name, mapper.work)[0] if name in papers_machines.MACHINES else name
        value = float(published)
        digit = 0.5 * 10 ** -len(published.partition(".")[2])
        figure = about(value, max(digit, within * value), ROUNDED, published)
        yield Row(name, figure, 4 * mapper.machine(machine)["channels"] / 1024)


def dilations(mapper):
    case = torus(mapper, "nlpkkt_1728", 12)
    automatic = case.automatic("hop-bytes")["hops_per_byte"]
    yield Row("initial", about(9.00, 0.1, RANDOM, "9.00"), case.published("block")["hops_per_byte"], automatic)
    for name, published in [("greedy", 9.03), ("rcm", 7.02), ("recursive", 4.50)]:
        figure = about(published, published / 10, DILATION, f"{published:.2f}")
        yield Row(name, figure, case.published(MEMBERS[name])["hops_per_byte"], automatic)


def tori(mapper):
    case = torus(mapper, "nlpkkt_1728", 12)
    initial = congestion(case, "block")
    automatic = saved(initial, estimated(case, case.automatic("congestion")))
    found = {}
    for name, published in [("greedy", 32), ("recursive", 44)]:
        found[name] = saved(initial, congestion(case, MEMBERS[name]))
        yield Row(f"nlpkkt_1728 on 12x12x12, {name}", remaining(published), found[name], automatic)
    rcm = saved(initial, congestion(case, MEMBERS["rcm"]))
    yield Row("nlpkkt_1728 on 12x12x12, greedy above rcm", between(0, 12, SLIGHTLY, "slightly"), found["greedy"] - rcm)


def predictions(mapper):
    for name in ("nlpkkt_512", "fe_512", "amr_512"):
        case = torus(mapper, name, 8)
        initial = congestion(case, "block")
        automatic = saved(initial, estimated(case, case.automatic("congestion")))
        best = saved(initial, congestion(case, "ltm-ta"))
        yield Row(f"{name} on 8x8x8, the best of all", between(18, 32, MATRICES), best, automatic)


def percs_dilations(mapper):
    case = supernodes(mapper, *in_no_order("nlpkkt_1728"))
    automatic = case.automatic("hop-bytes")["hops_per_byte"]
    for name, published in [("greedy", 2.89), ("recursive", 1.82)]:
        figure = about(published, published / 10, DILATION)
        yield Row(name, figure, case.published(f"ltm-{name}")["hops_per_byte"], automatic)


def percs(mapper):
    orders = {"in the partitioner's order": cases.graph("nlpkkt_1728"), "in no order": in_no_order("nlpkkt_1728")}
    for order, graph in orders.items():
        case = supernodes(mapper, *graph)
        initial = congestion(case, "block")
        automatic = saved(initial, estimated(case, case.automatic("congestion")))
        yield Row(f"greedy, parts {order}", remaining(80), saved(initial, congestion(case, "ltm-greedy")), automatic)


class Clusters:
    """Figures of all members on the clusters, each made once."""

    def __init__(self, mapper):
        self.mapper, self.found = mapper, {}

    def of(self, cluster, member):
        """Hops a byte, congestion by Algorithm 3, and congestion with one path to each host."""
        if (cluster, member) not in self.found:
            case = self.case(cluster)
            figures = case.automatic("hop-bytes") if member == "automatic" else case.published(member)
            self.found[cluster, member] = (figures["hops_per_byte"], estimated(case, figures), figures["max_congestion"])
        return self.found[cluster, member]

    def case(self, cluster):
        machine, hosts = papers_machines.written(CLUSTERS[cluster], self.mapper.work)
        ranks, messages = in_no_order(f"fe_{PARTS}")
        return self.mapper.case(ranks, messages, machine, hosts=hosts[:ranks])


def cluster_dilations(jobs):
    for cluster, dilations in DILATIONS.items():
        automatic = jobs.of(cluster, "automatic")[0]
        for name, published in dilations.items():
            figure = about(published, published / 10, NETWORK)
            yield Row(f"fe_{PARTS} on {cluster}, {name}", figure, jobs.of(cluster, MEMBERS[name])[0], automatic)


def cluster_savings(jobs):
    for cluster, published in SAVED.items():
        for key, by in ((1, "Algorithm 3"), (2, "one path to a host")):
            initial, greedy, best = (jobs.of(cluster, name)[key] for name in ("block", MEMBERS["greedy"], "automatic"))
            figures = (saved(initial, after) for after in (greedy, best))
            yield Row(f"fe_{PARTS} on {cluster}, greedy, {by}", about(published, 5, POINTS), *figures)


def remaining(published):
    """A saving of congestion in per cent."""
    return about(published, (100 - published) / 10, CONGESTION)


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

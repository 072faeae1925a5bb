"""Machines that our specs and the simulator both know, with the same nodes, links and, as far as can be, routes.

Differences that stay: on a torus the simulator breaks half-way ties towards the larger coordinate, we upwards, so only
odd sizes route alike; on a dragonfly about one pair of routers in a hundred is routed otherwise.
"""

import itertools
import json
import math
import os


class Machine:
    """One network with its ranks a node."""

    def __init__(self, name, spec, topology, parameters, nodes, cores, tree=None, simulated=None, graph=None):
        self.name = name if cores == 1 else f"{name} c{cores}"
        self.cores, self.nodes = cores, nodes
        self.spec, self.topology, self.parameters = spec, topology, parameters
        # What a peer that knows trees only is told: see cases.CASES.
        self.tree = tree
        # The simulator's number of each of our nodes.
        self.simulated = simulated or list(range(nodes))
        # The machine as a graph where no spec has its wiring; it is written to a file.
        self.graph = graph
        self.ranks = nodes * cores

    def written(self, directory):
        """The spec, its file in `directory` where it needs one."""
        if self.graph is None:
            return self.spec
        path = os.path.join(directory, "machine.json")
        with open(path, "w") as file:
            json.dump(self.graph, file)
        return f"file:{path}"

    def platform(self, network):
        """SimGrid's description: one of its own clusters, all of whose links are alike."""
        return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="n" suffix="" radical="0-{self.nodes - 1}" speed="1Gf" topology="{self.topology}"
           topo_parameters="{self.parameters}" bw="{network.bandwidth}Bps" lat="{network.latency}s"
           loopback_bw="{network.memory}Bps" loopback_lat="{network.latency}s"/>
</platform>
"""


def torus(*sizes, cores=1):
    """The simulator counts the first coordinate fastest, we the last."""
    strides = [math.prod(sizes[:d]) for d in range(len(sizes))]
    simulated = [sum(map(math.prod, zip(at, strides))) for at in itertools.product(*map(range, sizes))]
    text = "x".join(map(str, sizes))
    return Machine(f"torus {text}", f"torus:{text}", "TORUS", ",".join(map(str, sizes)), len(simulated), cores,
                   simulated=simulated)


def fat_tree(children, parents, cores=1):
    """Children and parents a level, from the nodes up."""
    down, up = (",".join(map(str, level)) for level in (children, parents))
    cables = ",".join("1" for _ in children)
    nodes = math.prod(children)
    arities = list(reversed(children))
    # Ten times the hops between the branches of a level: up to it and down again.
    tree = [(arity, 20 * (len(arities) - depth)) for depth, arity in enumerate(arities)]
    return Machine(f"xgft {down}:{up}", f"xgft:{down}:{up}", "FAT_TREE", f"{len(children)};{down};{up};{cables}", nodes,
                   cores, tree=(tree, nodes))


def dragonfly(groups, routers, hosts, cores=1):
    """Routers of a group joined each to each; router h of group g has the one cable to group h."""
    nodes = groups * routers * hosts
    # Group 0 comes last, see tie_breaker.
    vertex = [[nodes + (g - 1) % groups * routers + r for r in range(routers)] for g in range(groups)]
    links = [[node, sum(vertex, [])[node // hosts], 1.0, 1] for node in range(nodes)]
    for group in vertex:
        links += [[u, v, 1.0, 1] for u, v in itertools.combinations(group, 2)]
    links += [[vertex[g][h], vertex[h][g], 1.0, 1] for g, h in itertools.combinations(range(groups), 2)]
    by_vertex = {v: tie_breaker(g, r, hosts, nodes) for g, group in enumerate(vertex) for r, v in enumerate(group)}
    divisors = [by_vertex.get(v, 1) for v in range(nodes + groups * routers)]
    graph = {"hosts": nodes, "vertices": nodes + groups * routers, "links": links, "rdiv": divisors}
    name = f"dragonfly {groups}x{routers}x{hosts}"
    # Scotch dies of a level without branches.
    tree = ([level for level in [(groups, 48), (routers, 30), (hosts, 20)] if level[0] > 1], nodes)
    return Machine(name, None, "DRAGONFLY", f"{groups},1;1,1;{routers},1;{hosts}", nodes, cores, tree=tree, graph=graph)


def tie_breaker(group, router, hosts, nodes):
    """The divisor of destinations that sends packets the simulator's way, for a power of two of routers a group.

    From router k of group g to router k of another group h there are two shortest ways: by router h of the own group,
    which the simulator takes, or by group k. Our table takes the way to the lower vertex where the destination over
    the divisor is even, and with group 0 last the own group is lower if g is 0 < g < k or k is 0. Otherwise the quotient must
    be odd for every h: destinations are (routers h + k) hosts + i, so by hosts 2^b where bit b of k is set.
    """
    if router == 0 or 0 < group < router:
        return nodes
    return hosts * (router & -router)

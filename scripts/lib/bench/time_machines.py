"""Machines that our machine files and the simulator both know, with the same nodes, links and, as far as can be, routes.

A difference stays: on a torus the simulator breaks half-way ties towards the larger coordinate, we upwards, so only odd
sizes route alike.
"""

import copy
import itertools
import math
import os

import peers


class Machine:
    """One network with its ranks a node; all links are alike.

    `wires` are its cables as pairs of vertices, of which nodes are numbers and switches anything else."""

    def __init__(self, name, network, topology, parameters, nodes, cores, wires, tree=None, simulated=None):
        self.name = name if cores == 1 else f"{name} c{cores}"
        self.cores, self.nodes = cores, nodes
        # What a machine file says of the network, and our spec of it if there is one.
        self.network = network
        self.spec = name.replace(" ", ":", 1)
        self.topology, self.parameters = topology, parameters
        # What a peer that knows trees only is told: see cases.CASES.
        self.tree = tree
        # The simulator's number of each of our nodes.
        self.simulated = simulated or list(range(nodes))
        self.wires = wires
        self.room = [cores] * nodes
        # Whether a job has but a part of it.
        self.partial = False

    def part(self, name, room):
        """The same network for a job that may put room[n] ranks on node n."""
        part = copy.copy(self)
        part.name, part.room, part.partial = f"{self.name} {name}", room, True
        return part

    @property
    def ranks(self):
        """Most ranks that fit."""
        return sum(self.room)

    def options(self, directory):
        """What a command line says of the ranks a node takes."""
        if not self.partial:
            return ["--cores", str(self.cores)]
        path = os.path.join(directory, "hosts")
        with open(path, "w") as file:
            file.writelines(f"n{node} slots={room}\n" if room else "-\n" for node, room in enumerate(self.room))
        return ["--hosts", path]

    def written(self, directory, network):
        """The path of a machine file with the network's times."""
        path = os.path.join(directory, f"{network.name}.toml")
        rows = (f"{{ bytes = {size}, bandwidth = {share}, latency = {factor} }}" for size, share, factor in network.rows)
        with open(path, "w") as file:
            file.write(f"""{self.network}
[time]
bandwidth = {network.bandwidth}
latency = {network.latency}
overhead = {network.overhead}
memory = {network.memory}
sizes = [{", ".join(rows)}]
""")
        return path

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
    return Machine(f"torus {text}", f'network = "torus:{text}"', "TORUS", ",".join(map(str, sizes)), len(simulated), cores,
                   peers.torus_links(sizes), simulated=simulated)


def fat_tree(children, parents, cores=1):
    """Children and parents a level, from the nodes up."""
    down, up = (",".join(map(str, level)) for level in (children, parents))
    cables = ",".join("1" for _ in children)
    nodes = math.prod(children)
    arities = list(reversed(children))
    # Ten times the hops between the branches of a level: up to it and down again.
    tree = [(arity, 20 * (len(arities) - depth)) for depth, arity in enumerate(arities)]
    return Machine(f"xgft {down}:{up}", f'network = "xgft:{down}:{up}"', "FAT_TREE",
                   f"{len(children)};{down};{up};{cables}", nodes, cores, fat_tree_wires(children, parents), tree=(tree, nodes))


def fat_tree_wires(children, parents):
    """A switch is its level, where it is from the root down to its own level, and its number among the switches there,
    a digit a level. It has a cable to every switch above whose digits are its own and one more."""
    wires, number = [], itertools.count()
    below = {(at, ()): next(number) for at in itertools.product(*map(range, reversed(children)))}
    for level, above in enumerate(parents, 1):
        upper = {}
        for (at, digits), vertex in below.items():
            for digit in range(above):
                switch = at[:-1], (*digits, digit)
                wires.append((vertex, upper.setdefault(switch, (level, *switch))))
        below = upper
    return wires


def dragonfly(groups, routers, hosts, cores=1):
    """Routers of a group joined each to each; router h of group g has the one cable to group h."""
    nodes = groups * routers * hosts
    router = {at: f"r{at[0]}.{at[1]}" for at in itertools.product(range(groups), range(routers))}
    at = list(router)
    links = [(f"n{node}", router[at[node // hosts]]) for node in range(nodes)]
    links += [(router[a], router[b]) for a, b in itertools.combinations(at, 2) if a[0] == b[0]]
    links += [(router[g, h], router[h, g]) for g, h in itertools.combinations(range(groups), 2)]
    wires = [tuple(int(end[1:]) if end[0] == "n" else end for end in link) for link in links]
    tables = []
    for here in at:
        cables = [set(link) - {router[here]} for link in links if router[here] in link]
        row = [cables.index({towards(here, at[node // hosts], router, node)}) for node in range(nodes)]
        tables.append(f'"{router[here]}" = {row}')
    network = "\n".join([
        f"hosts = {quoted(f'n{node}' for node in range(nodes))}", f"switches = {quoted(router.values())}",
        f"links = [{', '.join(map(quoted, links))}]", "[tables]", *tables,
    ])
    # Scotch dies of a level without branches.
    tree = ([level for level in [(groups, 48), (routers, 30), (hosts, 20)] if level[0] > 1], nodes)
    return Machine(f"dragonfly {groups}x{routers}x{hosts}", network, "DRAGONFLY", f"{groups},1;1,1;{routers},1;{hosts}",
                   nodes, cores, wires, tree=tree)


def towards(here, there, router, node):
    """The simulator's next vertex from a router to a node: into its group first, by the own group's cable to it."""
    group, number = here
    if here == there:
        return f"n{node}"
    if group == there[0]:
        return router[there]
    return router[there[0], group] if number == there[0] else router[group, there[0]]


def quoted(names):
    """A list of strings in TOML."""
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"

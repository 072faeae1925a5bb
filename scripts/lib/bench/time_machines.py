"""Machines that the mapper and the simulator both read from one platform file, so that nodes, links
and routes are the same for both."""

import copy
import itertools
import math
import os
import subprocess

import peers


class Machine:
    """One network with its ranks a node; all links are alike.

    `wires` are its cables as pairs of vertices, of which nodes are numbers and switches anything
    else."""

    def __init__(self, name, topology, parameters, nodes, cores, wires, tree=None):
        self.name = name if cores == 1 else f"{name} c{cores}"
        self.cores, self.nodes = cores, nodes
        # What the peers read its family and sizes from.
        self.spec = name.replace(" ", ":", 1)
        self.topology, self.parameters = topology, parameters
        # What a peer that knows trees only is told: see cases.CASES.
        self.tree = tree
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

    def written(self, program, directory, network):
        """The path of a machine file: what the mapper imports from the platform file, and the times
        that this leaves out."""
        platform, path = (os.path.join(directory, f"{network.name}.{kind}") for kind in ("xml", "toml"))
        with open(platform, "w") as file:
            file.write(self.platform(network))
        subprocess.run([program, "machine", "import", "simgrid", platform, "-o", path], check=True)
        with open(path) as file:
            before, title, after = file.read().partition("[time]\n")
        rows = (f"{{ bytes = {size}, bandwidth = {share}, latency = {factor} }}" for size, share, factor in network.rows)
        with open(path, "w") as file:
            file.write(f"{before}{title}overhead = {network.overhead}\nsizes = [{', '.join(rows)}]\n{after}")
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
    """The simulator counts the first coordinate fastest, specs count the last."""
    return Machine(f"torus {'x'.join(map(str, sizes))}", "TORUS", ",".join(map(str, reversed(sizes))), math.prod(sizes), cores,
                   peers.torus_links(sizes))


def fat_tree(children, parents, cores=1):
    """Children and parents a level, from the nodes up."""
    down, up = (",".join(map(str, level)) for level in (children, parents))
    cables = ",".join("1" for _ in children)
    nodes = math.prod(children)
    arities = list(reversed(children))
    # Ten times the hops between the branches of a level: up to it and down again.
    tree = [(arity, 20 * (len(arities) - depth)) for depth, arity in enumerate(arities)]
    return Machine(f"xgft {down}:{up}", "FAT_TREE",
                   f"{len(children)};{down};{up};{cables}", nodes, cores, fat_tree_wires(children, parents), tree=(tree, nodes))


def fat_tree_wires(children, parents):
    """A switch is its level, where it is from the root down to its own level, and its number among
    the switches there, a digit a level. It has a cable to every switch above whose digits are its
    own and one more."""
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
    # Scotch dies of a level without branches.
    tree = ([level for level in [(groups, 48), (routers, 30), (hosts, 20)] if level[0] > 1], nodes)
    return Machine(f"dragonfly {groups}x{routers}x{hosts}", "DRAGONFLY", f"{groups},1;1,1;{routers},1;{hosts}",
                   nodes, cores, wires, tree=tree)

"""Machines of the papers that no spec describes: Ranger and JuRoPA as machine files, and the GPC as
the real subnet manager routes it.

The documents named below were not at hand in full: their figures are as others quote them. The
memory of both networks that LibTopoMap's paper prints agrees with the machine files. What no source
tells is an assumption, and is named as one.

    python3 scripts/lib/bench/papers_machines.py ranger|juropa|gpc > FILE

The last one is the netlist of `ibcore:` that `scripts/subnet OUT ENGINE FILE` reads.
"""

import argparse
import itertools
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Links of a 12x cable of InfiniBand, as Sun's switches have them.
CABLE = 3


class Network:
    """Hosts, switches and the cables between them."""

    def __init__(self):
        self.hosts, self.switches, self.links = [], [], []

    def switch(self, name):
        self.switches.append(name)
        return name

    def attach(self, names, switch):
        """Hosts, each with one link to a switch."""
        self.hosts += names
        self.links += [(name, switch, 1) for name in names]

    def join(self, one, other, links):
        self.links.append((one, other, links))

    def core(self, name, leaves, middles, spines):
        """The leaf switches of a core switch. `middles`: line cards, and middle switches of each;
        empty without. A leaf switch has a link to each middle switch of its line card, or to each
        spine. A middle switch has one to each spine of its number."""
        lower = [self.switch(f"{name}.leaf{leaf}") for leaf in range(leaves)]
        if not middles:
            upper = [self.switch(f"{name}.spine{spine}") for spine in range(spines)]
            for leaf in lower:
                for spine in upper:
                    self.join(leaf, spine, 1)
            return lower
        cards, on_card = middles
        for plane in range(on_card):
            upper = [self.switch(f"{name}.spine{plane}.{spine}") for spine in range(spines)]
            for card in range(cards):
                middle = self.switch(f"{name}.middle{card}.{plane}")
                for leaf in lower[card * leaves // cards:(card + 1) * leaves // cards]:
                    self.join(leaf, middle, 1)
                for spine in upper:
                    self.join(middle, spine, 1)
        return lower

    def lines(self, title):
        """The machine file."""
        yield f"# {title}\n"
        for key, names in (("hosts", self.hosts), ("switches", self.switches)):
            yield f"{key} = [{', '.join(quoted(name) for name in names)}]\n"
        yield "links = [\n"
        for one, other, links in self.links:
            yield f"    [{quoted(one)}, {quoted(other)}, 1.0, {links}],\n"
        yield "]\n"

    def netlist(self):
        """The lines of ibsim's netlist; the subnet manager runs on the first host."""
        hosts = set(self.hosts)
        ports = {name: [] for name in (*self.hosts, *self.switches)}
        for one, other, links in self.links:
            for _ in range(links):
                here, there = (len(ports[name]) + 1 for name in (one, other))
                ports[one].append((other, there))
                ports[other].append((one, here))
        for name, cables in ports.items():
            kind = "Hca 1" if name in hosts else f"Switch {len(cables)}"
            yield f'{kind} "{name}"\n'
            yield from (f'[{port}] "{far}"[{there}] s=4\n' for port, (far, there) in enumerate(cables, 1))
            yield "\n"


def quoted(name):
    return f'"{name}"'


def ranger():
    """Ranger of the Texas Advanced Computing Center, 2008: 3936 nodes.

    Sun, "Pathways to Petascale Computing: The Sun Constellation System", 2008, and the centre's
    user guide: 82 cabinets of 4 shelves of 12 nodes; a leaf switch of 24 ports a shelf, with 12
    links in 4 cables to two core switches. Sun, "Sun Datacenter Switch 3456 System Architecture",
    2007: a core switch is a Clos network of up to 24 line cards with 12 leaf switches each, all of
    24 ports. Assumed: 16 line cards; a shelf has half of its cables on each core switch; cables
    fill the line cards in the order of the shelves; all links of a cable are on one leaf switch.
    """
    network, shelves, cards, on_card = Network(), 82 * 4, 16, 12
    cores = [network.core(f"core{core}", cards * on_card, (cards, on_card), 12) for core in range(2)]
    for shelf in range(shelves):
        leaf = network.switch(f"shelf{shelf}")
        cabinet, first = shelf // 4, shelf % 4 * 12
        network.attach([f"r{cabinet:02}-{first + blade:02}" for blade in range(12)], leaf)
        for core in cores:
            for cable in range(2):
                # A leaf switch of a core switch has 12 ports, those of 4 cables.
                network.join(leaf, core[(2 * shelf + cable) // 4], CABLE)
    return network


def juropa():
    """JuRoPA and HPC-FF of the Juelich Supercomputing Centre, 2009: 2208 and 1080 nodes.

    Simons, "What's Up at Juelich?", 2009: 23 cabinets with 1104 blades of two nodes and six
    switches of 648 ports, joined by 12x cables. Sun, "Cables, cables everywhere", 2009: 24 nodes a
    shelf on one switched module, with eight of these cables. Assumed: a module is two switches of
    36 ports with 12 nodes each and nine links between them; there are eight core switches of 36
    leaf and 18 spine switches at most, one for each cable of a module; 60 leaf switches of HPC-FF
    have 18 nodes each and three links to each of the six; cables fill the leaf switches of the core
    switches in order.
    """
    network, modules, sold, ports = Network(), 23 * 4, 6, 18
    # Leaf switches that have cables, on line cards of four each.
    leaves = [28] * sold + [16] * 2
    cores = [network.core(f"core{core}", count, (), ports) for core, count in enumerate(leaves)]

    def leaf(core, cable):
        return cores[core][cable * CABLE // ports]

    for module in range(modules):
        pair = [network.switch(f"module{module}.{half}") for half in "ab"]
        network.join(*pair, 9)
        for half, switch in enumerate(pair):
            cabinet, first = module // 4 + 1, module % 4 * 24 + half * 12
            network.attach([f"jj{cabinet:02}-{first + node:02}" for node in range(12)], switch)
            for core in range(half, len(cores), 2):
                network.join(switch, leaf(core, module), CABLE)
    for cell in range(60):
        switch = network.switch(f"cell{cell}")
        network.attach([f"n{cell * ports + node:04}" for node in range(ports)], switch)
        for core in range(sold):
            network.join(switch, leaf(core, modules + cell), CABLE)
    return network


# The GPC: leaf switches and their hosts; core switches, cables from a leaf switch to each, line and
# spine switches in each, and cables between two of these. PTRAM's paper, section V and figure 4.
GPC_LEAVES, GPC_HOSTS, GPC_CORES, GPC_UPLINKS = 103, 30, 2, 3
GPC_LINES, GPC_LEAVES_OF_LINE, GPC_SPINES, GPC_CABLES = 18, 6, 9, 2


def gpc():
    """The GPC: leaf switches fill the line switches in order, six on each."""
    network = Network()
    leaves = [network.switch(f"leaf{leaf}") for leaf in range(GPC_LEAVES)]
    for number, leaf in enumerate(leaves):
        network.attach([f"h{number * GPC_HOSTS + host}" for host in range(GPC_HOSTS)], leaf)
    for core in range(GPC_CORES):
        lines = [network.switch(f"core{core}.line{line}") for line in range(GPC_LINES)]
        spines = [network.switch(f"core{core}.spine{spine}") for spine in range(GPC_SPINES)]
        for number, leaf in enumerate(leaves):
            network.join(leaf, lines[number // GPC_LEAVES_OF_LINE], GPC_UPLINKS)
        for line, spine in itertools.product(lines, spines):
            network.join(line, spine, GPC_CABLES)
    return network


MACHINES = {"ranger": ranger, "juropa": juropa}


def machine(name):
    """A network, and the lines of its machine file."""
    network = MACHINES[name]()
    return network, network.lines(MACHINES[name].__doc__.splitlines()[0])


def written(name, directory):
    """The machine file of a machine, and the names of its hosts."""
    (network, lines), path = machine(name), f"{directory}/{name}.toml"
    with open(path, "w") as file:
        file.writelines(lines)
    return path, network.hosts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="papers_machines.py", description="Writes the machine file of a machine.")
    parser.add_argument("machine", choices=[*MACHINES, "gpc"])
    wanted = parser.parse_args().machine
    sys.stdout.writelines(gpc().netlist() if wanted == "gpc" else machine(wanted)[1])

"""Peers on a part of a machine, of whose nodes a job has some, with room for as many ranks each or
not."""

import math
import os
import shutil
import subprocess
import tempfile

import peers


def ways(case, machine):
    """As time_placements.ways."""
    nodes = [node for node, room in enumerate(machine.room) if room]
    rooms = [machine.room[node] for node in nodes]
    slots = [node for node in nodes for _ in range(machine.room[node])]
    known = scotch_targets(case, machine, nodes, rooms) if shutil.which("amk_grf") else []
    orders = peers.renumberings(case)
    # Parts of as many ranks as divide every node's room: the wheel makes parts of one size only.
    size = math.gcd(*rooms)
    return {
        "scotch": [lambda order=order, to=to: scotch(case, *to, order) for to in known for order in orders],
        "metis": [lambda: on(nodes, peers.metis(case, True, [room / case.ranks for room in rooms]))],
        "kahip": [lambda: on(slots[::size], peers.kahip(case, case.ranks // size))],
    }


def scotch(case, architecture, nodes, order):
    return on(nodes, peers.scotch_onto(case, architecture, order))


def on(nodes, parts):
    """The node of every rank, part i being on nodes[i]."""
    return parts and [nodes[part] for part in parts]


def scotch_targets(case, machine, nodes, rooms):
    """Texts of target architectures, and the node of each of their numbers: the nodes' own
    distances, and where all take as many ranks the sub-architecture of what Scotch knows of the
    whole network."""
    targets = [(decomposition(machine, nodes), range(machine.nodes))]
    if len(set(rooms)) == 1:
        listed = " ".join(map(str, nodes))
        targets.append((f"sub {len(nodes)} {listed}\n{peers.scotch_target(case)}", nodes))
    return targets


def decomposition(machine, nodes):
    """What amk_grf makes of the network and the nodes of the job."""
    number = {node: node for node in range(machine.nodes)}
    near = {}
    for a, b in machine.wires:
        for vertex in a, b:
            near.setdefault(number.setdefault(vertex, len(number)), [])
        near[number[a]].append(number[b])
        near[number[b]].append(number[a])
    with tempfile.TemporaryDirectory() as work:
        graph, chosen, target = (os.path.join(work, name) for name in ("graph", "chosen", "target"))
        with open(graph, "w") as file:
            file.write(f"0\n{len(near)} {sum(map(len, near.values()))}\n0 001\n")
            for vertex, others in sorted(near.items()):
                room = machine.room[vertex] if vertex < machine.nodes else 0
                file.write(f"{max(1, room)} {len(others)} {' '.join(map(str, others))}\n")
        with open(chosen, "w") as file:
            file.write(f"{len(nodes)}\n{' '.join(map(str, nodes))}\n")
        subprocess.run(["amk_grf", graph, target, f"-l{chosen}"], check=True, capture_output=True)
        with open(target) as file:
            return file.read()

"""The cases of `time --allocations`: jobs that have a random part of a machine, on nodes that take
as many ranks each or not."""

import random

from time_machines import dragonfly, fat_tree, torus

# Of the nodes that a job gets.
SHARE = 0.6
SEED = 1

# Machine, ranks that the nodes of the job take in turn, and graphs: see time_cases.CASES. `{}` is
# the number of ranks.
CASES = [
    (fat_tree([16, 16], [1, 8]), [1], ["st2d_14x11/{}", "fe_512/{}", "geometric:500/{}", "amr_512/{}"]),
    (fat_tree([16, 8], [1, 4]), [2, 2, 4], ["st3d7_7x6x5/{}", "fe_512/{}", "nlpkkt_512/{}", "geometric:500/{}"]),
    (dragonfly(8, 8, 4), [1], ["st2d_14x11/{}", "fe_512/{}", "geometric:500/{}", "amr_512/{}"]),
    (dragonfly(8, 8, 2), [2, 2, 4], ["st3d7_7x6x5/{}", "fe_512/{}", "nlpkkt_512/{}", "geometric:500/{}"]),
    (torus(8, 8, 4), [1], ["st2d_14x11/{}", "fe_512/{}", "geometric:500/{}", "amr_512/{}"]),
    (torus(8, 4, 4), [2, 2, 4], ["st3d7_7x6x5/{}", "fe_512/{}", "nlpkkt_512/{}", "geometric:500/{}"]),
]


def every():
    """As time_cases.every."""
    for whole, rooms, graphs in CASES:
        machine = allocation(whole, rooms)
        for name in graphs:
            name = name.format(machine.ranks)
            yield f"{machine.name} {name}", machine, name


def allocation(machine, rooms):
    """SHARE of the nodes at random, which take `rooms` ranks in an order at random."""
    chance = random.Random(SEED)
    nodes = chance.sample(range(machine.nodes), round(SHARE * machine.nodes))
    room = [0] * machine.nodes
    for turn, node in enumerate(nodes):
        room[node] = rooms[turn % len(rooms)]
    kind = f"{SHARE:.0%}" if len(rooms) == 1 else f"{SHARE:.0%}, {'/'.join(map(str, sorted(set(rooms))))} ranks"
    return machine.part(f"({kind})", room)

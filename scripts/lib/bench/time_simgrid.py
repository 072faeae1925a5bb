"""SimGrid's SMPI as the judge: simulated seconds of placements."""

import collections
import itertools
import os
import subprocess

REPLAY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "simgrid", "replay.c")

# Bandwidth in bytes/s and latency in seconds of a link, bandwidth inside a node, overhead in
# seconds a message on either side, what the simulator is told, and what is measured of it: from
# which size on links have which share of their bandwidth and how many times their latency.
Network = collections.namedtuple("Network", "name bandwidth latency memory overhead options rows")

CLEAN_OVERHEAD = 4e-7
NETWORKS = {
    # SMPI's own factors by message size, fitted to a real cluster by its authors; sends cost the
    # processor nothing.
    "nominal": Network("nominal", 5e9, 5e-7, 20e9, 0.0, [], []),
    # Links do what they say; a message costs the processor a fixed time on both sides.
    "clean": Network("clean", 10e9, 1e-7, 20e9, CLEAN_OVERHEAD, [
        "smpi/lat-factor:0:1", "smpi/bw-factor:0:1", "network/crosstraffic:0",
        *(f"smpi/{call}:0:{CLEAN_OVERHEAD}:0" for call in ("os", "ois", "or")),
    ], []),
}
# The clean one, but that messages share the one port of a host as SimGrid's model of InfiniBand
# says. Run only if asked for.
ONE_PORT = "ib"
NETWORKS[ONE_PORT] = NETWORKS["clean"]._replace(name=ONE_PORT, options=[*NETWORKS["clean"].options, "network/model:IB"])
USUAL = ["nominal", "clean"]

# Only communication takes time, and the simulated processes share their variables and have small
# stacks.
ALWAYS = [
    "smpi/simulate-computation:no", "smpi/host-speed:1Gf", "smpi/privatization:no", "contexts/stack-size:256",
    # Messages up to 64 KiB are eager: received and buffered whether or not anybody waits for them.
    "smpi/async-small-thresh:65536", "smpi/send-is-detached-thresh:65536",
]


def compile_replay(directory):
    """Builds the replay program; its path."""
    program = os.path.join(directory, "replay")
    subprocess.run(["smpicc", "-O2", REPLAY, "-o", program, "-lm"], check=True)
    return program


def replay(program, directory, machine, network, ranks, messages, placements, tests):
    """Simulated seconds by placement and test, and of each placement the busiest link's seconds per
    mean byte.

    `messages` are {(from, to): bytes}, a placement is the node of every rank, a test a way of
    exchanging ("nb", "es", "ph") and the mean bytes of a message.
    """
    path = {name: os.path.join(directory, name) for name in ("platform.xml", "hosts", "case")}
    with open(path["platform.xml"], "w") as file:
        file.write(machine.platform(network))
    with open(path["hosts"], "w") as file:
        file.writelines(f"n{node}\n" * room for node, room in enumerate(machine.room))
    with open(path["case"], "w") as file:
        write_case(file, ranks, messages, [slots(machine, nodes) for nodes in placements], tests)
    options = [f"--cfg={option}" for option in ALWAYS + network.options]
    command = ["smpirun", "-np", str(ranks), "-platform", path["platform.xml"], "-hostfile", path["hosts"], *options,
               "--log=root.thres:error", program, path["case"]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    if done.returncode != 0:
        raise SystemExit(f"{machine.name}, {network.name}: the simulation failed: {done.stderr[-500:]}")
    times = [[0.0] * len(tests) for _ in placements]
    loads = [0.0] * len(placements)
    for line in done.stdout.splitlines():
        words = line.split()
        if words[0] == "time":
            times[int(words[1])][int(words[2])] = float(words[3])
        else:
            loads[int(words[1])] = float(words[2])
    return times, loads


def write_case(file, ranks, messages, placements, tests):
    """What the replay program reads."""
    mean = sum(messages.values()) / len(messages)
    phase = phases(messages)
    file.write(f"{ranks} {len(messages)} {len(placements)} {len(tests)}\n")
    for (sender, receiver), size in sorted(messages.items()):
        turn = phase[min(sender, receiver), max(sender, receiver)]
        file.write(f"{sender} {receiver} {size / mean:.9g} {turn}\n")
    for placement in placements:
        file.write(" ".join(map(str, placement)) + "\n")
    for way, size in tests:
        file.write(f"{way} {size}\n")


def slots(machine, nodes):
    """The process of every rank: ranks of a node take its slots in order."""
    first = [0, *itertools.accumulate(machine.room)]
    taken = [0] * machine.nodes
    found = []
    for node in nodes:
        if taken[node] == machine.room[node]:
            raise SystemExit(f"{machine.name}: more than {machine.room[node]} ranks on node {node}")
        found.append(first[node] + taken[node])
        taken[node] += 1
    return found


def phases(messages):
    """In which turn each pair exchanges: nobody is in two pairs of a turn; partners close by number
    come first."""
    pairs = sorted({(min(pair), max(pair)) for pair in messages}, key=lambda pair: (pair[1] - pair[0], pair))
    busy = collections.defaultdict(set)
    turn = {}
    for pair in pairs:
        first, second = (busy[rank] for rank in pair)
        turn[pair] = next(t for t in range(len(first) + len(second) + 1) if t not in first and t not in second)
        first.add(turn[pair])
        second.add(turn[pair])
    return turn

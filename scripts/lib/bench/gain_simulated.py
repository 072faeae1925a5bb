"""The simulated part of the benchmark `gain`: our maps against the order of the hosts in SimGrid's
SMPI."""

import math
import os
import re
import shutil
import tempfile

import time_cases
import time_simgrid
from time_machines import dragonfly, fat_tree, torus
from time_placements import Mapper, block

# Name, machine, graph, and the gain that must be reached. For irregular programs each must not
# lose, and the mean gain is checked. SimGrid's torus of 8x8x16 numbers hosts along its first
# dimension first, so it is our 16x8x8. NPB's LU sends faces to the neighbours in rows and columns.
CASES = [
    ("torus 4x4x4, stencil", torus(4, 4, 4), "st2d_8x8", 1.5),
    ("torus 8x8x16, stencil", torus(16, 8, 8), "st2d_32x32", 3.0),
    ("fat tree 16x16, stencil", fat_tree([16, 16], [1, 4], cores=2), "st2d_16x32", 2.0),
    ("dragonfly 512, stencil", dragonfly(8, 16, 4), "st2d_16x32", 2.0),
    ("irregular: finite elements", torus(8, 8, 8), "fe_512", 1.0),
    ("irregular: KKT", torus(8, 8, 8), "nlpkkt_512", 1.0),
    ("irregular: adaptive mesh", torus(8, 8, 8), "amr_512", 1.0),
    ("irregular: LU", torus(8, 8, 8), "st2d_16x32", 1.0),
    ("irregular: all-to-alls", torus(8, 8, 16), "sub_a2a_32x32", 1.0),
    ("irregular: random geometric", fat_tree([16, 8], [1, 4]), "rgg_1024/128", 1.0),
]
# Mean bytes of a message.
SIZE = 64 << 10
MEAN = 1.5


def all(program, only):
    """Prints a line for every case that `only` matches, and returns the figures by name."""
    cases = [case for case in CASES if re.search(only, case[0])]
    if not cases:
        return {}
    if not shutil.which("smpirun"):
        print("NOT MEASURED HERE: SimGrid's smpirun is not installed: scripts/setup simulation")
        return {}
    print(f"\n{'simulated, ranks':34} {'default':>10} {'mapped':>10} {'gain':>7} {'predicted':>10}")
    figures, irregular = {}, []
    with tempfile.TemporaryDirectory() as work:
        replay = time_simgrid.compile_replay(work)
        for name, machine, graph, promised in cases:
            figures[name] = found = one(program, replay, work, machine, graph)
            verdict = f"goal {promised}: {'met' if found['gain'] >= promised * 0.999 else 'NOT MET'}"
            print(f"{name + f', {machine.ranks}':34} {found['default'] * 1e3:7.3f} ms {found['mapped'] * 1e3:7.3f} ms "
                  f"{found['gain']:6.2f}x {found['predicted']:9.2f}x   {verdict}", flush=True)
            if name.startswith("irregular"):
                irregular.append(found["gain"])
    if irregular:
        mean = math.exp(sum(map(math.log, irregular)) / len(irregular))
        print(f"irregular programs, geometric mean {mean:.2f}: goal {MEAN}: {'met' if mean >= MEAN else 'NOT MET'}")
    return figures


def one(program, replay, work, machine, name):
    """Simulated seconds of an exchange in which all messages are under way at once."""
    network = time_simgrid.NETWORKS["clean"]
    with tempfile.TemporaryDirectory(dir=work) as own:
        ranks, messages = time_cases.graph(name, None)
        messages = time_cases.scaled(messages, SIZE)
        path = machine.written(program, own, network)
        mapper = Mapper(program, own, machine, ranks, messages)
        mapped, _ = mapper.place(path, "time")
        default = block(machine)[:ranks]
        predicted = [mapper.judge(path, nodes)["predicted_time"]["total"] for nodes in (default, mapped)]
        times, _ = time_simgrid.replay(replay, own, machine, network, ranks, messages, [default, mapped], [("nb", SIZE)])
    default, mapped = times[0][0], times[1][0]
    return {"default": default, "mapped": mapped, "gain": default / mapped, "predicted": predicted[0] / predicted[1]}

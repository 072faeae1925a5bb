"""What a training job sends in one step, as the mapper derives it from the job's launch, and what
SimGrid makes of it."""

import collections
import os
import subprocess

from gpu_cases import GPUS
from time_simgrid import NETWORKS

# The phases of a step that leave a node, in the order in which they are simulated.
PHASES = ["expert", "pipeline", "gradients"]
# Flows share links by max-min fairness. Latencies are left out: messages are long.
MODEL = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"]
NETWORK = NETWORKS["clean"]._replace(latency=0)


def derived(program, work, job):
    """Bytes from host to host by phase, over one rail."""
    launch, matrix = os.path.join(work, "launch.sh"), os.path.join(work, "phase.mtx")
    with open(launch, "w") as file:
        file.write(job.launch())
    step = {}
    for phase in PHASES:
        command = [program, "convert", launch, matrix, "--phase", phase]
        subprocess.run([*command, "--collectives", "nccl-ring"], check=True, capture_output=True)
        with open(matrix) as file:
            lines = [line.split() for line in file if not line.startswith("%")]
        pairs = {(int(a) - 1, int(b) - 1): int(size) for a, b, size in lines[1:]}
        if rail := one_rail(job, phase, pairs):
            step[phase] = rail
    return step


def one_rail(job, phase, pairs):
    """Bytes from host to host over one rail. Rails share no link, and all have the same flows."""
    rails = [collections.Counter() for _ in range(GPUS)]
    for (a, b), size in pairs.items():
        if a // GPUS == b // GPUS:
            continue
        if a % GPUS != b % GPUS:
            raise SystemExit(f"{job.name}: ranks {a} and {b} are on different rails")
        rails[a % GPUS][a // GPUS, b // GPUS] += size
    if any(rail != rails[0] for rail in rails):
        raise SystemExit(f"{job.name}: rails differ in phase {phase}, and one stands for all")
    return rails[0]


def simulated(flows, work, machine, step, orders):
    """By order and phase: seconds, and the seconds of the busiest link alone. An order has the node
    of every host of the job."""
    platform, case = os.path.join(work, "platform.xml"), os.path.join(work, "case")
    with open(platform, "w") as file:
        file.write(machine.platform(NETWORK))
    with open(case, "w") as file:
        for name, nodes in orders.items():
            for phase, pairs in step.items():
                file.write(f"phase {name}/{phase}\n")
                for (a, b), size in sorted(pairs.items()):
                    file.write(f"n{nodes[a]} n{nodes[b]} {size}\n")
    options = [f"--cfg={option}" for option in MODEL]
    command = [flows, platform, case, *options, "--log=root.thres:error"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{machine.name}: the simulation failed: {done.stderr[-500:]}")
    found = {name: {} for name in orders}
    for line in done.stdout.splitlines():
        name, seconds, busiest = line.split()
        order, phase = name.split("/")
        found[order][phase] = float(seconds), float(busiest)
    return found

"""A ring on hosts in a scattered order, whose topology the program lets MPI reorder: without
relaunch."""

import os
import re
import statistics

from gain_job import Job, NotMeasured, cluster, compiled, tools, verdict

NETWORK = "torus:4x4@2.5e6,2.5e6"
STEP = 7
BYTES, EXCHANGES = 262144, 4
# Name, and the function that makes the ring: see tests/programs/world/reordered.c.
CASES = [("reordered graph", "adjacent"), ("reordered grid", "grid")]
PROMISED = 2.0
# Time limit of the mapper, in seconds. Only the program is measured.
BUDGET = "14"


def all(args):
    """Prints a line for every case, and returns the figures by name."""
    cases = [case for case in CASES if re.search(args.only, case[0])]
    if cases:
        print(f"\n{'a ring, reordered in place':34} {'scattered':>10} {'reordered':>10} {'gain':>7}")
    figures = {}
    for name, kind in cases:
        try:
            figures[name] = line(name, *measured(args, kind))
        except NotMeasured as why:
            print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
            figures[name] = None
    return figures


def measured(args, kind):
    """Median milliseconds as launched, and reordered."""
    launcher, compiler = tools(args, "openmpi")
    with cluster(args, NETWORK) as (work, directory):
        os.mkdir(f"{work}/world")
        program = [compiled(args, compiler, "world/reordered", f"{work}/world/reordered", "-w"), kind, str(BYTES), str(EXCHANGES)]
        # Open MPI's own component for reordered graphs aborts where hosts have one slot.
        job = Job(args, work, directory, NETWORK, launcher, program, STEP, options=["--mca", "topo", "^treematch"])
        job.environment["RANKFOLD_BUDGET"] = BUDGET
        machine = ["--reorder-topologies", "--machine", "torus:4x4", "--hosts", os.path.join(directory, "hosts")]
        plain, reordered = [], []
        for _ in range(args.runs):
            plain.append(float(job.run(job.launch).stdout))
            done = job.rankfold(*machine)
            if "not reordered" in done.stderr:
                raise NotMeasured(done.stderr)
            reordered.append(float(done.stdout))
    return statistics.median(plain), statistics.median(reordered)


def line(name, plain, reordered):
    gain = plain / reordered
    print(f"{name:34} {plain:7.1f} ms {reordered:7.1f} ms {gain:6.2f}x   {verdict(f'gain {PROMISED}', gain >= PROMISED)}", flush=True)
    return {"default": plain / 1e3, "reordered": reordered / 1e3, "gain": gain}

"""LAMMPS as Debian packages it, on the shaped tree from a scattered allocation: wall time, with the
launcher in it."""

import os
import re
import shutil
import statistics
import time

from gain_job import Job, NotMeasured, cluster

NAME, SPEC, STEP = "LAMMPS, tree scattered", "tree:4x4@2.5e6,5e6", 7


def all(args):
    """Prints a line, and returns the figures by name."""
    if not re.search(args.only, NAME):
        return {}
    print(f"\n{'a whole program, wall time':34} {'default':>10} {'mapped':>10} {'ratio':>7} {'loop alone':>11}")
    try:
        figures = measured(args)
    except NotMeasured as why:
        print(f"NOT MEASURED HERE: {NAME}: {why}", flush=True)
        return {NAME: None}
    print(f"{NAME:34} {figures['default']:8.2f} s {figures['mapped']:8.2f} s {figures['default'] / figures['mapped']:6.2f}x "
          f"{figures['default_loop'] / figures['mapped_loop']:10.2f}x", flush=True)
    return {NAME: figures}


def measured(args):
    if not shutil.which("lmp"):
        raise NotMeasured("lmp is not installed (Debian package lammps)")
    melt = os.path.join(os.path.realpath(args.scripts), "..", "tests", "programs", "melt.lmp")
    with cluster(args, SPEC) as (work, directory):
        job = Job(args, work, directory, SPEC, "mpirun.openmpi", ["lmp", "-in", melt, "-log", "none"], STEP,
                  options=["-x", "OMP_NUM_THREADS=1"])
        job.learnt()
        default, mapped = [], []
        for _ in range(args.runs):
            default.append(timed(lambda: job.run(job.launch)))
            mapped.append(timed(job.mapped))
    middle = [[statistics.median(times) for times in zip(*runs)] for runs in (default, mapped)]
    return {"default": middle[0][0], "mapped": middle[1][0], "default_loop": middle[0][1], "mapped_loop": middle[1][1]}


def timed(run):
    """Wall seconds of the run, and the seconds of its time steps as LAMMPS prints them."""
    start = time.monotonic()
    done = run()
    wall = time.monotonic() - start
    return wall, float(re.search(r"Loop time of ([0-9.]+)", done.stdout).group(1))

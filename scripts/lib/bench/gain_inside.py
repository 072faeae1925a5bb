"""What the second run adds inside a program of 64 ranks, between MPI's own start and end."""

import re
import statistics

from gain_job import Job, NotMeasured, cluster, compiled, tools, verdict

NAME, SPEC, RANKS_A_HOST = "64 ranks on 16 hosts", "fake:16", 4
# Milliseconds.
MOST = 50


def all(args):
    """Prints a line, and returns the figures by name."""
    if not re.search(args.only, NAME):
        return {}
    print(f"\n{'inside the program':34} {'default':>10} {'mapped':>10} {'added':>10}")
    try:
        figures = measured(args)
    except NotMeasured as why:
        print(f"NOT MEASURED HERE: {NAME}: {why}", flush=True)
        return {NAME: None}
    print(f"{NAME:34} {figures['default']:7.1f} ms {figures['mapped']:7.1f} ms {figures['added']:+7.1f} ms   "
          f"{verdict(f'{MOST} ms', figures['added'] <= MOST)}", flush=True)
    return {NAME: figures}


def measured(args):
    with cluster(args, SPEC) as (work, directory):
        launcher, compiler = tools(args, "openmpi")
        program = compiled(args, compiler, "stencil2d", f"{work}/stencil2d")
        clock = compiled(args, compiler, "startup_clock", f"{work}/clock.so", "-shared", "-fPIC")
        # The map is made of a run with messages, and the clock measures runs of the same shape without any.
        sizes = {kind: [program, "8", "8", "8192", exchanges, "1", exchanges] for kind, exchanges in (("full", "3"), ("empty", "0"))}
        job = Job(args, work, directory, "torus:4x4", launcher, sizes["full"], 7, RANKS_A_HOST,
                  options=["-x", f"LD_PRELOAD={clock}", "--map-by", "node"])
        job.learnt()
        job.launch = [*job.start, *sizes["empty"]]
        default, mapped = [], []
        for _ in range(args.runs):
            default.append(milliseconds(job.run(job.launch)))
            mapped.append(milliseconds(job.mapped()))
    found = {"default": statistics.median(default), "mapped": statistics.median(mapped)}
    return {**found, "added": found["mapped"] - found["default"]}


def milliseconds(done):
    """What the clock printed."""
    return float(re.search(r"^([0-9.]+)$", done.stdout, re.MULTILINE).group(1))

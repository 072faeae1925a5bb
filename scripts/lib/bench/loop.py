"""The benchmark `loop`: see scripts/bench.d/loop."""

import argparse
import json
import math
import os
import random
import re
import signal
import statistics
import sys

from gain_job import NotMeasured, cluster, compiled, tools, verdict
from loop_cluster import SlurmCluster, placed

NETWORK = "torus:3x4@1.25e6,1.25e6"
# The shapes of jobs: hosts, and ranks on each.
SHAPES = [(4, 1), (4, 2), (6, 1), (6, 2), (8, 1), (8, 2)]
# How a shape is asked for.
WORDS = ["-N {hosts} --ntasks-per-node={each}", "-N {hosts} -n {ranks}", "-N {hosts} -n {ranks} --ntasks-per-node={each}"]
# At most as many hosts are drained at a time. The largest shape still fits.
MOST_DRAINED = 4
# A run is slower than the bare one from this ratio on.
SLOWER = 1.05
LAMMPS_STEPS = 60


def grid(ranks, dimensions):
    """The sizes of a grid of ranks, as equal as they can be, the smallest first."""
    if dimensions == 1:
        return [ranks]
    root = ranks ** (1 / dimensions)
    first = max(size for size in range(1, int(root + 1e-9) + 1) if ranks % size == 0)
    return [first, *grid(ranks // first, dimensions - 1)]


# The arguments of each program for a number of ranks. A bare run takes some seconds.
PROGRAMS = {
    "stencil2d": lambda ranks: [*grid(ranks, 2), 32768, 60],
    "halo3d": lambda ranks: [*grid(ranks, 3), 60000, 40],
    "transpose": lambda ranks: [grid(ranks, 2)[1], 15000, 40],
    "lmp": lambda _: ["-in", "melt.lmp", "-log", "none", "-screen", "none"],
}


def main():
    parser = argparse.ArgumentParser(prog="bench loop")
    parser.add_argument("--built", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scripts", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="pairs of runs (50)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of programs, shapes and drained hosts (1)")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    # The signal becomes an exception, so that the cluster is taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with cluster(args, f"slurm+{NETWORK}") as (work, directory):
            runs = all_runs(args, SlurmCluster(args, work, directory, NETWORK))
    except NotMeasured as why:
        sys.exit(f"NOT MEASURED HERE: {why}")
    totals = summary(runs)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"seed": args.seed, "totals": totals, "runs": runs}, file, indent=1)
    sys.exit(0 if totals["kept"] else 1)


def all_runs(args, slurm):
    """Starts all pairs of runs, and prints a line for each."""
    chance = random.Random(args.seed)
    paths = programs(args, slurm)
    print(f"{'program, hosts, each':20} {'drained':>7} {'bare':>8} {'rankfold':>9} {'ratio':>6} {'around it':>11}  what it did", flush=True)
    runs = []
    for _ in range(args.runs):
        change_drained(slurm, chance)
        program, (hosts, each), asked = chance.choice(list(paths)), chance.choice(SHAPES), chance.choice(WORDS)
        ranks = hosts * each
        srun = ["srun", "--mpi=pmix", "--time=3", f"--task-prolog={slurm.path('start')}", f"--task-epilog={slurm.path('end')}",
                *asked.format(hosts=hosts, each=each, ranks=ranks).split(), paths[program], *map(str, PROGRAMS[program](ranks))]
        ways = {"bare": srun, "rankfold": [os.path.join(args.built, "rankfold"), "run", "--", *srun]}
        order = chance.sample(list(ways), 2)
        launches = {way: slurm.launch(ways[way]) for way in order}
        runs.append(compared(f"{program} {hosts} x {each}", (hosts, ranks), launches, list(slurm.drained)))
    return runs


def programs(args, slurm):
    """The paths of the programs."""
    _, compiler = tools(args, "openmpi")
    paths = {name: compiled(args, compiler, name, slurm.path(name)) for name in PROGRAMS if name != "lmp"}
    with open(os.path.join(args.scripts, "..", "tests", "programs", "melt.lmp")) as file:
        melt = re.sub(r"(?m)^run .*", f"run {LAMMPS_STEPS}", file.read())
    with open(slurm.path("melt.lmp"), "w") as file:
        file.write(melt)
    return {**paths, "lmp": "lmp"}


def change_drained(slurm, chance):
    """Drains a host or resumes one, or neither."""
    what = chance.choice(["drain", "drain", "resume", "neither"])
    if what == "drain" and len(slurm.drained) < MOST_DRAINED:
        slurm.drain(chance.choice([host for host in slurm.hosts if host not in slurm.drained]))
    elif what == "resume" and slurm.drained:
        slurm.resume(chance.choice(slurm.drained))


def compared(name, asked, launches, drained):
    """What a pair of launches shows; prints a line."""
    bare, ours = launches["bare"], launches["rankfold"]
    hosts, ranks = asked
    wanted = bare.shapes[0][0] if bare.shapes else None
    is_wrong = not ours.shapes or any(
        shape != wanted or len(on) != hosts or sum(shape) != ranks or set(on) & set(drained) for shape, on in ours.shapes)
    verified = placed(ours)
    did = ["mapped" if verified else "as launched"]
    did += [word for word, holds in [("WAITED", ours.waits), ("WRONG SHAPE", is_wrong)] if holds]
    if verified and verified[0] != verified[1]:
        did.append("NOT PLACED")
    # A launch that hangs has no time.
    ratio = ours.job_seconds / bare.job_seconds if ours.job_seconds and bare.job_seconds else math.inf
    more = (ours.seconds - ours.job_seconds) - (bare.seconds - bare.job_seconds)
    print(f"{name:20} {len(drained):7} {bare.job_seconds:6.2f} s {ours.job_seconds:7.2f} s {ratio:6.2f} {more:+9.2f} s  {', '.join(did)}", flush=True)
    return {"name": name, "bare": bare.job_seconds, "rankfold": ours.job_seconds, "ratio": ratio, "waits": ours.waits,
            "bare_command": bare.seconds, "rankfold_command": ours.seconds, "more_around_the_job": more,
            "bare_waits": bare.waits, "wrong_shape": is_wrong, "mapped": bool(verified), "first": list(launches)[0],
            "drained": drained, "shapes": ours.shapes, "bare_shapes": bare.shapes, "told": ours.stderr}


def summary(runs):
    """Prints what all runs show, and returns it."""
    by_name = {}
    for run in runs:
        by_name.setdefault(run["name"], []).append(run["ratio"] > SLOWER)
    twice = sorted(name for name, slow in by_name.items() if any(a and b for a, b in zip(slow, slow[1:])))
    mapped = [run for run in runs if run["mapped"]]
    mean = lambda some: math.exp(-statistics.mean(math.log(run["ratio"]) for run in some)) if some else None
    totals = {
        "runs": len(runs), "programs_and_shapes": len(by_name), "mapped": len(mapped),
        "waited": sum(run["waits"] for run in runs), "wrong_shape": sum(run["wrong_shape"] for run in runs),
        "slower_once": sum(run["ratio"] > SLOWER for run in runs), "slower_twice_in_a_row": twice,
        "times_as_fast": mean(runs), "mapped_times_as_fast": mean(mapped),
        "more_around_the_job": statistics.median(run["more_around_the_job"] for run in runs),
    }
    totals["kept"] = not (totals["waited"] or totals["wrong_shape"] or twice)
    print(f"\n{totals['runs']} runs of {totals['programs_and_shapes']} programs and shapes, {totals['mapped']} with a map: on average "
          f"{totals['times_as_fast']:.2f} times as fast as bare, those with a map {totals['mapped_times_as_fast'] or 1:.2f} times; {totals['more_around_the_job']:+.2f} s before and after the job")
    print(verdict(f"{totals['waited']} waited for hosts", not totals["waited"]))
    print(verdict(f"{totals['wrong_shape']} of the wrong shape", not totals["wrong_shape"]))
    print(verdict(f"{totals['slower_once']} more than {SLOWER - 1:.0%} slower than bare, twice in a row: {', '.join(twice) or 'none'}", not twice))
    return totals


if __name__ == "__main__":
    main()

"""Seconds of programs on renumbered ranks, over those on ranks that the launcher places itself."""

import argparse
import json
import os
import re
import statistics
import sys

from gain_job import Job, NotMeasured, cluster, compiled, over_links, tools

SPEC, EACH = "fake:2", 2
# Ranks of one host that do not follow each other: MPICH 4 takes them for ranks of several hosts.
MPIS = ["openmpi", "mpich5"]
# Name, program and its words.
PROGRAMS = [
    ("stencil of 8 KiB", "stencil2d", ["2", "2", "8192", "500"]),
    ("stencil of 256 KiB", "stencil2d", ["2", "2", "262144", "100"]),
    ("allreduce of 8 bytes", "reduces", ["1", "500"]),
    ("allreduce of 512 KiB", "reduces", ["65536", "30"]),
]
WAYS = ["renumber", "native"]
# What lets ranks that wait leave their core to others, as there are fewer cores than ranks.
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}


def launched(args, mpi, work, directory, program, words):
    """A job of two ranks on each of two hosts, and the map that both ways follow."""
    launcher, compiler = tools(args, mpi)
    built = compiled(args, compiler, program, os.path.join(work, f"{program}.{mpi}"))
    hydra = mpi.startswith("mpich")
    options = [] if hydra else ["--bind-to", "none"]
    job = Job(args, work, directory, SPEC, launcher, [built, *words], 1, EACH, options)
    with open(os.path.join(directory, "hosts")) as file:
        hosts = file.read().split()
    if hydra:
        with open(job.path("allocation"), "w") as file:
            file.writelines(f"{host}:{EACH}\n" for host in hosts)
    with open(job.path("map"), "w") as file:
        # Rank 0 stays, where standard input is.
        file.writelines(f"{hosts[host]}\n" for host in [0, 1, 1, 0])
    job.environment.update(YIELDING)
    return over_links(job, mpi)


def seconds(job, way):
    done = job.rankfold("--map", job.path("map"), "--how", way)
    if "placement verified" not in done.stderr:
        raise NotMeasured(f"{way}: {done.stderr.strip().splitlines()[-1]}")
    return float(re.search(r"seconds(?:_per_exchange)?=([0-9.]+)", done.stdout)[1])


def within(ratios):
    """The interval that holds the median with 95 %: pairs are above it or below it by chance."""
    count, chance, outer = len(ratios), 0.0, 0
    term = 0.5**count
    while chance + term <= 0.025:
        chance += term
        term *= (count - outer) / (outer + 1)
        outer += 1
    inner = max(outer - 1, 0)
    ordered = sorted(ratios)
    return ordered[inner], ordered[count - 1 - inner]


def compared(args, job):
    """The pairs of runs, each way first in every second one."""
    pairs = []
    for number in range(args.runs):
        order = WAYS if number % 2 else WAYS[::-1]
        found = {way: seconds(job, way) for way in order}
        pairs.append([found[way] for way in WAYS])
    ratios = [renumbered / native for renumbered, native in pairs]
    low, high = within(ratios)
    return {"ratio": statistics.median(ratios), "low": low, "high": high, "pairs": pairs}


def main():
    parser = argparse.ArgumentParser()
    for name in ["scripts", "built", "json"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=15)
    args = parser.parse_args()
    args.built = os.path.abspath(args.built)
    rows = []
    print(f"{'MPI':10} {'program':22} {'renumbered':>12} {'by launcher':>12} {'ratio':>6}   interval")
    for mpi in MPIS:
        for name, program, words in PROGRAMS:
            if args.only not in mpi:
                continue
            try:
                with cluster(args, SPEC) as (work, directory):
                    row = compared(args, launched(args, mpi, work, directory, program, words))
            except NotMeasured as why:
                print(f"NOT MEASURED HERE: {mpi}, {name}: {why}", flush=True)
                continue
            rows.append({"mpi": mpi, "program": name, **row})
            middle = [statistics.median(times) * 1e6 for times in zip(*row["pairs"])]
            print(f"{mpi:10} {name:22} {middle[0]:9.1f} us {middle[1]:9.1f} us {row['ratio']:6.2f}   "
                  f"{row['low']:.2f} to {row['high']:.2f}", flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"rows": rows}, file, indent=1)
    sys.exit(0 if rows else 1)


main()

"""Programs on machines: wall time in the order as launched and with the map, in turn, and the
bytes of the busiest link."""

import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import time

from gain_job import Job, NotMeasured, cluster, compiled, over_links, tools
from gain_links import busiest, counters

# Name, cluster, and step through the hosts.
MACHINES = [
    ("torus", "torus:4x4@2.5e6,2.5e6", 7),
    ("mesh", "mesh:4x4@2.5e6,2.5e6", 7),
    ("tree", "tree:4x4@2.5e6,5e6", 7),
]
# Name, MPI library, source, and the words of the program after its path. Sizes are chosen so that a
# run takes some seconds.
PROGRAMS = [
    ("stencil2d", "openmpi", "stencil2d", ["4", "4", "32768", "150"]),
    ("halo3d", "openmpi", "halo3d", ["2", "2", "4", "60000", "100"]),
    ("transpose", "openmpi", "transpose", ["4", "20000", "120"]),
    ("allgather in rows", "openmpi", "kernels", ["rows", "4", "20000", "40"]),
    ("allgather in rows, MPICH", "mpich5", "kernels", ["rows", "4", "20000", "40"]),
    ("LAMMPS", "openmpi", None, None),
]
LAMMPS_STEPS = 200


def all(args):
    """Prints a line for every program on every machine, and returns the figures by name."""
    figures = {}
    for program, mpi, source, words in PROGRAMS:
        for machine, spec, step in MACHINES:
            name = f"{program} on a {machine}"
            if not re.search(args.only, name):
                continue
            if not figures:
                print(f"\n{'wall time, scattered hosts':24} {'default':>9} {'mapped':>9} {'gain':>7} {'predicted':>9} "
                      f"{'busiest link: default':>22} {'mapped':>9} {'less':>7}", flush=True)
            try:
                figures[name] = line(name, measured(args, spec, step, mpi, source, words))
            except NotMeasured as why:
                print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
                figures[name] = None
    return figures


def measured(args, spec, step, mpi, source, words):
    with cluster(args, spec) as (work, directory):
        launcher, compiler = tools(args, mpi)
        command = lammps(args, work) if source is None else [compiled(args, compiler, source, f"{work}/{source}"), *words]
        options = ["-x", "OMP_NUM_THREADS=1"] if mpi == "openmpi" else []
        job = over_links(Job(args, work, directory, spec, launcher, command, step, options=options), mpi)
        predicted = job.learnt()
        default, mapped, figures = [], [], job.path("figures.json")
        for _ in range(args.runs):
            default.append(observed(job, spec, lambda: job.run(job.launch))[1])
            mapped.append(with_the_map(job, spec, figures))
        with open(figures) as file:
            told = json.load(file)
        in_launched_order = launched_congestion(args, job, step)
    of = lambda runs, key: statistics.median(run[key] for run in runs)
    return {
        "default": of(default, "wall"), "mapped": of(mapped, "wall"), "predicted": predicted,
        "default_bytes": of(default, "bytes"), "mapped_bytes": of(mapped, "bytes"),
        # The prediction is of seconds. The bytes are those of the link that was measured to be the
        # busiest.
        "predicted_default_bytes": in_launched_order * default[0]["rate"],
        "predicted_mapped_bytes": told["max_congestion"] * mapped[0]["rate"],
        "runs": args.runs, "default_runs": default, "mapped_runs": mapped,
    }


def launched_congestion(args, job, step):
    """The predicted seconds of the busiest link in the order as launched, one rank a host in
    steps through the hosts."""
    [profile] = glob.glob(job.path("cache/rankfold/*/maps/*/profile.rfp"))
    with open(job.path("launched"), "w") as file:
        file.writelines(f"{rank * step % job.ranks}\n" for rank in range(job.ranks))
    words = ["eval", profile, "--machine", job.path("site.toml"), "--placement", job.path("launched"),
             "--json", job.path("launched.json")]
    subprocess.run([os.path.join(args.built, "rankfold-map"), *words], check=True, capture_output=True)
    with open(job.path("launched.json")) as file:
        return json.load(file)["max_congestion"]


def lammps(args, work):
    """Debian's LAMMPS with the input of the tests and more steps."""
    if not shutil.which("lmp"):
        raise NotMeasured("lmp is not installed (Debian package lammps)")
    with open(os.path.join(args.scripts, "..", "tests", "programs", "melt.lmp")) as file:
        melt = re.sub(r"(?m)^run .*", f"run {LAMMPS_STEPS}", file.read())
    path = os.path.join(work, "melt.lmp")
    with open(path, "w") as file:
        file.write(melt)
    return ["lmp", "-in", path, "-log", "none"]


def with_the_map(job, spec, figures):
    """What is observed of a later run with the map. A run that measures the order as launched
    again does not count."""
    for _ in range(3):
        done, seen = observed(job, spec, lambda: job.rankfold("--json", figures))
        if "placement verified" in done.stderr:
            return seen
    raise NotMeasured(f"not verified: {done.stderr}")


def observed(job, spec, run):
    """A run that ended, with its wall seconds, and the bytes and the rate of its busiest link."""
    before, start = counters(job, spec), time.monotonic()
    done = run()
    wall = time.monotonic() - start
    sent, rate = busiest(spec, before, counters(job, spec))
    return done, {"wall": wall, "bytes": sent, "rate": rate}


def line(name, it):
    pair = lambda kind: f"{it[f'{kind}_bytes'] / 1e6:.1f} ({it[f'predicted_{kind}_bytes'] / 1e6:.1f}) MB"
    less = it["default_bytes"] / it["mapped_bytes"]
    print(f"{name:24} {it['default']:7.2f} s {it['mapped']:7.2f} s {it['default'] / it['mapped']:6.2f}x {it['predicted']:8.2f}x "
          f"{pair('default'):>22} {pair('mapped'):>17} {less:6.2f}x", flush=True)
    return it

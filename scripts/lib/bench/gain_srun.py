"""The stencil on a shaped torus under Slurm: hosts in a scattered order, and a map followed in both
ways there are."""

import os
import re
import statistics
import subprocess

from gain_job import Job, NotMeasured, cluster, compiled, in_bytes, tools, verdict
from gain_stencil import BYTES, EXCHANGES, seconds

NETWORK = "torus:4x4@2.5e6,2.5e6"
GRID = (4, 4, 1)
STEP = 7
# Name, MPI, how Slurm starts it.
CASES = [("srun, Open MPI", "openmpi", "pmix"), ("srun, MPICH 5", "mpich5", "pmi2")]
# By the launcher's arbitrary distribution, and by renumbering the ranks in MPI_Init.
WAYS = ["native", "renumber"]
PROMISED = 3.5


def all(args):
    """Prints a line for every case and way, and returns the figures by name."""
    cases = [case for case in CASES if re.search(args.only, case[0])]
    if cases:
        print(f"\n{'torus scattered under Slurm':34} {'scattered':>10} {'mapped':>10} {'gain':>7}")
    figures = {}
    for name, mpi, pmi in cases:
        try:
            figures.update(measured(args, name, mpi, pmi))
        except NotMeasured as why:
            print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
            figures[name] = None
    return figures


def measured(args, name, mpi, pmi):
    with cluster(args, f"slurm+{NETWORK}") as (work, directory):
        _, compiler = tools(args, mpi)
        program = compiled(args, compiler, "stencil2d", f"{work}/stencil2d")
        words = [program, *map(str, (*GRID[:2], BYTES, EXCHANGES, GRID[2]))]
        options = ["--distribution=arbitrary", "--quiet", f"--mpi={pmi}"]
        job = Job(args, work, directory, NETWORK, "srun", words, STEP, options=options)
        # With Slurm's default, a process of Open MPI leaves MPI_Init while others are still in it.
        # UCX cannot connect these hosts.
        job.environment.update(SLURM_PMIX_FENCE="ring", MPIR_CVAR_CH4_NETMOD="ofi")
        mapped(args, job)
        default, by_way = [], {way: [] for way in WAYS}
        for _ in range(args.runs):
            default.append(seconds(job.run(job.launch)))
            for way in WAYS:
                done = job.rankfold("--how", way, "--map", job.path("map"))
                if "placement verified" not in done.stderr:
                    raise NotMeasured(f"not verified: {done.stderr}")
                by_way[way].append(seconds(done))
    before = statistics.median(default)
    return {f"{name}, {way}": line(f"{name}, {way}", before, statistics.median(times)) for way, times in by_way.items()}


def mapped(args, job):
    """Profiles the job and maps it."""
    profile = job.path("job.rfp")
    job.run([job.binary(), "profile", "-o", profile, "--", *job.launch])
    mapper = os.path.join(args.built, "rankfold-map")
    hosts = os.path.join(job.cluster, "hosts")
    command = [mapper, "map", profile, "--machine", in_bytes(NETWORK), "--hosts", hosts, "--to", "seq", "-o", job.path("map")]
    subprocess.run(command, check=True, capture_output=True)


def line(name, before, after):
    gain = before / after
    print(f"{name:34} {before * 1e3:7.1f} ms {after * 1e3:7.1f} ms {gain:6.2f}x   {verdict(f'gain {PROMISED}', gain >= PROMISED)}", flush=True)
    return {"default": before, "mapped": after, "gain": gain}

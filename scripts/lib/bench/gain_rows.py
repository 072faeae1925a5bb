"""Collectives in the rows of a grid on a torus with shaped links: their time in the order
as launched and with the map."""

import re

from gain_job import Job, cluster, compiled, over_links, tools
from gain_stencil import figures_of, head, line

# In a ring every rank sends to one other. Routes along a dimension of 8 hosts then load a link with
# up to four of these flows, and along one of 4 hosts with up to two: a ring can gain 4 times on the
# first torus, and twice on the second.
LONG, SQUARE = "torus:8x2@2.5e6,2.5e6", "torus:4x4@2.5e6,2.5e6"
# Name, cluster, MPI library, and step through the hosts.
CASES = [
    ("rows on 8x2", LONG, "openmpi", 9),
    ("rows on 8x2, MPICH 5", LONG, "mpich5", 9),
    ("rows on 4x4", SQUARE, "openmpi", 7),
    ("rows on 4x4, MPICH 5", SQUARE, "mpich5", 7),
]
# The words of the program: four rows of four ranks gather blocks of 160 kB.
WORDS = ["rows", "4", "20000", "10"]
# MPICH sends these blocks around rings. Open MPI does so where it is told to; its own choice is
# recursive doubling.
RING = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_allgather_algorithm": "4"}
# The gain that must be reached, and how far a predicted gain may be from the measured one.
PROMISED, CLOSE = 2.0, 0.15


def all(args):
    """Prints a line for every case, and returns the figures by name."""
    cases = [case for case in CASES if re.search(args.only, case[0])]
    if cases:
        head("allgathers, scattered hosts")
    return {name: line(name, PROMISED, lambda: measured(args, spec, mpi, step), CLOSE) for name, spec, mpi, step in cases}


def measured(args, spec, mpi, step):
    with cluster(args, spec) as (work, directory):
        launcher, compiler = tools(args, mpi)
        program = compiled(args, compiler, "kernels", f"{work}/kernels")
        job = over_links(Job(args, work, directory, spec, launcher, [program, *WORDS], step), mpi)
        job.environment.update(RING)
        return figures_of(job, args.runs)

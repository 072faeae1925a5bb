"""Whole programs of the benchmark `collectives`: what Open MPI reports that it sends, and what is
modelled."""

import os
import shutil

from collectives_mpis import agrees, compare, pairs_in, run

# The name of a program, the number of ranks, and its words; {sources} stands for tests/programs.
KERNELS = [
    ("Fourier transform in pencils", 12, ["{kernels}", "pencils", "4"]),
    ("Fourier transform in planes", 12, ["{kernels}", "planes", "4"]),
    ("sort of integers in buckets", 12, ["{kernels}", "buckets", "4"]),
    ("panels of a factorisation", 12, ["{kernels}", "panels", "4"]),
    ("conjugate gradients", 12, ["{kernels}", "gradient", "4"]),
]
# Debian's LAMMPS is compiled for Debian's Open MPI.
PACKAGED = {"openmpi": [("LAMMPS with charges", 8, ["lmp", "-in", "{sources}/charges.lmp", "-log", "none"])]}
# The model of the only library that reports.
MODEL = "openmpi"


def pairs_of(args, profile, collectives, work):
    """The bytes of every pair with collectives as `collectives` says, without those of messages."""
    matrices = []
    for which in (collectives, "none"):
        output = os.path.join(work, "program.csv")
        run([os.path.join(args.built, "rankfold-map"), "convert", "--collectives", which, profile, output])
        matrices.append(pairs_in(output))
    everything, messages = matrices
    return {pair: bytes - messages.get(pair, 0) for pair, bytes in everything.items()}


def all(args, mpis, work):
    """Prints a line for every program and library. Returns a dictionary for each."""
    sources, cases = os.path.join(args.root, "tests", "programs"), []
    print(f"\n{'library':10s} {'program':30s} {'ranks':>5s} {'sent inside collectives':>24s} {'total':>7s} {'same':>7s}")
    for mpi in mpis:
        kernels = os.path.join(work, f"kernels-{mpi.name}")
        mpi.build(args.root, "kernels.c", kernels)
        for name, ranks, words in KERNELS + PACKAGED.get(mpi.name, []):
            words = [word.format(kernels=kernels, sources=sources) for word in words]
            if not shutil.which(words[0]):
                print(f"NOT TESTED HERE: {name}: {words[0]} is not installed")
                continue
            profile = os.path.join(work, "program.rfp")
            profiled = [os.path.join(args.built, "rankfold"), "profile", "--collectives", "measured", "-o", profile, "--"]
            run([*profiled, *mpi.launch, "-n", str(ranks), *words], {**mpi.environment, "OMP_NUM_THREADS": "1"})
            sent = pairs_of(args, profile, "measured", work)
            total, same = compare(sent, pairs_of(args, profile, MODEL, work))
            print(f"{mpi.name:10s} {name:30s} {ranks:5d} {sum(sent.values()):24d} {total:7.3f} {same:7.3f}")
            cases.append({"mpi": mpi.name, "program": name, "ranks": ranks, "total": total, "same": same, "agrees": agrees(total, same)})
    return cases

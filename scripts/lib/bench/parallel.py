"""The table of `scripts/bench parallel`: PROGRAM MPI LARGE JSON."""

import json
import os
import random
import subprocess
import sys
import tempfile

PROCESSES = [1, 2, 3, 4, 8, 16]
# Hosts of PTRAM's machine in its paper, and leaders that evaluate them.
GPC = "ibcore:hosts=512,leaf=30,up=3,cores=2,line=6,lines=18,spines=9,ls=2"


def tangle(ranks, steps, seed):
    """Messages of a graph without a grid: steps round the ranks and as many at random."""
    dice = random.Random(seed)
    messages = {}
    for source in range(ranks):
        targets = [source + step for step in steps]
        targets += [dice.randrange(ranks) for _ in steps]
        for target in targets:
            if target % ranks != source:
                messages[source, target % ranks] = dice.randrange(1, 1000)
    return messages


def grid(side):
    """Messages of a cube of ranks with its six neighbours, without wrapping round."""
    messages = {}
    for x in range(side):
        for y in range(side):
            for z in range(side):
                rank = (x * side + y) * side + z
                for ahead, inside in ((1, z), (side, y), (side * side, x)):
                    if inside + 1 < side:
                        messages[rank, rank + ahead] = 1000
                        messages[rank + ahead, rank] = 1000
    return messages


def write(path, ranks, messages):
    with open(path, "w") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n")
        file.write(f"{ranks} {ranks} {len(messages)}\n")
        for (source, target), size in messages.items():
            file.write(f"{source + 1} {target + 1} {size}\n")


def launch(program, mpi, processes, words):
    """Runs `map --mpi`. Returns the peak memory of all processes together, in kilobytes."""
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_hwloc_base_binding_policy="none")
    start = [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", str(processes)]
    measured = ["sh", "-c", 'out=$1; shift; exec /usr/bin/time -a -o "$out" -f %M "$@"', "sh"]
    with tempfile.NamedTemporaryFile("r") as memory:
        subprocess.run([*start, *measured, memory.name, program, *words, "--mpi", "--threads", "1"],
                       env=env, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        return sum(int(line) for line in memory.read().split() if line.isdigit())


def table(title, program, mpi, scratch, words, figures):
    print(f"\n{title}")
    print(f"  {'processes':>9} {'dealt out, s':>13} {'busiest, s':>11} {'efficiency':>11} {'sent a process, kB':>19} {'exchanges':>10}")
    told, alone, first = f"{scratch}/json", None, None
    for processes in PROCESSES:
        launch(program, mpi, processes, [*words, "-o", f"{scratch}/map", "--json", told])
        with open(f"{scratch}/map", "rb") as file:
            found = file.read()
        first = first or found
        if found != first:
            sys.exit(f"{processes} processes wrote another map than one")
        with open(told) as file:
            usage = json.load(file)["processes"]
        seconds = [of["dealt_seconds"] for of in usage]
        alone = alone or seconds[0]
        efficiency = alone / (processes * max(seconds))
        sent = max(of["sent_bytes"] for of in usage) / 1000
        exchanges = usage[0]["exchanges"]
        print(f"  {processes:>9} {sum(seconds):>13.2f} {max(seconds):>11.2f} {efficiency:>11.2f} {sent:>19.1f} {exchanges:>10}")
        figures.append({"case": title, "processes": processes, "dealt_seconds": seconds,
                        "efficiency": efficiency, "sent_kilobytes": sent, "exchanges": exchanges})


def main():
    program, mpi, large, out = sys.argv[1:5]
    figures = []
    with tempfile.TemporaryDirectory() as scratch:
        ranks = 512
        write(f"{scratch}/graph.mtx", ranks, tangle(ranks, (1, 8, 64), 1))
        given = ["map", f"{scratch}/graph.mtx"]
        table("PTRAM as published, 512 leaders' nodes", program, mpi, scratch,
              [*given, "--machine", GPC, "--heuristic", "ptram", "--no-refine"], figures)
        table("auto, torus:8x8x8, balanced", program, mpi, scratch,
              [*given, "--machine", "torus:8x8x8"], figures)
        table("auto, torus:8x8x8, best", program, mpi, scratch,
              [*given, "--machine", "torus:8x8x8", "--effort", "best"], figures)
        if int(large):
            side = round(int(large) ** (1 / 3))
            write(f"{scratch}/large.mtx", side**3, grid(side))
            words = ["map", f"{scratch}/large.mtx", "--machine", f"torus:{side}x{side}x{side}", "--effort", "fast"]
            for processes in (1, 4):
                kilobytes = launch(program, mpi, processes, [*words, "-o", f"{scratch}/map"])
                print(f"\n{side}^3 ranks, {processes} processes: {kilobytes / 1024**2:.2f} GiB in all")
                figures.append({"case": f"{side}^3", "processes": processes, "kilobytes": kilobytes})
    if out:
        with open(out, "w") as file:
            json.dump(figures, file, indent=1)


main()

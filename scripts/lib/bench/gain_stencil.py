"""A stencil on shaped links: the loop alone, with the machine told by the site, or measured by
`rankfold probe`."""

import re
import shutil
import statistics
import time

from gain_job import Job, NotMeasured, cluster, compiled, over_links, tools, verdict

# Name, cluster, MPI, step through the hosts, grid, whether the grid is periodic, and the gain that
# must be reached.
CASES = [
    ("torus scattered", "torus:4x4@2.5e6,2.5e6", "openmpi", 7, (4, 4, 1), 4.0),
    ("mesh scattered", "mesh:4x4@2.5e6,2.5e6", "openmpi", 7, (4, 4, 0), 1.3),
    ("tree in order", "tree:4x4@2.5e6,5e6", "openmpi", 1, (4, 4, 0), 1.8),
    ("torus scattered, MPICH 5", "torus:4x4@2.5e6,2.5e6", "mpich5", 7, (4, 4, 1), 4.0),
    ("tree in order, MPICH 5", "tree:4x4@2.5e6,5e6", "mpich5", 1, (4, 4, 0), 1.8),
]
# The share of the gain that must be reached where a probe has measured the machine.
PROBED_SHARE = 0.9
BYTES, EXCHANGES = 32768, 10
# How far a predicted gain may be from the measured one.
CLOSE = 0.2
# Seconds that the command may take before the launcher starts.
SOON = 0.3


def all(args, parts):
    """Prints a line for every case, and returns the figures by name."""
    cases = [case for case in CASES if re.search(args.only, case[0])]
    if cases:
        head("on shaped links")
    figures = {}
    for name, spec, mpi, step, grid, promised in cases:
        if "cluster" in parts:
            figures[name] = line(name, promised, lambda: told(args, spec, mpi, step, grid))
        if "probed" in parts and mpi == "openmpi":
            known = figures.get(name)
            least = PROBED_SHARE * known["gain"] if known else PROBED_SHARE * promised
            figures[f"{name}, probed"] = line(f"{name}, probed", least, lambda: probed(args, spec, mpi, step, grid))
    return figures


def head(title):
    print(f"{title:34} {'default':>10} {'mapped':>10} {'gain':>7} {'predicted':>10} {'off':>6} {'before':>8}", flush=True)


def job(args, work, directory, spec, mpi, step, grid):
    launcher, compiler = tools(args, mpi)
    rows, columns, periodic = map(str, grid)
    program = f"{work}/stencil2d"
    compiled(args, compiler, "stencil2d", program)
    words = [program, rows, columns, str(BYTES), str(EXCHANGES), periodic]
    return over_links(Job(args, work, directory, spec, launcher, words, step), mpi)


def told(args, spec, mpi, step, grid):
    with cluster(args, spec) as (work, directory):
        return figures_of(job(args, work, directory, spec, mpi, step, grid), args.runs)


def probed(args, spec, mpi, step, grid):
    """A run without a machine file, which finds the measured machine in the cache."""
    if not shutil.which("chrt"):
        raise NotMeasured("chrt is not installed")
    with cluster(args, spec) as (work, directory):
        one = job(args, work, directory, spec, mpi, step, grid)
        del one.environment["RANKFOLD_TOPOLOGY"]
        # All hosts share this machine. Latencies of microseconds can only be measured on a core
        # that runs nothing else.
        alone = ["chrt", "-r", "1", "taskset", "-c", "0"]
        one.run([*alone, one.binary(), "probe", "--time", "45", "-o", one.path("machine.toml"), "--", *one.start])
        return figures_of(one, args.runs)


def figures_of(one, runs):
    predicted = one.learnt()
    default, mapped = [], []
    for _ in range(runs):
        default.append(seconds(one.run(one.launch)))
        second = one.mapped()
        mapped.append(seconds(second))
    said = re.search(r"(?:promised: (?:up to )?|communication )([0-9.]+) (?:x in communication|times as fast)", second.stderr)
    start = time.monotonic()
    one.rankfold("--dry-run")
    dry = time.monotonic() - start
    start = time.monotonic()
    one.run(["true"])
    return {
        "default": statistics.median(default), "mapped": statistics.median(mapped), "predicted": predicted,
        "told": float(said.group(1)) if said else None, "before": dry - (time.monotonic() - start),
    }


def seconds(done):
    """Seconds of an exchange, as the program prints them."""
    return float(re.search(r"seconds_per_exchange=([0-9.]+)", done.stdout).group(1))


def line(name, promised, measure, close=CLOSE):
    try:
        figures = measure()
    except NotMeasured as why:
        print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
        return None
    gain = figures["default"] / figures["mapped"]
    off = figures["predicted"] / gain - 1
    figures.update(gain=gain, off=off)
    verdicts = [verdict(f"gain {promised:.2g}", gain >= promised), verdict(f"predicted within {close:.0%}", abs(off) <= close),
                verdict(f"before the launch {SOON} s", figures["before"] <= SOON)]
    print(f"{name:34} {figures['default'] * 1e3:7.1f} ms {figures['mapped'] * 1e3:7.1f} ms {gain:6.2f}x "
          f"{figures['predicted']:9.1f}x {off:+6.0%} {figures['before']:6.2f} s   {'; '.join(verdicts)}", flush=True)
    return figures

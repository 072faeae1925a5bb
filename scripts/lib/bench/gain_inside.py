"""What a later run adds inside a program of 64 ranks, between MPI's own start and end.

The ranks are on this host and have the variables that `rankfold run` gives them for a run with a
map: they verify their seats, count, and a sample of them keeps the time. Hosts of the cluster would
add network stacks that two cores cannot serve in time: there the same run differs from itself by
more than is measured here. The program does nothing but start and end, runs take turns, and medians
are compared. Other work on the machine counts in full: nice -n -20 keeps it out."""

import os
import re
import shutil
import statistics
import subprocess
import tempfile

from gain_job import NotMeasured, compiled, tools, verdict

NAME, RANKS = "64 ranks, start to end", 64
# Milliseconds.
MOST = 50
# Time limit of one start, in seconds. On a busy machine a start takes several seconds.
PATIENCE = 120


def all(args):
    """Prints a line for each way by which ranks are placed, and returns the figures by name."""
    if not re.search(args.only, NAME):
        return {}
    print(f"\n{'inside the program':34} {'default':>10} {'mapped':>10} {'added':>10} {'of a core':>10}")
    try:
        figures = measured(args)
    except NotMeasured as why:
        print(f"NOT MEASURED HERE: {NAME}: {why}", flush=True)
        return {NAME: None}
    for name, found in figures.items():
        print(f"{name:34} {found['default']:7.1f} ms {found['mapped']:7.1f} ms {found['added']:+7.1f} ms {found['cpu']:+7.2f} ms   "
              f"{verdict(f'{MOST} ms', found['added'] <= MOST)}", flush=True)
    return figures


def measured(args):
    launcher, compiler = tools(args, "openmpi")
    if not shutil.which(compiler):
        raise NotMeasured(f"{compiler} is not installed")
    with tempfile.TemporaryDirectory(prefix="rankfold-gain.") as work:
        program = compiled(args, compiler, "startup", f"{work}/startup")
        clock = compiled(args, compiler, "startup_clock", f"{work}/clock.so", "-shared", "-fPIC")
        variants = {"default": {"LD_PRELOAD": clock}, **mapped(args, work, clock)}
        launch = [launcher, "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), program]
        starts = {name: [] for name in variants}
        for _ in range(args.runs):
            for name, variables in variants.items():
                starts[name].append(started(launch, variables))
    median = {name: [statistics.median(figures) for figures in zip(*found)] for name, found in starts.items()}
    default, own = median.pop("default")
    return {name: {"default": default, "mapped": elapsed, "added": elapsed - default, "cpu": cpu - own}
            for name, (elapsed, cpu) in median.items()}


def mapped(args, work, clock):
    """The variables of a run with a map, for a placement by the launcher and for one by
    renumbering."""
    plan = os.path.join(work, "plan")
    with open(plan, "w") as file:
        file.write("rankfold-plan 1 0\nshuffle 1\n")
    counting = {"RANKFOLD_PROFILE": f"{work}/profile.rfp", "RANKFOLD_RUN": "gain", "RANKFOLD_TIME": "sample",
                "RANKFOLD_SEATS": f"{work}/seats"}
    libraries = [os.path.join(args.built, name) for name in ("librankfold.so", "librankfold_world.so")]
    return {
        f"{NAME}, launcher": {"LD_PRELOAD": ":".join([libraries[0], clock]), **counting},
        f"{NAME}, renumbered": {"LD_PRELOAD": ":".join([*libraries, clock]), **counting, "RANKFOLD_WORLD": plan},
    }


def started(launch, variables):
    """What the clock printed of one start: milliseconds elapsed, and of a core."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    # The launcher itself is left alone.
    exported = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    words = [launch[0], *exported, *launch[1:]]
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"a start took more than {PATIENCE} s") from None
    told = re.search(r"^([0-9.]+)\ncpu ([0-9.]+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not told:
        raise NotMeasured(f"the program failed: {done.stderr[-1000:]}")
    if "RANKFOLD_PROFILE" in variables and not os.path.exists(variables["RANKFOLD_PROFILE"]):
        raise NotMeasured(f"nothing was profiled: {done.stderr[-1000:]}")
    return [float(figure) for figure in told.groups()]

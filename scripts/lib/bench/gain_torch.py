"""Data-parallel training by PyTorch on Gloo: seconds of a step in a scattered order of hosts, and
with the map."""

import json
import os
import re
import statistics
import subprocess

from gain_job import Job, NotMeasured, cluster, verdict

NAME = "data-parallel training on a tree"
SPEC = "tree:4x4@2.5e6,5e6"
STEP = 7
# PyTorch of Debian, and the words of the program behind the file at which ranks meet: steps, and
# parameters of the model.
PYTHON = "/usr/bin/python3"
STEPS, PARAMETERS = 6, 100000
PROMISED, CLOSE = 1.5, 0.15


def all(args):
    """Prints a line, and returns the figures by name."""
    if not re.search(args.only, NAME):
        return {}
    try:
        figures = measured(args)
    except NotMeasured as why:
        print(f"NOT MEASURED HERE: {NAME}: {why}", flush=True)
        return {NAME: None}
    print(f"\n{'a step of training':34} {'scattered':>21} {'mapped':>21} {'gain':>7}")
    shown = lambda kind: f"{figures[kind]:7.3f} s ({figures['predicted_' + kind]:.3f} s)"
    kept = [verdict(f"gain {PROMISED}", figures["gain"] >= PROMISED), verdict(f"predicted within {CLOSE:.0%}", figures["off"] <= CLOSE)]
    print(f"{NAME:34} {shown('default'):>21} {shown('mapped'):>21} {figures['gain']:6.2f}x   {', '.join(kept)}", flush=True)
    return {NAME: figures}


def measured(args):
    if subprocess.run([PYTHON, "-c", "import torch.distributed"], capture_output=True).returncode != 0:
        raise NotMeasured("PyTorch is not installed: scripts/setup torch")
    with cluster(args, SPEC) as (work, directory):
        job = Training(args, work, directory)
        # The start of the job is in each profile. What a longer one adds is that of its further
        # steps.
        profiles = [job.profiled(steps) for steps in (STEPS, 2 * STEPS)]
        mapper = [os.path.join(args.built, "rankfold-map")]
        machine = ["--machine", job.path("site.toml")]
        words = ["map", profiles[1], *machine, "--hosts", os.path.join(job.cluster, "hosts")]
        for to in ("openmpi4", "nodes"):
            subprocess.run([*mapper, *words, "--to", to, "-o", job.path(to)], check=True, capture_output=True)
        with open(job.path("scattered"), "w") as file:
            file.writelines(f"{rank * STEP % job.ranks}\n" for rank in range(job.ranks))
        figures = {}
        for kind, placement in (("default", "scattered"), ("mapped", "nodes")):
            times = []
            for profile in profiles:
                words = ["eval", profile, *machine, "--placement", job.path(placement), "--json", job.path("figures.json")]
                subprocess.run([*mapper, *words], check=True, capture_output=True)
                with open(job.path("figures.json")) as file:
                    times.append(json.load(file)["predicted_time"]["total"])
            figures[f"predicted_{kind}"] = (times[1] - times[0]) / STEPS
        default, mapped = [], []
        for _ in range(args.runs):
            default.append(job.step(job.trained()))
            mapped.append(job.step(job.trained("--rankfile", job.path("openmpi4"))))
    figures.update(default=statistics.median(default), mapped=statistics.median(mapped), default_runs=default, mapped_runs=mapped)
    figures["gain"] = figures["default"] / figures["mapped"]
    figures["off"] = max(abs(figures[f"predicted_{kind}"] / figures[kind] - 1) for kind in ("default", "mapped"))
    return figures


class Training(Job):
    """The job. Its ranks meet at another file in each run."""

    def __init__(self, args, work, directory):
        super().__init__(args, work, directory, SPEC, "mpirun.openmpi", [], STEP)
        self.script = os.path.join(args.scripts, "..", "tests", "programs", "c10d_training.py")
        self.meetings = 0

    def profiled(self, steps):
        """The profile of a run of so many steps."""
        profile = self.path(f"{steps}.rfp")
        self.run([self.binary(), "profile", "-o", profile, "--", *self.trained(steps=steps)])
        return profile

    def trained(self, *options, steps=STEPS):
        """The launch, with options of the launcher."""
        self.meetings += 1
        program = [PYTHON, self.script, self.path(f"meeting{self.meetings}"), str(steps), str(PARAMETERS)]
        return [*self.start, *options, "-x", "GLOO_SOCKET_IFNAME=fabric0", *program]

    def step(self, words):
        """The seconds of a step that the program prints."""
        printed = self.run(words).stdout
        return float(re.search(r"^step (\S+)", printed, re.MULTILINE).group(1))

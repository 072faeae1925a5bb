"""The cluster of the benchmark `loop`: hosts that are drained and resumed, and launches that are
watched."""

import os
import re
import subprocess
import time
from collections import Counter

from gain_job import NotMeasured, in_bytes

# Seconds after which a launch counts as hanging. A run takes some seconds.
PATIENCE = 120
# Every task notes its step, its host and the time before it starts and after it has ended, whoever
# has started it.
NOTE = '#!/bin/sh\necho "{event} $SLURM_JOB_ID.$SLURM_STEP_ID $SLURMD_NODENAME $(date +%s.%N)" >> "{file}"\n'


class Launch:
    """What was seen of one launch."""

    def __init__(self, seconds, stderr, tasks, hangs):
        # Of the whole command, and of the tasks from the start of the first to the end of the last.
        self.seconds, self.job_seconds = seconds, tasks.seconds
        self.stderr, self.shapes, self.hangs = stderr, tasks.shapes, hangs
        self.waits = hangs or "queued and waiting" in stderr


class Tasks:
    """What the tasks of a launch have noted."""

    def __init__(self, notes):
        started = [note[1:3] for note in notes if note[0] == "start"]
        times = [float(note[3]) for note in notes]
        self.seconds = max(times) - min(times) if times else 0.0
        steps = {}
        for step, host in started:
            steps.setdefault(step, Counter())[host] += 1
        # For each step the numbers of ranks on its hosts, the largest first, and the hosts.
        self.shapes = [(sorted(hosts.values(), reverse=True), sorted(hosts)) for _, hosts in sorted(steps.items())]


class SlurmCluster:
    """A cluster with Slurm on it, and one cache of rankfold."""

    def __init__(self, args, work, directory, network):
        self.args, self.work, self.directory = args, work, directory
        with open(os.path.join(directory, "hosts")) as file:
            self.hosts = file.read().split()
        site = self.path("site.toml")
        with open(site, "w") as file:
            file.write(f'network = "{in_bytes(network)}"\nhosts = {self.hosts!r}\n'.replace("'", '"'))
        for event in ["start", "end"]:
            with open(self.path(event), "w") as file:
                file.write(NOTE.format(event=event, file=self.path("tasks")))
            os.chmod(self.path(event), 0o755)
        # With Slurm's default, a process of Open MPI leaves MPI_Init while others are still in it.
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache"), "RANKFOLD_TOPOLOGY": site,
                            "SLURM_PMIX_FENCE": "ring", "OMP_NUM_THREADS": "1"}
        self.drained = []

    def path(self, name):
        return os.path.join(self.work, name)

    def start(self, words, **more):
        command = [os.path.join(self.args.scripts, "cluster"), "run", self.directory, *words]
        return subprocess.run(command, capture_output=True, text=True, env=self.environment, cwd=self.work, **more)

    def ask(self, *words):
        done = self.start(words)
        if done.returncode != 0:
            raise NotMeasured(f"{' '.join(words)} failed: {done.stderr[-1000:]}")
        return done.stdout

    def drain(self, host):
        self.ask("scontrol", "update", f"nodename={host}", "state=drain", "reason=bench")
        self.drained.append(host)

    def resume(self, host):
        self.ask("scontrol", "update", f"nodename={host}", "state=resume")
        self.drained.remove(host)

    def settle(self):
        """Waits until no job is left and every host that is not drained is idle."""
        for _ in range(300):
            states = Counter(self.ask("sinfo", "--noheader", "--Node", "--format", "%t").split())
            if not self.ask("squeue", "--noheader").strip() and states["idle"] == len(self.hosts) - len(self.drained):
                return
            time.sleep(0.1)
        raise NotMeasured(f"the hosts do not become idle: {states}")

    def launch(self, words):
        """A launch, watched."""
        self.settle()
        with open(self.path("tasks"), "w"):
            pass
        start, hangs = time.monotonic(), False
        try:
            done = self.start(words, timeout=PATIENCE)
            stderr = done.stderr
            if done.returncode != 0:
                raise NotMeasured(f"{' '.join(words)} failed: {stderr[-2000:]}")
        except subprocess.TimeoutExpired as late:
            stderr, hangs = (late.stderr or b"").decode(errors="replace"), True
            self.start(["scancel", "--user=root"])
        seconds = time.monotonic() - start
        with open(self.path("tasks")) as file:
            return Launch(seconds, stderr, Tasks([line.split() for line in file]), hangs)


def placed(launch):
    """How many ranks the launch says are where its map has them; None without a map."""
    told = re.search(r"placement verified (\d+)/(\d+)", launch.stderr)
    return told and (int(told.group(1)), int(told.group(2)))

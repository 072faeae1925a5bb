"""The benchmark `gain`: see scripts/bench.d/gain."""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time

import gain_simulated

# Name, cluster, MPI, its launcher and compiler, order of the hosts (step through them), grid and whether it is periodic, gain promised.
CLUSTERS = [
    ("torus scattered", "torus:4x4@2.5e6,2.5e6", "openmpi", 7, (4, 4, 1), 4.0),
    ("tree in order", "tree:4x4@2.5e6,5e6", "openmpi", 1, (4, 4, 0), 1.8),
    ("torus scattered, MPICH 5", "torus:4x4@2.5e6,2.5e6", "mpich5", 7, (4, 4, 1), 3.0),
]
BYTES, EXCHANGES = 32768, 10
# How far a predicted gain may be from the measured one.
CLOSE = 0.2
# What the command may take before the launcher starts, in seconds.
SOON = 0.3


def main():
    parser = argparse.ArgumentParser(prog="bench gain")
    parser.add_argument("--built", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scripts", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help="cases to run, by name")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each kind (5)")
    parser.add_argument("--parts", default="cluster,simulated", metavar="LIST", help="of cluster, simulated")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    parts = args.parts.split(",")
    figures = {}
    if "cluster" in parts:
        print(f"{'on shaped links':28} {'default':>10} {'mapped':>10} {'gain':>7} {'predicted':>10} {'off':>6} {'before':>8}")
        for case in CLUSTERS:
            if re.search(args.only, case[0]):
                figures[case[0]] = on_cluster(args, *case)
    if "simulated" in parts:
        figures.update(gain_simulated.all(os.path.join(args.built, "rankfold-map"), args.only))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)


def on_cluster(args, name, spec, mpi, step, grid, promised):
    """The figures of one case; the loop is `rankfold run -- LAUNCH` alone."""
    launcher, compiler = tools(args.scripts, mpi)
    if not launcher:
        print(f"NOT MEASURED HERE: {name}: scripts/mpis has not installed {mpi}")
        return None
    with tempfile.TemporaryDirectory(prefix="rankfold-gain.") as work:
        cluster = os.path.join(work, "cluster")
        up = subprocess.run([os.path.join(args.scripts, "cluster"), "up", cluster, spec], capture_output=True, text=True)
        if up.returncode != 0:
            print(f"NOT MEASURED HERE: {name}: {up.stderr.strip()}")
            return None
        try:
            job = Job(args, work, cluster, spec, launcher, compiler, step, grid)
            return report(name, job.figures(args.runs), promised)
        finally:
            subprocess.run([os.path.join(args.scripts, "cluster"), "down", cluster])


def tools(scripts, mpi):
    """The launcher and the compiler of an MPI; none if it is not here."""
    if mpi == "openmpi":
        return ["mpirun.openmpi"], "mpicc.openmpi"
    home = os.path.join(scripts, "..", "target", "mpis", mpi, "bin")
    launcher = os.path.join(home, "mpiexec")
    return ([launcher], os.path.join(home, "mpicc")) if os.path.exists(launcher) else (None, None)


class Job:
    """A stencil of one rank a host."""

    def __init__(self, args, work, cluster, spec, launcher, compiler, step, grid):
        self.args, self.work, self.cluster = args, work, cluster
        with open(os.path.join(cluster, "hosts")) as file:
            hosts = file.read().split()
        ranks = len(hosts)
        with open(self.path("allocation"), "w") as file:
            # Hydra and Open MPI both read a bare name as a host, and one rank fits on each.
            file.writelines(f"{hosts[rank * step % ranks]}{'' if 'mpiexec' in launcher[0] else ' slots=1'}\n" for rank in range(ranks))
        # What a site would have written down once: nobody tells the launch.
        with open(self.path("site.toml"), "w") as file:
            file.write(f'network = "{in_bytes(spec)}"\nhosts = {json.dumps(hosts)}\n')
        program = self.path("stencil2d")
        source = os.path.join(args.scripts, "..", "tests", "programs", "stencil2d.c")
        subprocess.run([compiler, "-O2", "-o", program, source], check=True)
        option = "-f" if "mpiexec" in launcher[0] else "--hostfile"
        rows, columns, periodic = map(str, grid)
        sizes = [rows, columns, str(BYTES), str(EXCHANGES), periodic]
        self.launch = [*launcher, "-n", str(ranks), option, self.path("allocation"), program, *sizes]

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, words):
        """What a command on the login node prints."""
        environment = {**os.environ, "RANKFOLD_TOPOLOGY": self.path("site.toml"), "XDG_CACHE_HOME": self.path("cache")}
        command = [os.path.join(self.args.scripts, "cluster"), "run", self.cluster, *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.work)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)} failed: {done.stderr}")
        return done

    def rankfold(self, *options):
        return self.run([os.path.join(self.args.built, "rankfold"), "run", *options, "--", *self.launch])

    def figures(self, runs):
        first = self.rankfold()
        told = re.search(r"predicted to be ([0-9.]+) times", first.stderr)
        if not told:
            raise SystemExit(f"no map is predicted to gain anything: {first.stderr}")
        predicted = float(told.group(1))
        default, mapped = [], []
        for _ in range(runs):
            default.append(seconds(self.run(self.launch)))
            second = self.rankfold()
            if "placement verified" not in second.stderr:
                raise SystemExit(f"not verified: {second.stderr}")
            mapped.append(seconds(second))
        told = re.search(r"communication ([0-9.]+) times as fast", second.stderr)
        start = time.monotonic()
        self.rankfold("--dry-run")
        dry = time.monotonic() - start
        start = time.monotonic()
        self.run(["true"])
        return {
            "default": statistics.median(default), "mapped": statistics.median(mapped), "predicted": predicted,
            "told": float(told.group(1)) if told else None, "before": dry - (time.monotonic() - start),
        }


def in_bytes(spec):
    """The spec with units, so that predictions are in seconds."""
    network, _, rates = spec.partition("@")
    return f"{network}@{','.join(f'{float(rate) / 1e6:g}MB/s' for rate in rates.split(','))}"


def seconds(done):
    """What an exchange took, as the stencil prints it."""
    return float(re.search(r"seconds_per_exchange=([0-9.]+)", done.stdout).group(1))


def report(name, figures, promised):
    gain = figures["default"] / figures["mapped"]
    off = figures["predicted"] / gain - 1
    figures.update(gain=gain, off=off)
    verdict = [f"gain {promised}: {'met' if gain >= promised else 'NOT MET'}",
               f"predicted within {CLOSE:.0%}: {'met' if abs(off) <= CLOSE else 'NOT MET'}",
               f"before the launch {SOON} s: {'met' if figures['before'] <= SOON else 'NOT MET'}"]
    print(f"{name:28} {figures['default'] * 1e3:7.1f} ms {figures['mapped'] * 1e3:7.1f} ms {gain:6.2f}x "
          f"{figures['predicted']:9.1f}x {off:+6.0%} {figures['before']:6.2f} s   {'; '.join(verdict)}", flush=True)
    return figures


if __name__ == "__main__":
    main()

"""What the parts of the benchmark `gain` on shaped links share: clusters, and jobs run with and
without the loop."""

import contextlib
import json
import os
import re
import subprocess
import tempfile


# The share of an Ethernet frame that a program's bytes are: the rest is what Ethernet, IP and TCP
# put before them.
PAYLOAD = 1448 / 1514


# What an MPI needs to send through the links of a shaped cluster. UCX, the choice of MPICH 5,
# cannot connect its hosts.
OVER_LINKS = {"mpich5": {"MPIR_CVAR_CH4_NETMOD": "ofi"}}


class NotMeasured(Exception):
    """The reason why a case has no figures."""


@contextlib.contextmanager
def cluster(args, spec):
    """A scratch directory, and the directory of a cluster in it. The cluster ends with the scratch
    directory."""
    with tempfile.TemporaryDirectory(prefix="rankfold-gain.") as work:
        directory = os.path.join(work, "cluster")
        script = os.path.join(args.scripts, "cluster")
        up = subprocess.run([script, "up", directory, spec], capture_output=True, text=True)
        if up.returncode != 0:
            raise NotMeasured(up.stderr.strip())
        try:
            yield work, directory
        finally:
            subprocess.run([script, "down", directory])


def tools(args, mpi):
    """The launcher and the compiler of an MPI."""
    if mpi == "openmpi":
        return "mpirun.openmpi", "mpicc.openmpi"
    home = os.path.join(args.scripts, "..", "target", "mpis", mpi, "bin")
    launcher = os.path.join(home, "mpiexec")
    if not os.path.exists(launcher):
        raise NotMeasured(f"scripts/mpis has not installed {mpi}")
    return launcher, os.path.join(home, "mpicc")


def compiled(args, compiler, name, target, *options):
    """Builds one of the programs of the tests; its path."""
    source = os.path.join(args.scripts, "..", "tests", "programs", f"{name}.c")
    subprocess.run([compiler, "-O2", *options, "-o", target, source], check=True)
    return target


class Job:
    """A program on all hosts of a cluster, which the launcher takes in steps through them."""

    def __init__(self, args, work, directory, spec, launcher, program, step, ranks_a_host=1, options=()):
        self.args, self.work, self.cluster = args, work, directory
        with open(os.path.join(directory, "hosts")) as file:
            hosts = file.read().split()
        self.ranks = len(hosts) * ranks_a_host
        # Hydra, Slurm and Open MPI all read a bare name as a host, and one rank fits on each.
        hydra, slurm = launcher.endswith("mpiexec"), launcher == "srun"
        slots = "" if hydra or slurm else f" slots={ranks_a_host}"
        with open(self.path("allocation"), "w") as file:
            file.writelines(f"{hosts[number * step % len(hosts)]}{slots}\n" for number in range(len(hosts)))
        # The machine file that a site would name once: the launch itself names none.
        with open(self.path("site.toml"), "w") as file:
            file.write(f'network = "{in_bytes(spec)}"\nhosts = {json.dumps(hosts)}\n')
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache"), "RANKFOLD_TOPOLOGY": self.path("site.toml")}
        option = "-f" if hydra else "--nodelist" if slurm else "--hostfile"
        self.start = [launcher, "-n", str(self.ranks), option, self.path("allocation"), *options]
        self.launch = [*self.start, *program]

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, words):
        """What a command on the login node prints."""
        command = [os.path.join(self.args.scripts, "cluster"), "run", self.cluster, *words]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, cwd=self.work)
        if done.returncode != 0:
            raise NotMeasured(f"{' '.join(words)} failed: {done.stderr[-1000:]}")
        return done

    def rankfold(self, *options):
        """`rankfold run OPTIONS -- LAUNCH`."""
        return self.run([self.binary(), "run", *options, "--", *self.launch])

    def binary(self):
        return os.path.join(self.args.built, "rankfold")

    def learnt(self):
        """The first run, which profiles the program. Returns the predicted gain."""
        first = self.rankfold()
        told = re.search(r"promised with the map: (?:up to )?([0-9.]+) x", first.stderr)
        if not told:
            raise NotMeasured(f"no map is predicted to gain anything: {first.stderr}")
        return float(told.group(1))

    def mapped(self):
        """A later run, with the map."""
        done = self.rankfold()
        if "placement verified" not in done.stderr:
            raise NotMeasured(f"not verified: {done.stderr}")
        return done


def over_links(job, mpi):
    """The same job, with an MPI that sends through the links of a shaped cluster."""
    job.environment.update(OVER_LINKS.get(mpi, {}))
    return job


def in_bytes(spec):
    """The network of a cluster as a machine: with the bytes per second of a program's own, so that
    predictions are in seconds, and with the way that the cluster routes half-way ties."""
    network, at, rates = spec.partition("@")
    speeds = at + ",".join(f"{PAYLOAD * float(rate) / 1e6:g}MB/s" for rate in rates.split(",") if rate)
    kind, _, sizes = network.partition(":")
    has_ties = kind == "torus" and any(int(size) > 2 and int(size) % 2 == 0 for size in sizes.split("x"))
    return network + speeds + ("/ties=+" if has_ties else "")


def verdict(what, met):
    return f"{what}: {'met' if met else 'NOT MET'}"

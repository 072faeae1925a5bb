"""The benchmark `collectives`: see scripts/bench.d/collectives."""

import argparse
import collections
import json
import os
import signal
import sys
import tempfile

import collectives_programs
from choices import some_of
from collectives_mpis import Failed, compare, mpis, pairs_in, run

OPERATIONS = (
    "Bcast,Gather,Gatherv,Scatter,Scatterv,Reduce,Allgather,Allgatherv,Alltoall,Alltoallv,Alltoallw,Allreduce,"
    "Reduce_scatter,Reduce_scatter_block,Scan,Exscan"
).split(",")
REDUCTIONS = "Reduce,Allreduce,Reduce_scatter,Reduce_scatter_block,Scan,Exscan".split(",")
# Sets of calls, by the name that selects them: the blocking operations, their nonblocking forms,
# operators of the program that do not commute or do, and MPI_IN_PLACE.
FORMS = {
    "blocking": OPERATIONS,
    "nonblocking": ["I" + operation.lower() for operation in OPERATIONS],
    "ordered": [f"{operation}/ordered" for operation in REDUCTIONS],
    "own": [f"{operation}/own" for operation in REDUCTIONS],
    "nonblocking-ordered": [f"I{operation.lower()}/ordered" for operation in REDUCTIONS],
    "nonblocking-own": [f"I{operation.lower()}/own" for operation in REDUCTIONS],
    "in-place": ["Allreduce_in_place", "Iallreduce_in_place", "Alltoall_in_place", "Ialltoall_in_place"],
}
SIZES = [8, 64, 512, 4096, 32768, 131072, 524288, 1048576, 4194304]
RANKS = [2, 3, 4, 5, 8, 12, 16, 24, 32, 64]
QUICK_SIZES = [8, 512, 32768, 524288]
QUICK_RANKS = [3, 8]
# On every number of hosts, ranks are dealt to them in blocks and in turn.
HOSTS = [1, 4, 8]
QUICK_HOSTS = [1]
# Where hosts have unequal numbers of ranks, `han` of Open MPI hands most operations over to
# `tuned`. The component that counts stands between the two, so that every call finds the unequal
# numbers out again, with some dozens of bytes that a run without it does not send. Smaller messages
# are not compared there.
LEAST_ON_UNEVEN_HOSTS = 8192
# Bytes per second of the links to the hosts. Only bytes are counted, so that this figure does not
# matter.
LINK = 10**9
# The buffers of all ranks together: bytes.
MOST_MEMORY = 1 << 30
# The root of operations that have one, modulo the number of ranks.
ROOT = 1

# Stands for the operation where a run failed, so that none was compared.
FAILED = "run failed"

# Calls that need not agree: library, operation, and why.
EXCEPTIONS = {
    ("intel", "Scatterv"): "from 8 ranks on it goes along a tree; profiles hold its blocks by root and receiver",
}


def measured(output):
    """From (operation, bytes) to the bytes of every pair, and the calls whose bytes are not
    known."""
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
    return pairs_in(output)


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


def place_of(ranks, hosts, dealt):
    """The host of every rank."""
    each = -(-ranks // hosts)
    return [rank // each if dealt == "block" else rank % hosts for rank in range(ranks)]


def between_hosts(pairs, place):
    return {pair: bytes for pair, bytes in pairs.items() if place[pair[0]] != place[pair[1]]}


def under(args, mpi, ranks, sizes, work, cluster=None, dealt="block"):
    """Compares all calls under one library on one number of ranks. Yields a dictionary for each."""
    program, profile = os.path.join(work, f"sends-{mpi.name}"), os.path.join(work, "sends.rfp")
    if not os.path.exists(program):
        mpi.build(args.root, "collective_sends.c", program, "-rdynamic")
    sizes = [size for size in sizes if 2 * size * ranks * ranks <= MOST_MEMORY]
    hosts = cluster.hosts if cluster else []
    if cluster and ranks % len(hosts) > 0 and mpi.counts_by_monitoring:
        sizes = [size for size in sizes if size >= LEAST_ON_UNEVEN_HOSTS]
    operations = [operation for form in args.forms for operation in FORMS[form]]
    case = [program, ",".join(operations), ",".join(map(str, sizes)), str(ROOT)]
    profiled = [os.path.join(args.built, "rankfold"), "profile", "-o", profile, "--", *mpi.launch]
    if cluster:
        environment = {**mpi.environment, **mpi.between_hosts}
        profiled = cluster.command(environment) + profiled + mpi.on_hosts(hosts, -(-ranks // len(hosts)), dealt)
    pairs, unseen = measured(run([*profiled, "-n", str(ranks), *case], mpi.environment))
    for operation in operations:
        for size in sizes:
            if (operation, size) in unseen:
                continue
            model = modelled(args, profile, f"{operation} {size}", work)
            sent = pairs[operation, size]
            if not mpi.counts_inside(len(hosts) or 1):
                place = place_of(ranks, len(hosts), dealt)
                sent, model = between_hosts(sent, place), between_hosts(model, place)
            total, same = compare(sent, model)
            case = {"mpi": mpi.name, "hosts": len(hosts) or 1, "dealt": dealt, "ranks": ranks}
            case.update(operation=operation, bytes=size)
            yield {**case, "total": total, "same": same, "agrees": mpi.agrees(total, same)}
    for operation, size in sorted(unseen):
        print(f"{mpi.name}, {ranks} ranks: {operation} of {size} bytes is not compared: its datatypes cannot be counted")


def as_far_as_possible(args, mpi, ranks, sizes, work, cluster=None, dealt="block"):
    """As `under`. A run that fails or does not end is told, and counts as calls that do not
    agree."""
    hosts = len(cluster.hosts) if cluster else 1
    which = f"{mpi.name}, {ranks} ranks on {hosts} hosts ({dealt})"
    print(which, file=sys.stderr)
    try:
        yield from under(args, mpi, ranks, sizes, work, cluster, dealt)
    except Failed as failure:
        print(f"{which}: not compared: {failure}", file=sys.stderr)
        case = {"mpi": mpi.name, "hosts": hosts, "dealt": dealt, "ranks": ranks, "operation": FAILED, "bytes": 0}
        yield {**case, "total": 0.0, "same": 0.0, "agrees": False}


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
        if case["operation"] == FAILED:
            print("{mpi}, {ranks} ranks on {hosts} hosts ({dealt}): the run failed".format(**case))
            failed = True
            continue
        why = EXCEPTIONS.get((case["mpi"], case["operation"]))
        failed |= why is None
        call = "{mpi}, {ranks} ranks on {hosts} hosts ({dealt}): {operation} of {bytes} bytes: total {total:.3f}, same {same:.3f}".format(**case)
        print(f"{call}: {why or 'does not agree'}")
    return failed


def numbers(text):
    return [int(word) for word in text.split(",")]


def calls(args, mpi, work):
    """Compares single calls under one library on all numbers of hosts and ranks."""
    sizes = args.sizes or (QUICK_SIZES if args.quick else SIZES)
    numbers_of_ranks = args.ranks or (QUICK_RANKS if args.quick else RANKS)
    for hosts in args.hosts or (QUICK_HOSTS if args.quick else HOSTS):
        if not mpi.counts_inside(hosts) and hosts == 1:
            print(f"NOT TESTED HERE: {mpi.name} on one host sends through shared memory alone, which cannot be counted")
            continue
        if hosts == 1:
            for ranks in numbers_of_ranks:
                yield from as_far_as_possible(args, mpi, ranks, sizes, work)
            continue
        if os.geteuid() != 0:
            print(f"NOT TESTED HERE: {hosts} hosts need root")
            continue
        with Cluster(args, hosts, work) as cluster:
            for ranks in (ranks for ranks in numbers_of_ranks if ranks >= hosts):
                for dealt in ("block", "cyclic"):
                    yield from as_far_as_possible(args, mpi, ranks, sizes, work, cluster, dealt)


def main():
    parser = argparse.ArgumentParser(prog="bench collectives")
    parser.add_argument("--built", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--root", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and numbers of ranks")
    parser.add_argument("--programs", action="store_true", help="whole programs under Open MPI instead of single calls")
    parser.add_argument("--mpis", metavar="LIST", help="libraries: openmpi, openmpi5, mpich, mpich5, intel")
    parser.add_argument("--forms", type=some_of(FORMS), default=["blocking"], metavar="LIST", help=f"forms of calls: {', '.join(FORMS)}; default blocking")
    parser.add_argument("--sizes", type=numbers, metavar="LIST", help="bytes of messages, multiples of 8")
    parser.add_argument("--ranks", type=numbers, metavar="LIST", help="numbers of ranks")
    parser.add_argument("--hosts", type=numbers, metavar="LIST", help="numbers of hosts; several need root")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    # The signal becomes an exception, so that clusters are taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    known = mpis(args.root)
    names = args.mpis.split(",") if args.mpis else [mpi.name for mpi in known]
    for name in names:
        if name not in [mpi.name for mpi in known]:
            parser.error(f"argument --mpis: no library {name!r}")
    chosen = [mpi for mpi in known if mpi.name in names]
    for mpi in chosen:
        if not mpi.is_installed():
            print(f"NOT TESTED HERE: {mpi.name} is not installed")
    installed = [mpi for mpi in chosen if mpi.is_installed()]
    with tempfile.TemporaryDirectory(prefix="rankfold-bench.") as work:
        if args.programs:
            cases = collectives_programs.all(args, [mpi for mpi in installed if mpi.counts_by_monitoring], work)
            failed = not all(case["agrees"] for case in cases)
        else:
            cases = [case for mpi in installed for case in calls(args, mpi, work)]
            show(cases)
            failed = wrong(cases)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(cases, file, indent=1)
    if not cases:
        sys.exit("bench collectives: nothing was compared")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"bench collectives: {failure}")

"""The benchmark `time`: see scripts/bench.d/time."""

import argparse
import json
import os
import re
import tempfile

import time_calibration
import time_cases
import time_placements
import time_simgrid
import time_tables
from time_prediction import told

KIB = 1024
# The size that ranks are placed for, and the one the cases are told for.
SIZE = 256 * KIB
SIZES = [SIZE, 16 * KIB, KIB]
NETWORK = "clean"
WAYS = ["nb", "es", "ph"]
# Correlated and predicted ways: a program that sends blockingly is either of the two, by the size of its messages.
JUDGED = ["nb", "ph"]


def main():
    parser = argparse.ArgumentParser(prog="bench time")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "MACHINE GRAPH" to run')
    parser.add_argument("--sizes", default=SIZES, type=kib, metavar="LIST", help="mean bytes of a message in KiB")
    parser.add_argument("--networks", default=list(time_simgrid.NETWORKS), type=names, metavar="LIST")
    parser.add_argument("--quick", action="store_true", help="a few small cases of 256 KiB on the clean network")
    parser.add_argument("--ours", choices=time_placements.OBJECTIVES, help="our objective to compare")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    # Where there is no objective time, the one nearest to it.
    args.ours = args.ours or next(it for it in time_placements.objectives(args.map) if it in ("time", "congestion"))
    if args.quick:
        args.sizes, args.networks = [SIZE], [NETWORK]
    results = []
    print(time_tables.heading(args.ours), flush=True)
    with tempfile.TemporaryDirectory() as work:
        args.replay = time_simgrid.compile_replay(work)
        nominal = time_calibration.measured(args.replay, work, time_simgrid.NETWORKS["nominal"])
        args.known = {**time_simgrid.NETWORKS, "nominal": nominal}
        for title, machine, name in time_cases.every():
            if re.search(args.only, title) and (title in time_cases.QUICK or not args.quick):
                results.append(Case(args, work, title, machine, name).run())
                print("\n".join(time_tables.lines(results[-1], args.ours, NETWORK, SIZE)), flush=True)
    if not results:
        raise SystemExit(f"no case matches {args.only}")
    print("\n".join(time_tables.summary(results, args.ours)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def kib(text):
    return [int(size) * KIB for size in text.split(",")]


def names(text):
    chosen = text.split(",")
    if not set(chosen) <= set(time_simgrid.NETWORKS):
        raise argparse.ArgumentTypeError(f"choose from {', '.join(time_simgrid.NETWORKS)}")
    return chosen


class Case:
    """One graph on one machine."""

    def __init__(self, args, work, title, machine, name):
        self.args, self.work, self.title, self.machine = args, work, title, machine
        self.ranks, self.messages = time_cases.graph(name, args.instances)
        self.paths = {network: machine.written(work, known) for network, known in args.known.items()}
        self.mappers = {size: self.mapper(size) for size in {SIZE, *args.sizes}}

    def mapper(self, size):
        work = os.path.join(self.work, str(size))
        os.makedirs(work, exist_ok=True)
        messages = time_cases.scaled(self.messages, size)
        return time_placements.Mapper(self.args.map, work, self.machine.cores, self.ranks, messages)

    def run(self):
        """Simulated seconds of everybody, and how figures and predictions agree with them."""
        mapper, machine, path = self.mappers[SIZE], self.machine, self.paths[NETWORK]
        rivals, cpu = time_placements.contestants(mapper, machine, path, self.ranks, self.messages)
        varied = time_placements.varied(mapper, machine, path, self.args.ours, rivals)
        if "scotch" in rivals:
            rivals["scotch by hop-bytes"] = [min(rivals["scotch"], key=lambda it: mapper.judge(path, it)["hop_bytes"])]
        result = {"case": self.title, "ranks": self.ranks, "messages": len(self.messages), "cpu": cpu, "tests": []}
        for network in self.args.networks:
            simulated, loads = self.simulate(self.args.known[network], rivals, varied)
            result["routes agree"] = self.routes_agree(varied, loads, network)
            for size in self.args.sizes:
                figures = [self.mappers[size].judge(self.paths[network], nodes) for nodes in varied]
                for way in WAYS:
                    test = {"network": network, "bytes": size, "way": way}
                    test["seconds"] = {
                        name: min(simulated[tuple(nodes)][way, size] for nodes in placed) for name, placed in rivals.items()
                    }
                    if way in JUDGED:
                        seconds = [simulated[tuple(nodes)][way, size] for nodes in varied]
                        test["judged"] = told(way, figures, seconds)
                    result["tests"].append(test)
        return result

    def simulate(self, network, rivals, varied):
        """By placement: seconds by way and size, and the busiest link's seconds a byte of the mean message."""
        contest = time_placements.distinct(sum(rivals.values(), []))
        others = [nodes for nodes in varied if nodes not in contest]
        simulated, loads = {}, {}
        for placements, ways in (contest, WAYS), (others, JUDGED):
            tests = [(way, size) for way in ways for size in self.args.sizes]
            times, busiest = time_simgrid.replay(
                self.args.replay, self.work, self.machine, network, self.ranks, self.messages, placements, tests
            )
            for nodes, seconds, load in zip(placements, times, busiest):
                simulated[tuple(nodes)] = dict(zip(tests, seconds))
                loads[tuple(nodes)] = load
        return simulated, loads

    def routes_agree(self, placements, loads, network):
        """The share of placements whose busiest link the simulator loads as we do."""
        ours = [self.mappers[SIZE].judge(self.paths[network], nodes)["max_congestion"] for nodes in placements]
        theirs = [loads[tuple(nodes)] * SIZE for nodes in placements]
        return sum(abs(a - b) < 0.01 * b for a, b in zip(ours, theirs)) / len(ours)


if __name__ == "__main__":
    main()

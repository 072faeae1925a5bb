"""The benchmark `time`: see scripts/bench.d/time."""

import argparse
import json
import os
import re
import tempfile

import time_cases
import time_placements
import time_simgrid
import time_tables
from time_prediction import predicted, told

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
    parser.add_argument("--quick", action="store_true", help="a few small cases, one size, one network")
    parser.add_argument("--ours", default="congestion", choices=time_placements.OBJECTIVES, help="our objective to compare")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    sizes, networks = ([SIZE], [NETWORK]) if args.quick else (SIZES, list(time_simgrid.NETWORKS))
    results = []
    print(time_tables.heading(args.ours), flush=True)
    with tempfile.TemporaryDirectory() as work:
        args.replay = time_simgrid.compile_replay(work)
        for title, machine, name in time_cases.every():
            if re.search(args.only, title) and (title in time_cases.QUICK or not args.quick):
                results.append(Case(args, work, title, machine, name).run(networks, sizes))
                print("\n".join(time_tables.lines(results[-1], args.ours, NETWORK, SIZE)), flush=True)
    if not results:
        raise SystemExit(f"no case matches {args.only}")
    print("\n".join(time_tables.summary(results, args.ours)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


class Case:
    """One graph on one machine."""

    def __init__(self, args, work, title, machine, name):
        self.args, self.work, self.title, self.machine = args, work, title, machine
        self.ranks, self.messages = time_cases.graph(name, args.instances)
        self.mappers = {}

    def run(self, networks, sizes):
        """Simulated seconds of everybody, and how figures and predictions agree with them."""
        for size in sizes:
            work = os.path.join(self.work, str(size))
            os.makedirs(work, exist_ok=True)
            messages = time_cases.scaled(self.messages, size)
            self.mappers[size] = time_placements.Mapper(self.args.map, work, self.machine, messages)
        mapper = self.mappers[SIZE]
        rivals, cpu = time_placements.contestants(mapper, self.machine, self.ranks, self.messages)
        varied = time_placements.varied(mapper, self.machine, rivals)
        by_hop_bytes = min(rivals.get("scotch", []), key=lambda nodes: mapper.judge(nodes)["hop_bytes"], default=None)
        if by_hop_bytes:
            rivals["scotch by hop-bytes"] = [by_hop_bytes]
        result = {"case": self.title, "ranks": self.ranks, "messages": len(self.messages), "cpu": cpu, "tests": []}
        for network in map(time_simgrid.NETWORKS.get, networks):
            simulated, loads = self.simulate(network, sizes, rivals, varied)
            result["routes agree"] = self.routes_agree(varied, loads, network)
            for size in sizes:
                forecasts = [self.forecast(nodes, network, size) for nodes in varied]
                for way in WAYS:
                    test = {"network": network.name, "bytes": size, "way": way}
                    test["seconds"] = {
                        name: min(simulated[tuple(nodes)][way, size] for nodes in placed) for name, placed in rivals.items()
                    }
                    if way in JUDGED:
                        seconds = [simulated[tuple(nodes)][way, size] for nodes in varied]
                        test["judged"] = told(way, forecasts, seconds)
                    result["tests"].append(test)
        return result

    def simulate(self, network, sizes, rivals, varied):
        """By placement: seconds by way and size, and the busiest link's seconds a byte of the mean message."""
        contest = time_placements.distinct(sum(rivals.values(), []))
        others = [nodes for nodes in varied if nodes not in contest]
        simulated, loads = {}, {}
        for placements, ways in (contest, WAYS), (others, JUDGED):
            tests = [(way, size) for way in ways for size in sizes]
            times, busiest = time_simgrid.replay(
                self.args.replay, self.work, self.machine, network, self.ranks, self.messages, placements, tests
            )
            for nodes, seconds, load in zip(placements, times, busiest):
                simulated[tuple(nodes)] = dict(zip(tests, seconds))
                loads[tuple(nodes)] = load
        return simulated, loads

    def forecast(self, nodes, network, size):
        return predicted(self.mappers[size].judge(nodes), self.machine, network, time_cases.scaled(self.messages, size))

    def routes_agree(self, placements, loads, network):
        """The share of placements whose busiest link the simulator loads as we do."""
        mapper, mean = self.mappers[SIZE], SIZE
        ours = [predicted(mapper.judge(nodes), self.machine, network, self.messages)["busiest_link"] for nodes in placements]
        theirs = [loads[tuple(nodes)] * mean for nodes in placements]
        return sum(abs(a - b) < 0.01 * b for a, b in zip(ours, theirs)) / len(ours)


if __name__ == "__main__":
    main()

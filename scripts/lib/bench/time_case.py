"""One case of the benchmark `time`: everybody's placements, simulated, and what is predicted of
them."""

import os

import time_cases
import time_placements
import time_simgrid
import time_ties
from time_prediction import EXCHANGES, UNKNOWN, WAY_TOLD, told

# What it is told of a program that sends blockingly: its receives are posted, as in one that posts
# everything.
TOLD = {**EXCHANGES, "es": EXCHANGES["nb"]}

KIB = 1024
# The size that ranks are placed for, and the one the cases are told for.
SIZE = 256 * KIB
SIZES = [SIZE, 16 * KIB, KIB]
NETWORK = "clean"
WAYS = ["nb", "es", "ph"]
# Correlated and predicted ways: a program that sends blockingly is either of the two, by the size
# of its messages.
JUDGED = ["nb", "ph"]
# What a case is run for: everybody's time, and how well the times of varied placements are
# predicted.
PARTS = ["rivals", "prediction"]
# Run only if asked for: see time_ties.
TIES = "ties"


class Case:
    """One graph on one machine. `asked` has programs and measured networks, and what to run: parts,
    networks, sizes."""

    def __init__(self, asked, work, title, machine, name):
        self.asked, self.work, self.title, self.machine = asked, work, title, machine
        self.ranks, self.messages = time_cases.graph(name, asked.instances)
        self.paths = {network: machine.written(asked.map, work, known) for network, known in asked.known.items()}
        self.mappers = {size: self.mapper(size) for size in {SIZE, *asked.sizes}}

    def mapper(self, size):
        work = os.path.join(self.work, str(size))
        os.makedirs(work, exist_ok=True)
        messages = time_cases.scaled(self.messages, size)
        return time_placements.Mapper(self.asked.map, work, self.machine, self.ranks, messages)

    def run(self):
        """Simulated seconds of everybody, and how figures and predictions agree with them."""
        if self.asked.parts == [TIES]:
            return {"case": self.title, "ties": time_ties.compared(self, NETWORK, SIZE)}
        mapper, machine, path, ours = self.mappers[SIZE], self.machine, self.paths[NETWORK], self.asked.ours
        ours_told, at_least = {}, {}
        if "rivals" in self.asked.parts:
            rivals, cpu = time_placements.contestants(mapper, machine, path, self.ranks, self.messages)
            for exchange in sorted(set(TOLD.values())):
                found = mapper.place_told(path, ours, exchange)
                ours_told[exchange], cpu[f"{ours}, {exchange}"], at_least[exchange] = found
        else:
            rivals, cpu = time_placements.by_objectives(mapper, machine, path, [ours, "hop-bytes"])
        varied = []
        if "prediction" in self.asked.parts:
            varied = time_placements.varied(mapper, machine, path, ours, rivals)
        if "scotch" in rivals:
            rivals["scotch by hop-bytes"] = [min(rivals["scotch"], key=lambda it: mapper.judge(path, it)["hop_bytes"])]
        result = {"case": self.title, "ranks": self.ranks, "messages": len(self.messages), "cpu": cpu, "tests": []}
        for network in self.asked.networks:
            simulated, loads = self.simulate(self.asked.known[network], rivals, list(ours_told.values()), varied)
            if varied:
                result["routes agree"] = self.routes_agree(varied, loads, network)
            for size in self.asked.sizes:
                unknown = self.predicted(varied, network, size, UNKNOWN)
                for way in WAYS:
                    test = {"network": network, "bytes": size, "way": way}
                    if "rivals" in self.asked.parts:
                        test["seconds"] = {
                            name: min(simulated[tuple(nodes)][way, size] for nodes in placed)
                            for name, placed in {**rivals, WAY_TOLD: [ours_told[TOLD[way]]]}.items()
                        }
                        if (network, size) == (NETWORK, SIZE):
                            test["at least"] = at_least[TOLD[way]]
                    if varied and way in JUDGED:
                        seconds = [simulated[tuple(nodes)][way, size] for nodes in varied]
                        figures = self.predicted(varied, network, size, EXCHANGES[way])
                        test["judged"] = told(figures, unknown, seconds)
                    result["tests"].append(test)
        return result

    def predicted(self, placements, network, size, exchange):
        """What `eval` says of placements if it is told this way to exchange."""
        options = ["--exchange", exchange]
        return [self.mappers[size].judge(self.paths[network], nodes, options) for nodes in placements]

    def simulate(self, network, rivals, ours_told, varied):
        """By placement: seconds by way and size, and the busiest link's seconds a byte of the mean
        message."""
        contest = time_placements.distinct(sum(rivals.values(), ours_told)) if "rivals" in self.asked.parts else []
        others = [nodes for nodes in varied if nodes not in contest]
        simulated, loads = {}, {}
        for placements, ways in (contest, WAYS), (others, JUDGED):
            if not placements:
                continue
            tests = [(way, size) for way in ways for size in self.asked.sizes]
            times, busiest = time_simgrid.replay(
                self.asked.replay, self.work, self.machine, network, self.ranks, self.messages, placements, tests
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

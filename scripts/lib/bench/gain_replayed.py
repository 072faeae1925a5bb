"""The objective `time` against `hop-bytes` with real packets: the messages of an irregular graph,
replayed on shaped links."""

import json
import math
import os
import re
import statistics
import subprocess

from cases import nodes_in
from gain_job import OVER_LINKS, NotMeasured, cluster, compiled, in_bytes, tools, verdict

# Name, cluster, and the seed of a graph whose placements by hop-bytes and by time differ there.
# Links of 5 Mbit/s: slow enough that the links, not the processors of this machine, are the
# bottleneck. tests/end_to_end/judged.rs has the same cases.
CASES = [
    ("graph on a torus, by time", "torus:4x4@6.25e5,6.25e5", 4),
    ("graph on a tree, by time", "tree:4x4@6.25e5,1.25e6", 26),
]
RANKS, PARTNERS, ITERATIONS = 16, 4, 2
# All messages are below Open MPI's eager limit on TCP, 64 KiB.
MEAN_BYTES, LARGEST = 24576, 60000
# Two placements whose predictions differ by less than this share may be measured in either order.
CLEARLY = 1.3
# Measured time cannot be below the predicted time but by the rounding of the clock.
LEAST = 0.8
OBJECTIVES = ["time", "hop-bytes"]


def all(args):
    """Prints a line for every case, and returns the figures by name."""
    cases = [case for case in CASES if re.search(args.only, case[0])]
    if cases:
        print(f"\n{'an exchange, replayed':34} {'hop-bytes':>10} {'time':>10} {'gain':>7} {'predicted':>10}")
    figures = {}
    for name, spec, seed in cases:
        try:
            figures[name] = line(name, measured(args, spec, seed))
        except NotMeasured as why:
            print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
            figures[name] = None
    return figures


def measured(args, spec, seed, objectives=OBJECTIVES, mpi="openmpi"):
    """Predicted and measured seconds of an exchange, and the host of every rank.

    Both are told for block order and for the placement of each objective.
    """
    launcher, compiler = tools(args, mpi)
    with cluster(args, spec) as (work, directory):
        graph = os.path.join(work, "graph.mtx")
        with open(graph, "w") as file:
            file.write(matrix_market(geometric(seed)))
        block = os.path.join(work, "block")
        with open(block, "w") as file:
            file.writelines(f"{rank}\n" for rank in range(RANKS))
        common = ["--machine", in_bytes(spec), "--exchange", "all"]
        predicted = {"block": predict(args, work, ["eval", graph, *common, "--placement", block])}
        for objective in objectives:
            placement = os.path.join(work, objective)
            words = ["map", graph, *common, "--objective", objective, "--to", "nodes", "-o", placement]
            predicted[objective] = predict(args, work, words)
        program = compiled(args, compiler, "replay", f"{work}/replay")
        hosts = os.path.join(directory, "hosts")
        places = {name: os.path.join(work, name) for name in predicted}
        a_rank_a_host = ["--hostfile", hosts, "--map-by", "node"] if mpi == "openmpi" else ["-f", hosts, "-ppn", "1"]
        command = [os.path.join(args.scripts, "cluster"), "run", directory, launcher, "-n", str(RANKS), *a_rank_a_host,
                   program, graph, str(args.runs), str(ITERATIONS), *places.values()]
        environment = {**os.environ, **OVER_LINKS.get(mpi, {})}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise NotMeasured(done.stderr[-1000:])
        hosts_of_ranks = {name: nodes_in(path) for name, path in places.items()}
    rounds = [[] for _ in predicted]
    for row in done.stdout.splitlines():
        number, seconds = row.split()
        rounds[int(number)].append(float(seconds))
    return {name: {"predicted": seconds, "measured": times, "hosts": hosts_of_ranks[name]}
            for (name, seconds), times in zip(predicted.items(), rounds)}


def predict(args, work, words):
    """The seconds that a command of the mapper predicts."""
    figures = os.path.join(work, "figures.json")
    subprocess.run([os.path.join(args.built, "rankfold-map"), *words, "--json", figures], check=True, capture_output=True)
    with open(figures) as file:
        return json.load(file)["predicted_time"]["total"]


def geometric(seed):
    """Bytes by sender and receiver: random points in a square, each with its nearest ones."""
    state, mask = seed * 0x9E3779B97F4A7C15 & (1 << 64) - 1, (1 << 64) - 1

    def draw():
        # Marsaglia's xorshift64, as a number from 0 to 1.
        nonlocal state
        state ^= state << 13 & mask
        state ^= state >> 7
        state ^= state << 17 & mask
        return (state >> 11) / (1 << 53)

    points = [(draw(), draw()) for _ in range(RANKS)]
    weights = {}
    for i, point in enumerate(points):
        others = sorted((j for j in range(RANKS) if j != i), key=lambda j: math.dist(point, points[j]))
        for j in others[:PARTNERS]:
            weights[i, j] = weights[j, i] = 8 ** draw()
    mean = statistics.mean(weights.values())
    return {pair: int(min(weight / mean * MEAN_BYTES, LARGEST)) for pair, weight in sorted(weights.items())}


def matrix_market(graph):
    entries = "".join(f"{i + 1} {j + 1} {size}\n" for (i, j), size in graph.items())
    return f"%%MatrixMarket matrix coordinate integer general\n{RANKS} {RANKS} {len(graph)}\n{entries}"


def line(name, placements):
    by_time, by_hop_bytes = (placements[objective] for objective in OBJECTIVES)
    before, after = (statistics.median(it["measured"]) for it in (by_hop_bytes, by_time))
    gain, predicted = before / after, by_hop_bytes["predicted"] / by_time["predicted"]
    # Of the same round, so that other work of the machine hits both alike.
    wrong = [f"{fast} and {slow}" for fast, one in placements.items() for slow, other in placements.items()
             if other["predicted"] > CLEARLY * one["predicted"]
             and statistics.median(b / a for a, b in zip(one["measured"], other["measured"])) <= 1]
    least = min(statistics.median(it["measured"]) / it["predicted"] for it in placements.values())
    verdicts = [verdict(f"predicted gain {CLEARLY}", predicted > CLEARLY),
                verdict(f"what is predicted to be {CLEARLY} times as fast is faster", not wrong),
                verdict(f"no faster than {LEAST} of the prediction", least > LEAST)]
    print(f"{name:34} {before * 1e3:7.1f} ms {after * 1e3:7.1f} ms {gain:6.2f}x {predicted:9.1f}x   {'; '.join(verdicts)}", flush=True)
    return {"placements": placements, "gain": gain, "predicted": predicted}

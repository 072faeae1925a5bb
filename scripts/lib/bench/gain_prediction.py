"""Predicted against measured seconds: pairs of a program and a placement, with real packets on
shaped links."""

import math
import re
import statistics

import gain_crowding
from gain_crowding import CLOSE
from gain_job import NotMeasured, verdict
from gain_replayed import measured

TORUS, TREE = "torus:4x4@6.25e5,6.25e5", "tree:4x4@6.25e5,1.25e6"
# MPI, network, cluster, and seeds of random geometric graphs: a dozen graphs for Open MPI, a third
# as many for MPICH 5. Seeds 4, 15 and 18 of the torus and 3 and 26 of the tree were chosen by hand
# before anything was measured here; all others are the smallest numbers.
CASES = [
    ("openmpi", "torus", TORUS, [4, 15, 18, 1, 2, 3, 5, 6]),
    ("openmpi", "tree", TREE, [3, 26, 1, 2]),
    ("mpich5", "torus", TORUS, [4, 1, 2]),
    ("mpich5", "tree", TREE, [26]),
]
# With block order, four placements of every graph.
OBJECTIVES = ["time", "hop-bytes", "congestion"]
# The share of the pairs whose predictions should be close.
SHARE = 0.9
# The most that placements for time should take over the time of others, as a geometric mean over
# the graphs.
AIMS = {"hop-bytes": 0.83, "block": 0.60}


def all(args):
    """Prints a line for every pair and a verdict on all of them, and returns the figures by
    name."""
    figures = {}
    for mpi, network, spec, seeds in CASES:
        for seed in seeds:
            name = f"graph {seed} on a {network}, {mpi}"
            if not re.search(args.only, name):
                continue
            if not figures:
                print(f"\n{'an exchange, predicted':42} {'predicted':>10} {'measured':>10} {'range':>19} {'off':>6}")
            try:
                placements = measured(args, spec, seed, OBJECTIVES, mpi)
            except NotMeasured as why:
                print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
                continue
            for placement, it in placements.items():
                about = {"mpi": mpi, "network": network, "cluster": spec, "seed": seed, "placement": placement}
                figures[f"{name}, {placement}"] = {**about, **line(f"{name}, {placement}", it)}
    for mpi in dict.fromkeys(it["mpi"] for it in figures.values()):
        summary(mpi, [it for it in figures.values() if it["mpi"] == mpi])
    gain_crowding.summary(list(figures.values()))
    return figures


def line(name, pair):
    times = pair["measured"]
    middle = statistics.median(times)
    off = pair["predicted"] / middle - 1
    spread = f"{min(times) * 1e3:.1f} to {max(times) * 1e3:.1f} ms"
    print(f"{name:42} {pair['predicted'] * 1e3:7.1f} ms {middle * 1e3:7.1f} ms {spread:>19} {off:+6.0%}", flush=True)
    return {**pair, "median": middle, "off": off}


def summary(mpi, pairs):
    """Prints how many pairs of one MPI are predicted closely, and what placing for time is
    worth."""
    close = sum(abs(it["off"]) <= CLOSE for it in pairs)
    met = close >= SHARE * len(pairs)
    print(f"{mpi}: {close} of {len(pairs)} pairs   {verdict(f'{SHARE:.0%} predicted within {CLOSE:.0%}', met)}")
    times = {(it["network"], it["seed"], it["placement"]): it["median"] for it in pairs}
    for other, aim in AIMS.items():
        ratios = [times[*graph, "time"] / seconds for (*graph, placement), seconds in times.items() if placement == other]
        mean = math.exp(statistics.mean(map(math.log, ratios)))
        print(f"{mpi}: placed for time over {other}: {mean:.3f}   {verdict(f'at most {aim}', mean <= aim)}", flush=True)

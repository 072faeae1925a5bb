"""Predicted against measured seconds: pairs of a program and a placement, with real packets on shaped links."""

import re
import statistics

from gain_job import NotMeasured, verdict
from gain_replayed import measured

# Name, cluster, and seeds of random geometric graphs. The first seed of each is that of the part `replayed`; the others are
# chosen by hand.
CASES = [
    ("torus", "torus:4x4@6.25e5,6.25e5", [4, 18, 15]),
    ("tree", "tree:4x4@6.25e5,1.25e6", [26, 3]),
]
# With block order, four placements of every graph.
OBJECTIVES = ["time", "hop-bytes", "congestion"]
# A prediction is close if it is off by at most this share of what was measured, and this share of the pairs should be.
CLOSE, SHARE = 0.1, 0.9


def all(args):
    """Prints a line for every pair and a verdict on all of them, and returns the figures by name."""
    print(f"\n{'an exchange, predicted':34} {'predicted':>10} {'measured':>10} {'range':>19} {'off':>6}")
    figures = {}
    for network, spec, seeds in CASES:
        for seed in seeds:
            name = f"graph {seed} on a {network}"
            if not re.search(args.only, name):
                continue
            try:
                placements = measured(args, spec, seed, OBJECTIVES)
            except NotMeasured as why:
                print(f"NOT MEASURED HERE: {name}: {why}", flush=True)
                continue
            for placement, it in placements.items():
                figures[f"{name}, {placement}"] = line(f"{name}, {placement}", it)
    if figures:
        close = [abs(it["off"]) <= CLOSE for it in figures.values()]
        met = sum(close) >= SHARE * len(close)
        print(f"{sum(close)} of {len(close)} pairs   {verdict(f'{SHARE:.0%} predicted within {CLOSE:.0%}', met)}", flush=True)
    return figures


def line(name, pair):
    times = pair["measured"]
    middle = statistics.median(times)
    off = pair["predicted"] / middle - 1
    spread = f"{min(times) * 1e3:.1f} to {max(times) * 1e3:.1f} ms"
    print(f"{name:34} {pair['predicted'] * 1e3:7.1f} ms {middle * 1e3:7.1f} ms {spread:>19} {off:+6.0%}", flush=True)
    return {**pair, "median": middle, "off": off}

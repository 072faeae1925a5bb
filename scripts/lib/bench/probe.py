"""The benchmark `probe`: see scripts/bench.d/probe."""

import argparse
import json
import re
import statistics
import subprocess
import sys

NOISES = [0.02, 0.05, 0.10, 0.20]
# Network, its nodes, and what the best fit must reach at each of these noises: the share of links
# that are right, or the adjusted Rand index of each level's groups, the outermost level first.
# None: no goal.
CASES = [
    ("torus:4x4", 16, [1, 1, None, None]),
    ("torus:4x4x4", 64, [1, 1, 1, None]),
    ("torus:8x8", 64, [1, 1, 1, None]),
    ("mesh:8x8", 64, [1, 1, 1, None]),
    ("torus:16x16", 256, [1, 1, 1, 0.99]),
    ("torus:8x8x4", 256, [1, 1, 1, 0.99]),
    ("mesh:16x16", 256, [1, 1, 1, None]),
    ("torus:8x8x8", 512, [1, 1, 1, 0.99]),
    ("tree:8x8", 64, [[1], [1], [0.97], None]),
    ("tree:16x16", 256, [[1], [1], [0.97], None]),
    ("tree:4x4x4", 64, [[1, 1], [1, 0.99], [1, 0.28], None]),
    ("tree:8x4x8", 256, [[1, 1], [1, 1], [1, 0.9], None]),
    ("tree:8x8x8", 512, [[1, 1], [1, 1], [1, 0.18], None]),
    ("dragonfly:4,4,2,8", 128, [[1], [1], [1], [0.5]]),
]
# A mean that is below its goal by less than this counts as reaching it, since figures are printed
# to the hundredth.
ROUNDING = 0.005


def main():
    parser = argparse.ArgumentParser(prog="bench probe")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help="networks to simulate")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="simulations of each (5); of 512 nodes 2 at most")
    parser.add_argument("--largest", type=int, default=512, metavar="NODES", help="leave larger networks out")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    print("best fit (promised) at a noise of")
    print(f"{'network':20} {'nodes':>5}" + "".join(f"{f'{noise:.0%}':>24}" for noise in NOISES) + f"{'a decision':>12}")
    figures, missed, wrong = [], [], []
    for network, nodes, promises in CASES:
        if nodes > args.largest or not re.search(args.only, network):
            continue
        cells, seconds = [], []
        for noise, promised in zip(NOISES, promises):
            runs = simulated(args.program, network, noise, min(args.seeds, 2) if nodes > 256 else args.seeds)
            fit = [statistics.mean(level) for level in zip(*(run["fit"] for run in runs))]
            promised = promised if promised is None or isinstance(promised, list) else [promised]
            if promised and any(level + ROUNDING < goal for level, goal in zip(fit, promised)):
                missed.append(f"{network} at {noise:.0%}: {told(fit)}, promised {told(promised)}")
            wrong += [f"{network} at {noise:.0%}" for run in runs if run["written"] == "sure" and min(run["right"]) < 0.99]
            sure, coarse = (sum(run["written"] == kind for run in runs) for kind in ("sure", "coarse"))
            cells.append(f"{told(fit)}{f' ({told(promised)})' if promised else ''} {sure}+{coarse}/{len(runs)}")
            seconds += [run["seconds"] for run in runs]
            figures.append({"network": network, "noise": noise, "fit": fit, "promised": promised, "runs": runs})
        print(f"{network:20} {nodes:5}" + "".join(f"{cell:>24}" for cell in cells) + f"{statistics.median(seconds):10.2f} s", flush=True)
    print("a+b/n: of n simulations a were written as sure, b as coarse levels only, the others refused")
    print(f"promises: {'all kept' if not missed else 'NOT KEPT: ' + '; '.join(missed)}")
    print(f"written as sure and wrong: {'never' if not wrong else ', '.join(wrong)}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)


def simulated(program, network, noise, seeds):
    """The figures of a network, one a seed."""
    done = subprocess.run([program, network, str(noise), str(seeds)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench probe: {network}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def told(levels):
    """Shares, as people write them."""
    return "/".join(f"{level:.2f}".removeprefix("0") if level < 0.995 else "1" for level in levels)


if __name__ == "__main__":
    main()

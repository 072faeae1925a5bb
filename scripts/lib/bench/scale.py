"""The benchmark `irregular --scale`: what large irregular worlds cost, see scripts/bench.d/irregular."""

import argparse
import json
import math
import os
import subprocess
import tempfile

import peers

# Ranks and their machine.
WORLDS = {4096: "torus:16x16x16", 16384: "torus:32x32x16", 65536: "torus:64x32x32", 262144: "torus:64x64x64",
          1048576: "torus:128x128x64"}

# Kinds of the example `instances`: a box, a box with its ranks close to the middle, no box, flat, a few ranks with very
# many partners.
SHAPES = ["geometric", "graded", "aircraft", "flat", "powerlaw"]

MOST_FOR_SCOTCH = 65536
FIRST_IN_FIT = 16384


def main():
    parser = argparse.ArgumentParser(prog="bench irregular --scale")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ranks", default=",".join(map(str, WORLDS)), metavar="LIST")
    parser.add_argument("--shapes", default=",".join(SHAPES), metavar="LIST")
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--skip-peers", action="store_true", help="do not run Scotch")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    print(
        "seconds: wall-clock, from the graph in memory to the map; cpu s and MiB: of the whole run, reading included\n"
        f"{'shape':<10} {'ranks':>8} {'machine':<18} {'messages':>9} {'seconds':>8} {'cpu s':>7} {'MiB':>6} "
        f"{'hops/byte':>9} {'scotch':>8} {'cpu s':>7} {'ratio':>6}"
    )
    results = []
    for shape in args.shapes.split(","):
        for ranks in map(int, args.ranks.split(",")):
            results.append(run(args, shape, ranks))
            print(line(results[-1]), flush=True)
    for shape in args.shapes.split(","):
        met = [r for r in results if r["shape"] == shape and r["ranks"] >= FIRST_IN_FIT]
        if len(met) > 1:
            seconds, cpu = (exponent(met, figure) for figure in ("seconds", "cpu"))
            print(f"{shape}: grows as ranks to the power of {seconds:.2f} in seconds, {cpu:.2f} in CPU time")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def run(args, shape, ranks):
    with tempfile.TemporaryDirectory() as work:
        graph, report = os.path.join(work, "graph.mtx"), os.path.join(work, "report.json")
        with open(graph, "w") as file:
            subprocess.run([args.instances, shape, str(ranks), "1"], check=True, stdout=file)
        command = [args.map, "map", graph, "--machine", WORLDS[ranks], "--effort", args.effort,
                   "--objective", "hop-bytes"]
        cpu, peak = measured([*command, "-o", os.path.join(work, "map"), "--json", report])
        with open(report) as file:
            figures = json.load(file)
        with open(graph) as file:
            next(file)
            messages = int(next(file).split()[2])
        result = {"shape": shape, "ranks": ranks, "machine": WORLDS[ranks], "messages": messages, "cpu": cpu,
                  "peak_mib": peak, "seconds": figures["search_seconds"],
                  **{key: figures[key] for key in ("hop_bytes", "hops_per_byte")}}
        if ranks <= MOST_FOR_SCOTCH and not args.skip_peers:
            result["scotch"] = scotch(args.map, work, graph, ranks, figures)
    return result


def measured(command):
    """CPU seconds and peak memory in MiB of one run."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def scotch(program, work, graph, ranks, ours):
    """Figures of Scotch's map, evaluated like ours; None where it is not installed."""
    partners = [[] for _ in range(ranks)]
    with open(graph) as file:
        lines = (text.split() for text in file if not text.startswith("%"))
        next(lines)
        for sender, receiver, size in lines:
            # Every pair is listed both ways, with the same bytes.
            partners[int(sender) - 1].append((int(receiver) - 1, int(size)))
    case = peers.Case(ranks, partners, WORLDS[ranks], 1, None)
    nodes, cpu = peers.timed(lambda: peers.scotch(case))
    if nodes is None:
        return None
    placement, report = os.path.join(work, "theirs"), os.path.join(work, "judged.json")
    with open(placement, "w") as file:
        file.writelines(f"{node}\n" for node in nodes)
    command = [program, "eval", graph, "--machine", WORLDS[ranks], "--placement", placement, "--json", report]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(report) as file:
        found = json.load(file)
    return {"cpu": cpu, "hops_per_byte": found["hops_per_byte"], "ratio": ours["hop_bytes"] / found["hop_bytes"]}


def line(result):
    text = f"{result['shape']:<10} {result['ranks']:>8} {result['machine']:<18} {result['messages']:>9} "
    text += f"{result['seconds']:>8.2f} {result['cpu']:>7.2f} {result['peak_mib']:>6.0f} {result['hops_per_byte']:>9.3f}"
    theirs = result.get("scotch")
    if theirs:
        text += f" {theirs['hops_per_byte']:>8.3f} {theirs['cpu']:>7.2f} {theirs['ratio']:>6.3f}"
    return text


def exponent(results, figure):
    """Slope of the straight line through the logarithms."""
    points = [(math.log(r["ranks"]), math.log(r[figure])) for r in results]
    x, y = (sum(p[axis] for p in points) / len(points) for axis in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


if __name__ == "__main__":
    main()

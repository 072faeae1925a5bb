"""The benchmark `irregular --scale`: what large irregular worlds cost, see
scripts/bench.d/irregular."""

import argparse
import json
import math
import os
import subprocess
import tempfile
import time

import peers

# Ranks and their machine.
WORLDS = {4096: "torus:16x16x16", 16384: "torus:32x32x16", 65536: "torus:64x32x32", 262144: "torus:64x64x64",
          1048576: "torus:128x128x64", 4194304: "torus:256x128x128"}

# The largest size takes minutes and a gigabyte below TMPDIR. It only runs when asked for.
USUAL = [ranks for ranks in WORLDS if ranks <= 1048576]

# The machine of the run from a profile to a mapfile: nodes, and cores of each node.
CLUSTER = {65536: ("torus:16x8x8", 64), 1048576: ("torus:32x32x16", 64), 4194304: ("torus:64x32x32", 64)}
MOST_SECONDS = 60

# Shapes of the example `instances`: a box, a box whose ranks lie close to its middle, no box, a
# flat graph, and a graph in which a few ranks have very many partners.
SHAPES = ["geometric", "graded", "aircraft", "flat", "powerlaw"]

MOST_FOR_SCOTCH = 65536
FIRST_IN_FIT = 16384


def main():
    parser = argparse.ArgumentParser(prog="bench irregular --scale")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ranks", default=",".join(map(str, USUAL)), metavar="LIST")
    parser.add_argument("--shapes", default=",".join(SHAPES), metavar="LIST")
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--objective", default="time")
    parser.add_argument("--end-to-end", type=int, metavar="RANKS", choices=list(CLUSTER),
                        help="from the profile of so many ranks to a mapfile, step by step")
    parser.add_argument("--skip-peers", action="store_true", help="do not run Scotch")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    if args.end_to_end:
        return end_to_end(args, args.end_to_end)
    print(
        "seconds: wall-clock, from the graph in memory to the map; cpu s and MiB: of the whole run, reading included\n"
        "metrics: seconds of the metrics and bounds after it\n"
        f"{'shape':<10} {'ranks':>8} {'machine':<18} {'messages':>9} {'seconds':>8} {'metrics':>7} {'cpu s':>7} {'MiB':>6} "
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
                   "--objective", args.objective]
        cpu, peak = measured([*command, "-o", os.path.join(work, "map"), "--json", report])
        with open(report) as file:
            figures = json.load(file)
        with open(graph) as file:
            next(file)
            messages = int(next(file).split()[2])
        result = {"shape": shape, "ranks": ranks, "machine": WORLDS[ranks], "messages": messages, "cpu": cpu,
                  "peak_mib": peak, "seconds": figures["search_seconds"],
                  "metrics": figures["seconds"] - figures["search_seconds"],
                  **{key: figures[key] for key in ("hop_bytes", "hops_per_byte")}}
        if ranks <= MOST_FOR_SCOTCH and not args.skip_peers:
            result["scotch"] = scotch(args.map, work, graph, ranks, figures)
    return result


def end_to_end(args, ranks):
    """From the profile of a run to a mapfile for its next one: seconds, CPU seconds and peak memory
    of every step."""
    spec, cores = CLUSTER[ranks]
    steps, results = {}, []
    with tempfile.TemporaryDirectory() as work:
        profile, hosts, placed, mapfile = (os.path.join(work, name) for name in ("app.rfp", "hosts", "app.map", "rankfile"))
        subprocess.run([args.instances, "geometric", str(ranks), "1", profile], check=True)
        with open(hosts, "w") as file:
            file.writelines(f"node{number:05}\n" for number in range(ranks // cores))
        slots = ["--hosts", hosts, "--cores", str(cores)]
        steps["analyze"] = ["analyze", profile]
        steps["map"] = ["map", profile, "--machine", spec, *slots, "--effort", args.effort,
                        "--objective", args.objective, "-o", placed]
        steps["mapfile"] = ["mapfile", placed, *slots, "--to", "openmpi5", "-o", mapfile]
        print(f"{ranks} ranks from a profile of {os.path.getsize(profile) >> 20} MiB to {spec}, {cores} cores a node")
        print(f"{'step':<10} {'seconds':>8} {'cpu s':>7} {'MiB':>6}")
        for name, command in steps.items():
            start = time.monotonic()
            cpu, peak = measured([args.map, *command])
            results.append({"step": name, "seconds": time.monotonic() - start, "cpu": cpu, "peak_mib": peak})
            print("{step:<10} {seconds:>8.2f} {cpu:>7.2f} {peak_mib:>6.0f}".format(**results[-1]), flush=True)
        with open(mapfile) as file:
            lines = sum(1 for _ in file)
    seconds, cpu = (sum(it[figure] for it in results) for figure in ("seconds", "cpu"))
    verdict = "kept" if seconds <= MOST_SECONDS else "MISSED"
    print(f"{'all':<10} {seconds:>8.2f} {cpu:>7.2f}   a mapfile of {lines} lines; at most {MOST_SECONDS} s: {verdict}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"ranks": ranks, "seconds": seconds, "cpu": cpu, "steps": results}, file, indent=1)


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
    text += f"{result['seconds']:>8.2f} {result['metrics']:>7.2f} {result['cpu']:>7.2f} {result['peak_mib']:>6.0f} "
    text += f"{result['hops_per_byte']:>9.3f}"
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

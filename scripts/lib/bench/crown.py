"""The benchmark `crown`: see scripts/bench.d/crown."""

import argparse
import json
import math
import multiprocessing
import os
import re
import resource
import subprocess
import tempfile

import cases
import crown_cases
import peers

# CPU seconds after which a peer has no placement.
LIMIT = 300
# What ratios are relative to: the first that has a placement.
BASES = ["sharedmap strong", "sharedmap eco"]


def main():
    parser = argparse.ArgumentParser(prog="bench crown")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "GRAPH RANKS HIERARCHY" to run')
    parser.add_argument("--effort", default="fast,balanced", metavar="LIST")
    parser.add_argument("--quick", action="store_true", help="two cases of 2048 ranks")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    chosen = crown_cases.QUICK if args.quick else crown_cases.CASES
    results = []
    for case in chosen:
        if re.search(args.only, case.name):
            results.append(run_case(args, case))
            print(line(results[-1]), flush=True)
    print("\n".join(summary(results)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def run_case(args, case):
    """Cost and CPU seconds of everybody. A placement that overfills a node has no cost."""
    ranks, messages = case.graph(args.instances)
    edges = [(a, b, size) for (a, b), size in messages.items() if a < b]
    found = {}
    with tempfile.TemporaryDirectory() as work:
        graph = os.path.join(work, "graph.mtx")
        cases.write(graph, ranks, messages)
        for effort in args.effort.split(","):
            found[f"rankfold {effort}"] = peers.timed(lambda effort=effort: ours(args.map, case, graph, effort))
    for name, peer in crown_cases.peers_of(case, ranks, edges).items():
        found[name] = limited(peer)
    figures = {}
    for name, (nodes, cpu) in found.items():
        if nodes is not None:
            figures[name] = {"cost": case.cost(edges, nodes) if case.fits(nodes) else None, "cpu": cpu}
    return {"case": case.name, "ranks": ranks, "edges": len(edges), "nodes": case.nodes, "found": figures}


def limited(peer):
    """What a peer finds within the limit, and its CPU seconds. In a process of its own, since some
    end the process in trouble, and cannot be stopped otherwise."""

    def run(into):
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        into.send(peers.timed(peer))

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run, args=[theirs])
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = None, LIMIT
    process.join()
    return found


def ours(program, case, graph, effort):
    result = graph + ".map"
    command = [program, "map", graph, "--machine", case.machine, "--cores", str(case.cores), "--effort", effort]
    command += ["--objective", "hop-bytes", "--to", "nodes", "-o", result]
    subprocess.run(command, check=True, capture_output=True)
    with open(result) as file:
        return [int(word) for word in file.read().split("\n") if word.strip().isdigit()]


def base_of(result):
    """The name of what ratios of a case are relative to; None where no peer of the kind is here."""
    return next((name for name in BASES if result["found"].get(name, {}).get("cost")), None)


def ratios(result):
    """By name: cost and CPU seconds over those of the base, None where there is no cost."""
    base = result["found"].get(base_of(result))
    if not base:
        return {}
    found = result["found"].items()
    return {name: (it["cost"] and it["cost"] / base["cost"], it["cpu"] / max(base["cpu"], 0.01)) for name, it in found}


def shown(name, ratio):
    cost = f"{ratio[0]:.3f}" if ratio[0] else "overfull"
    return f"{name} {cost} ({ratio[1]:.2f})"


def line(result):
    base = base_of(result)
    parts = [shown(name, ratio) for name, ratio in ratios(result).items() if name != base]
    return f"{result['case']}, over {base}: " + (", ".join(parts) or f"NOT MEASURED HERE: {BASES[0]}")


def summary(results):
    """Geometric means over the cases that each has a placement for, and the worst case."""
    lines = []
    for base in BASES:
        tables = [ratios(result) for result in results if base_of(result) == base]
        if tables:
            lines += ["", f"J and, in brackets, CPU seconds over those of {base}: geometric means, worst case"]
        for name in dict.fromkeys(name for table in tables for name in table if name != base):
            of = [table[name] for table in tables if table.get(name, (None,))[0]]
            if of:
                means = [math.exp(sum(math.log(max(it[at], 1e-9)) for it in of) / len(of)) for at in (0, 1)]
                worst = max(it[0] for it in of)
                lines.append(f"{name}: {means[0]:.3f} ({means[1]:.2f}), worst {worst:.3f}, {len(of)} cases")
    return lines


if __name__ == "__main__":
    main()

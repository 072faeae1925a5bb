"""The benchmark `irregular --paper-times`: how long the papers' algorithms take, see scripts/bench.d/irregular."""

import argparse
import json
import os
import subprocess
import tempfile

import cases
import scale

# Heuristic, the paper's own seconds, and what it is run on: graph, machine, ranks a node.
RUNS = [
    ("ohtma", "98", [(name, "torus:8x8x8", 1) for name in ("nlpkkt_512", "fe_512", "amr_512")]),
    ("ptram", "2.3 to 38", [(name, "torus:8x8x8", 1) for name in ("nlpkkt_512", "fe_512", "amr_512")]),
    ("analytical", "1.27", [("geometric:8192", "torus:8x8x32", 4)]),
]


def main():
    parser = argparse.ArgumentParser(prog="bench irregular --paper-times")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    args = parser.parse_args()
    print(f"{'heuristic':<12} {'case':<16} {'machine':<14} {'c':>1} {'seconds':>8} {'cpu s':>7} {'paper, s':>10}")
    for heuristic, published, runs in RUNS:
        for name, machine, cores in runs:
            seconds, cpu = run(args, heuristic, name, machine, cores)
            print(f"{heuristic:<12} {name:<16} {machine:<14} {cores} {seconds:>8.2f} {cpu:>7.2f} {published:>10}", flush=True)


def run(args, heuristic, name, machine, cores):
    """Wall-clock seconds of the search, and CPU seconds of the whole run."""
    with tempfile.TemporaryDirectory() as work:
        graph, report = os.path.join(work, "graph.mtx"), os.path.join(work, "report.json")
        shape, _, ranks = name.partition(":")
        if ranks:
            with open(graph, "w") as file:
                subprocess.run([args.instances, shape, ranks, "1"], check=True, stdout=file)
        else:
            cases.write(graph, *cases.graph(name))
        command = [args.map, "map", graph, "--machine", machine, "--cores", str(cores), "--heuristic", heuristic,
                   "--objective", "hop-bytes"]
        cpu, _ = scale.measured([*command, "--no-refine", "-o", os.path.join(work, "map"), "--json", report])
        with open(report) as file:
            return json.load(file)["search_seconds"], cpu


if __name__ == "__main__":
    main()

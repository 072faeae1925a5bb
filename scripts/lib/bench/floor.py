"""The benchmark `irregular --floor`: how far placements are from the best known and from certified
bounds, see scripts/bench.d/irregular."""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

import cases

KNOWN = cases.INSTANCES / "best-known.json"

# Graph, machine, ranks a node: of cases.CASES those whose optimum nobody knows, small and large, of
# every kind.
CASES = [
    ("nlpkkt_256", "torus:8x8x4", 1),
    ("nlpkkt_512", "torus:8x8x8", 1),
    ("fe_512", "torus:8x8x8", 1),
    ("amr_512", "torus:8x8x8", 1),
    ("fe_1728", "torus:12x12x12", 1),
    ("amr_1728", "torus:12x12x12", 1),
    ("nlpkkt_512", "torus:4x4x4", 8),
    ("st2d_64x64", "ibcore:", 8),
    ("nlpkkt_1024", "dragonfly:16,8,4,8", 1),
    ("rgg_1024", "dragonfly:16,8,4,8", 1),
    ("fe_1024", "xgft:16,8,8:1,8,8", 1),
    ("nlpkkt_1024", "percs:32", 1),
]
# Figure by objective, both of a placement made for it.
OBJECTIVES = ["time", "hop-bytes"]
EFFORTS = ["balanced", "best"]


def main():
    parser = argparse.ArgumentParser(prog="bench irregular --floor")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "GRAPH MACHINE" to run')
    parser.add_argument("--effort", default=",".join(EFFORTS), metavar="LIST")
    parser.add_argument("--objective", default=",".join(OBJECTIVES), metavar="LIST")
    parser.add_argument("--record", type=float, metavar="SECONDS", 
                        help="search so long a case and objective, and with the other efforts, and keep what is best")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    known = read()
    chosen = [case for case in CASES if re.search(args.only, f"{case[0]} {case[1]}")]
    if args.record:
        return record(args, chosen)
    results = []
    print("Time and hop-bytes over the best known; gap: the best known over the certified lower bound, less one.")
    print(heading(args.effort.split(",")))
    for case in chosen:
        for objective in args.objective.split(","):
            best = known.get((*case, objective))
            if best is None:
                print(f"NOT MEASURED HERE: {KNOWN.name} has no {objective} of {case[0]} on {case[1]}: irregular --floor --record 120")
                continue
            results.append({"case": case[0], "machine": case[1], "cores": case[2], "objective": objective, "known": best,
                            **figures(args, case, objective)})
            print(line(results[-1]), flush=True)
    print("\n".join(summary(results)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def read():
    if not KNOWN.exists():
        return {}
    with open(KNOWN) as file:
        return {(it["case"], it["machine"], it["cores"], it["objective"]): it for it in json.load(file)}


def record(args, chosen):
    """Searches every case with effort best for the time asked, and with the other efforts; a figure
    is replaced by a better one only."""
    for case in chosen:
        for objective in args.objective.split(","):
            timed = ["--effort", "best", "--time", f"{args.record:g}"]
            for options in timed, ["--effort", "balanced"], ["--effort", "fast"]:
                keep(case, " ".join(["--objective", objective, *options]), run(args, case, objective, options))
            print(*case, objective, read()[(*case, objective)]["figure"], flush=True)


def keep(case, how, report):
    """The file with the figures of a search that are better than what it has."""
    known = read()
    for name in OBJECTIVES:
        figure, before = value(report, name), known.get((*case, name))
        if before is None or figure < before["figure"]:
            known[(*case, name)] = {"case": case[0], "machine": case[1], "cores": case[2], "objective": name,
                                    "figure": figure, "found by": how}
    order = [(*one, name) for one in CASES for name in OBJECTIVES]
    kept = [known[key] for key in order if key in known]
    with open(f"{KNOWN}.new", "w") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, kept)) + "\n]\n")
    os.replace(f"{KNOWN}.new", KNOWN)


def value(report, objective):
    return report["predicted_time"]["total"] if objective == "time" else report["hop_bytes"]


def bound(report, objective):
    return report["predicted_time"]["lower_bound"] if objective == "time" else report["lower_bound"]


def figures(args, case, objective):
    found = {}
    for effort in args.effort.split(","):
        report = run(args, case, objective, ["--effort", effort])
        found[effort] = value(report, objective)
    return {"found": found, "bound": bound(report, objective)}


def run(args, case, objective, options):
    """The report of one search."""
    name, machine, cores = case
    with tempfile.TemporaryDirectory() as work:
        graph, report = os.path.join(work, "graph.mtx"), os.path.join(work, "report.json")
        cases.write(graph, *cases.graph(name))
        command = [args.map, "map", graph, "--machine", machine, "--cores", str(cores), "--objective", objective, *options]
        subprocess.run([*command, "--to", "nodes", "-o", os.path.join(work, "map"), "--json", report], check=True, capture_output=True)
        with open(report) as file:
            return json.load(file)


def heading(efforts):
    return f"{'case':<12} {'machine':<19} {'c':>1} {'objective':<9}" + "".join(f" {it:>9}" for it in efforts) + f" {'gap':>7}"


def line(result):
    best = result["known"]["figure"]
    text = f"{result['case']:<12} {result['machine']:<19} {result['cores']} {result['objective']:<9}"
    text += "".join(f" {figure / best:>9.3f}" for figure in result["found"].values())
    gap = f"{best / result['bound'] - 1:>7.3f}" if result["bound"] else f"{'-':>7}"
    return f"{text} {gap}"


def summary(results):
    """Geometric means by objective."""
    for objective in dict.fromkeys(result["objective"] for result in results):
        met = [result for result in results if result["objective"] == objective]
        over = ", ".join(
            f"{effort} {mean(result['found'][effort] / result['known']['figure'] for result in met):.3f}"
            for effort in met[0]["found"]
        )
        gaps = [result["known"]["figure"] / result["bound"] - 1 for result in met if result["bound"]]
        without = f", {len(met) - len(gaps)} without a bound" if len(gaps) < len(met) else ""
        yield f"{objective}: geometric means over the best known {over}; gap {mean(max(gap, 1e-3) for gap in gaps):.3f}{without}"


def mean(values):
    """Geometric mean."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


if __name__ == "__main__":
    main()

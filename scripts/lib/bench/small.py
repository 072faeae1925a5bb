"""The benchmark `small`: see scripts/bench.d/small."""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

import cases
import irregular
import peers
import small_cases

FIGURES = {"hop-bytes": "hop_bytes", "congestion": "max_congestion", "time": "time"}


def main():
    parser = argparse.ArgumentParser(prog="bench small")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--plain-tabu", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a third of the cases, effort balanced")
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "GRAPH MACHINE" to run')
    parser.add_argument("--effort", metavar="LIST", help="default: balanced,best; with --quick balanced")
    parser.add_argument("--objective", default="hop-bytes", choices=FIGURES)
    parser.add_argument("--tabu", type=float, metavar="SECONDS", help="of the plain tabu search; default: 2, with --quick 0.5")
    parser.add_argument("--skip-peers", action="store_true", help="the plain tabu search is the only peer")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    efforts = (args.effort or ("balanced" if args.quick else "balanced,best")).split(",")
    seconds = args.tabu if args.tabu is not None else 0.5 if args.quick else 2.0
    everything = [*small_cases.qaplib(), *small_cases.others()]
    chosen = [case for case in everything if re.search(args.only, f"{case.name} {case.machine}")]
    results = []
    print(heading(args.objective, efforts), flush=True)
    for case in chosen:
        if case.is_quick or not args.quick:
            results.append(run_case(args, efforts, seconds, case))
            print(line(results[-1], efforts), flush=True)
    print("\n".join(summary(results, efforts)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def run_case(args, efforts, seconds, case):
    """The figures of all efforts and all peers, each beside its CPU seconds; `best` is the least of
    them and of the literature's."""
    found, bound = {}, 0
    with tempfile.TemporaryDirectory() as work:
        tool = irregular.Tool(args.map, work, case.machine, case.cores)
        cases.write(tool.graph, case.ranks, case.messages)
        for effort in efforts:
            report, cpu = placed(tool, effort, args.objective)
            found[effort] = {"value": value(report, args.objective), "cpu": cpu}
            bound = max(bound, lower_bound(report, args.objective) or 0)
        for name, peer in () if args.skip_peers else rivals(case).items():
            nodes, cpu = peers.timed(peer)
            if nodes is not None:
                found[name] = {"value": value(judged(tool, case, nodes), args.objective), "cpu": cpu}
        if args.objective == "hop-bytes" and seconds > 0:
            found["tabu"] = tabu(args.plain_tabu, tool.graph, case, seconds)
    best = min(it["value"] for it in found.values())
    if args.objective == "hop-bytes" and case.best:
        best = min(best, case.best)
    return {"case": case.name, "machine": case.machine, "cores": case.cores, "ranks": case.ranks,
            "objective": args.objective, "known": case.best, "best": best, "bound": bound,
            "gap": best / bound - 1 if bound else None, "found": found}


def placed(tool, effort, objective):
    """The report of our search, and its CPU seconds."""
    report = os.path.join(tool.work, "report.json")
    command = [tool.program, "map", tool.graph, *tool.machine, "--effort", effort, "--objective", objective,
               "--to", "nodes", "-o", os.path.join(tool.work, "map"), "--json", report]
    _, cpu = peers.timed(lambda: subprocess.run(command, check=True, capture_output=True))
    with open(report) as file:
        return json.load(file), cpu


def judged(tool, case, nodes):
    """The report of somebody else's placement."""
    nodes, _ = peers.repaired(peer_case(case), nodes)
    placement, report = (os.path.join(tool.work, name) for name in ("theirs", "theirs.json"))
    with open(placement, "w") as file:
        file.writelines(f"{node}\n" for node in nodes)
    command = [tool.program, "eval", tool.graph, *tool.machine, "--placement", placement, "--json", report]
    subprocess.run(command, check=True, capture_output=True)
    with open(report) as file:
        return json.load(file)


def value(report, objective):
    return report["predicted_time"]["total"] if objective == "time" else report[FIGURES[objective]]


def lower_bound(report, objective):
    """The certified bound on the objective's figure; None where the report has none."""
    if objective == "time":
        return report["predicted_time"]["lower_bound"]
    return report["lower_bound"] if objective == "hop-bytes" else report.get("congestion_lower_bound")


def peer_case(case):
    """The case as peers see it."""
    kind, _, sizes = case.machine.partition(":")
    partners = cases.undirected(case.ranks, case.messages)
    # Peers that know trees only are told the arity of each level from the root down, with ten times
    # the hops between.
    tree = {
        "tree": lambda: levels([int(size) for size in sizes.split("x")]),
        "xgft": lambda: levels([int(size) for size in sizes.split(":")[0].split(",")][::-1]),
        "dragonfly": lambda: dragonfly(*[int(size) for size in sizes.split(",")]),
    }.get(kind, lambda: None)()
    return peers.Case(case.ranks, partners, case.machine, case.cores, tree)


def levels(arities):
    deep = len(arities)
    return [(arity, 20 * (deep - level)) for level, arity in enumerate(arities)], peers.product(arities)


def dragonfly(hosts, routers, _, groups):
    return [(groups, 48), (routers, 30), (hosts, 20)], hosts * routers * groups


def rivals(case):
    """The peers that can be had for the case, by name."""
    told = peer_case(case)
    mapping = {"scotch": lambda: peers.scotch_onto(told, target(told)) if peers.shutil.which("scotch_gmap") else None}
    if case.machine.startswith("torus:") and told.nodes * case.cores >= case.ranks:
        mapping["mt-kahypar"] = lambda: peers.mt_kahypar(told)
    if case.cores > 1:
        mapping["kahip"] = lambda: peers.kahip(told)
    return mapping


def target(told):
    """The machine in Scotch's words."""
    if told.machine.startswith("mesh:"):
        sizes = peers.dims(told.machine)[::-1]
        return f"mesh{len(sizes)}D {' '.join(map(str, sizes))}\n"
    return peers.scotch_target(told)


def tabu(program, graph, case, seconds):
    command = [program, graph, case.machine, str(case.cores), str(seconds), "1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    hop_bytes, found_after = done.stdout.split()
    return {"value": int(hop_bytes), "cpu": seconds, "found after": float(found_after)}


COLUMNS = ["scotch", "mt-kahypar", "kahip", "tabu"]


def heading(objective, efforts):
    titles = "".join(f" {effort:>9} {'cpu s':>6}" for effort in efforts) + "".join(f" {name:>10}" for name in COLUMNS)
    return (f"{FIGURES[objective]} over the best known, in percent above it; gap: the best known over the certified bound,"
            f" less one.\n{'case':<18} {'machine':<18} {'c':>1}{titles} {'gap %':>6}")


def line(result, efforts):
    text = f"{result['case']:<18} {result['machine']:<18} {result['cores']}"
    for effort in efforts:
        text += f" {above(result, effort):>9} {result['found'][effort]['cpu']:>6.2f}"
    text += "".join(f" {above(result, name):>10}" for name in COLUMNS)
    return text + (f" {100 * result['gap']:>6.1f}" if result["bound"] else f" {'-':>6}")


def above(result, name):
    if name not in result["found"]:
        return "-"
    return f"{100 * excess(result, name):.2f}"


def excess(result, name):
    best, value_of = result["best"], result["found"][name]["value"]
    return value_of / best - 1 if best else float(value_of > 0)


def summary(results, efforts):
    """Means over QAPLIB's instances and over the others, by number of ranks."""
    groups = {
        "QAPLIB": [it for it in results if it["known"]],
        "others, up to 64 ranks": [it for it in results if not it["known"] and it["ranks"] <= 64],
        "others, more ranks": [it for it in results if not it["known"] and it["ranks"] > 64],
    }
    for title, group in groups.items():
        if not group:
            continue
        yield f"{title}, {len(group)} cases"
        for name in [*efforts, *COLUMNS]:
            met = [it for it in group if name in it["found"]]
            if met:
                mean = sum(excess(it, name) for it in met) / len(met)
                at_best = sum(excess(it, name) <= 0 for it in met)
                cpu = math.fsum(it["found"][name]["cpu"] for it in met) / len(met)
                yield (f"  {name:<10} {100 * mean:>6.2f} % above the best known in the mean, at it in {at_best} of {len(met)},"
                       f" {cpu:.2f} CPU s")
        gaps = [it["gap"] for it in group if it["bound"]]
        if gaps:
            yield f"  certified gap {100 * sum(gaps) / len(gaps):.1f} % in the mean, {100 * max(gaps):.1f} % at most"


if __name__ == "__main__":
    main()

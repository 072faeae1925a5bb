"""The benchmark `irregular`: see scripts/bench.d/irregular."""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

import cases
import peers

SCOTCH = "scotch-best-of-8"

# Members that follow a paper to the letter.
PAPERS = ["ltm-greedy", "ltm-recursive", "rcm", "ltm-ta", "analytical", "ohtma", "ptram", "ptram-fixed"]


def main():
    parser = argparse.ArgumentParser(prog="bench irregular")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "GRAPH MACHINE" to run')
    parser.add_argument("--effort", default="fast,balanced,best", metavar="LIST")
    parser.add_argument("--skip-peers", action="store_true", help="compare with the recorded figures only")
    parser.add_argument("--papers", action="store_true", help="run the papers' own algorithms, too")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    with open(cases.INSTANCES / "recorded.json") as file:
        recorded = {(r["instance"], r["machine"], r["cores"]): r for r in json.load(file)}
    efforts = args.effort.split(",")
    results = []
    print(heading(efforts))
    for name, machine, cores, tree in cases.CASES:
        if re.search(args.only, f"{name} {machine}"):
            result = run_case(args, efforts, name, machine, cores, tree, recorded[name, machine, cores])
            results.append(result)
            print(line(result, efforts), flush=True)
    print("\n".join(summary(results, efforts)))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def run_case(args, efforts, name, machine, cores, tree, recorded):
    ranks, messages = cases.graph(name)
    case = peers.Case(ranks, cases.undirected(ranks, messages), machine, cores, tree)
    with tempfile.TemporaryDirectory() as work:
        tool = Tool(args.map, work, machine, cores)
        cases.write(tool.graph, ranks, messages)
        result = {"case": name, "machine": machine, "cores": cores, "ours": {}, "congestion": {}, "peers": {}, "papers": {}}
        for effort in efforts:
            result["ours"][effort] = tool.place(effort, "hop-bytes")
        if "balanced" in efforts:
            result["congestion"] = tool.place("balanced", "congestion")
        if not args.skip_peers:
            result["peers"] = run_peers(case, tool)
        if args.papers:
            named = {paper: tool.place("fast", "hop-bytes", ["--heuristic", paper, "--no-refine"]) for paper in PAPERS}
            result["papers"] = {paper: figures for paper, figures in named.items() if figures}
    block = next(iter(result["ours"].values()))["block"]
    result["block"] = block
    result["recorded"] = {
        peer: {"hop_bytes": figures[0] * block["hop_bytes"], "max_congestion": figures[1] * block["max_congestion"],
               "cpu": figures[2]}
        for peer, figures in recorded["peers"].items()
    }
    return result


class Tool:
    """rankfold-map on one case."""

    def __init__(self, program, work, machine, cores):
        self.program, self.work = program, work
        self.machine = ["--machine", machine, "--cores", str(cores)]
        self.graph = os.path.join(work, "graph.mtx")

    def place(self, effort, objective, options=()):
        """Figures of our own map, and of block order; None if the heuristic asked for is not made
        for the case."""
        report = os.path.join(self.work, "report.json")
        command = [self.program, "map", self.graph, *self.machine, "--effort", effort, "--objective", objective]
        command += ["--to", "nodes", "-o", os.path.join(self.work, "map"), "--json", report, *options]
        done, cpu = peers.timed(lambda: subprocess.run(command, capture_output=True, text=True))
        if done.returncode == 2 and options:
            return None
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        with open(report) as file:
            figures = json.load(file)
        ours = {key: figures[key] for key in ("heuristic", "hop_bytes", "max_congestion", "lower_bound", "seconds")}
        block = {key: figures["baseline"][key] for key in ("hop_bytes", "max_congestion")}
        return {**ours, "cpu": cpu, "block": block}

    def frozen(self, case, groups):
        """Figures of groups of ranks that share a node, placed by our mapper with effort
        balanced."""
        if groups is None:
            return None
        groups, _ = peers.repaired(case, groups)
        messages = {}
        for rank, row in enumerate(case.partners):
            for other, size in row:
                pair = (groups[rank], groups[other])
                if pair[0] < pair[1]:
                    messages[pair] = messages.get(pair, 0) + size
        graph, placed = (os.path.join(self.work, name) for name in ("groups.mtx", "groups.nodes"))
        cases.write(graph, case.nodes, messages)
        command = [self.program, "map", graph, "--machine", case.machine, "--effort", "balanced",
                   "--objective", "hop-bytes", "--to", "nodes", "-o", placed]
        subprocess.run(command, check=True, capture_output=True)
        node = cases.nodes_in(placed)
        return [node[group] for group in groups]

    def judge(self, nodes):
        """Figures of a peer's map."""
        placement, report = (os.path.join(self.work, name) for name in ("theirs", "report.json"))
        with open(placement, "w") as file:
            file.writelines(f"{node}\n" for node in nodes)
        command = [self.program, "eval", self.graph, *self.machine, "--placement", placement, "--json", report]
        subprocess.run(command, check=True, capture_output=True)
        with open(report) as file:
            figures = json.load(file)
        return {key: figures[key] for key in ("hop_bytes", "max_congestion")}


def run_peers(case, tool):
    found = {}

    def measure(name, work):
        nodes, cpu = peers.timed(work)
        if nodes is None:
            return
        nodes, moved = peers.repaired(case, nodes)
        figures = {**tool.judge(nodes), "cpu": cpu, "repaired": moved}
        known = found.get(name)
        if known:
            figures["cpu"] += known["cpu"]
            if known["hop_bytes"] <= figures["hop_bytes"]:
                figures = {**known, "cpu": figures["cpu"]}
        found[name] = figures

    for name, peer in peers.available().items():
        measure(name, lambda: peer(case))
    # With one rank a node there are no groups. On switched machines METIS's own rows are made of
    # such groups.
    for recursive in (True, False) if case.cores > 1 and not case.tree else ():
        measure("frozen-groups", lambda: tool.frozen(case, peers.metis(case, recursive)))
    for order in peers.renumberings(case):
        measure(SCOTCH, lambda: peers.scotch(case, order))
    return found


def rivals(result, figure):
    """Name and figure of the best peer. Results of this run count before recorded ones."""
    everybody = {**result["recorded"], **result["peers"], "block": {**result["block"], "cpu": 0}}
    name = min(everybody, key=lambda peer: everybody[peer][figure])
    return name, everybody[name][figure]


def heading(efforts):
    titles = "".join(f"{effort:>10} {'cpu s':>7}" for effort in efforts)
    return (
        "Hop-bytes relative to block order, maximum congestion (--objective congestion, balanced) likewise.\n"
        f"{'case':<16} {'machine':<19} {'c':>1} {titles} {'best peer':>25} {'ratio':>7}  {'congestion':>10} {'best peer':>25} {'ratio':>7}"
    )


def line(result, efforts):
    block = result["block"]
    ours = "".join(
        f"{result['ours'][e]['hop_bytes'] / block['hop_bytes']:>10.3f} {result['ours'][e]['cpu']:>7.2f}" for e in efforts
    )
    name, best = rivals(result, "hop_bytes")
    last = result["ours"][efforts[-1]]["hop_bytes"]
    text = f"{result['case']:<16} {result['machine']:<19} {result['cores']} {ours} "
    text += f"{name:>18} {best / block['hop_bytes']:>6.3f} {last / best:>7.3f}"
    if result["congestion"]:
        name, best = rivals(result, "max_congestion")
        found = result["congestion"]["max_congestion"]
        base = block["max_congestion"]
        text += f"  {found / base:>10.3f} {name:>18} {best / base:>6.3f} {found / best:>7.3f}"
    return text


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(results, efforts):
    """Geometric means over tori and over switched machines."""
    groups = {
        "tori": [r for r in results if r["machine"].startswith("torus")],
        "switched": [r for r in results if not r["machine"].startswith("torus")],
    }
    yield "\nGeometric means of our figures over a rival's"
    for title, group in groups.items():
        if not group:
            continue
        yield f"{title}, {len(group)} cases"
        for effort in efforts:
            ratios = [f"best peer of each case {mean(ours(r, effort) / rivals(r, 'hop_bytes')[1] for r in group):.3f}"]
            for peer in sorted({peer for r in group for peer in r["peers"]}):
                met = [r for r in group if peer in r["peers"]]
                ratios.append(f"{peer} {mean(ours(r, effort) / r['peers'][peer]['hop_bytes'] for r in met):.3f}")
            yield f"  hop-bytes, {effort:<9} {', '.join(ratios)}"
            met = [r for r in group if "scotch" in r["peers"]]
            if met:
                cost = mean(r["ours"][effort]["cpu"] / r["peers"]["scotch"]["cpu"] for r in met)
                yield f"  CPU time, {effort:<10} scotch {cost:.2f}"
        if all(r["congestion"] for r in group):
            ratio = mean(r["congestion"]["max_congestion"] / rivals(r, "max_congestion")[1] for r in group)
            spent = mean(r["congestion"]["hop_bytes"] / ours(r, "balanced") for r in group)
            yield f"  congestion           best peer of each case {ratio:.3f}, hop-bytes {spent:.3f} x balanced"
        for paper in PAPERS:
            met = [r for r in group if paper in r["papers"]]
            if met:
                ratio = mean(ours(r, efforts[-1]) / r["papers"][paper]["hop_bytes"] for r in met)
                yield f"  hop-bytes, {efforts[-1]:<9} {paper}, as published, {len(met)} cases {ratio:.3f}"
        lost = [r["case"] for r in group if ours(r, efforts[-1]) > rivals(r, "hop_bytes")[1]]
        yield f"  behind a peer with {efforts[-1]}: {', '.join(lost) or 'nowhere'}"


def ours(result, effort):
    return result["ours"][effort]["hop_bytes"]


if __name__ == "__main__":
    main()

"""The benchmark `gpu`: see scripts/bench.d/gpu."""

import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

import gpu_cases
import gpu_step
from gpu_cases import GPUS

ORDERS = ["allocated", "sorted", "ours"]
# A time is above another one by more than what rounding of simulated times explains.
ROUNDING = 1e-6
ROUTES_DIFFER = 0.01
SIMULATOR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADING = """Simulated seconds of communication in one step (SimGrid), over those of hosts sorted by switch: geometric
mean over allocations, and the highest. Nodes of 8 GPUs, each GPU with a network card of its own.
routes: share of phases whose busiest link the simulator loads as the mapper says.
"""


def main():
    parser = argparse.ArgumentParser(prog="bench gpu")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "MACHINE, JOB" to run')
    parser.add_argument("--seeds", default=3, type=int, metavar="N", help="allocations of a case")
    parser.add_argument("--quick", action="store_true", help="one allocation of the small jobs")
    parser.add_argument("--jobs", default=len(os.sched_getaffinity(0)), type=int, metavar="N", help="cases at a time")
    parser.add_argument("--json", metavar="FILE", help="where to write every simulated time")
    args = parser.parse_args()
    if args.quick:
        args.seeds = 1
    cases = [case for case in gpu_cases.every(args.quick) if re.search(args.only, title(*case))]
    if not cases:
        raise SystemExit(f"no case matches {args.only}")
    print(HEADING + heading(), flush=True)
    results = []
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        flows = os.path.join(work, "flows")
        source = os.path.join(SIMULATOR, "simgrid", "flows.cpp")
        subprocess.run(["c++", "-std=c++17", "-O2", source, "-o", flows, "-lsimgrid"], check=True)
        for result in pool.map(lambda case: judged(args, flows, work, *case), cases):
            results.append(result)
            print(row(result["case"], ratios([result], "allocated"), ratios([result], "ours"), agreement([result])), flush=True)
    print("\n" + summary(results))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    lost = [(result["case"], run["seed"]) for result in results for run in result["runs"] if over(run, "ours") > 1 + ROUNDING]
    for case, seed in lost:
        print(f"above sorted by switch: {case}, allocation {seed}", file=sys.stderr)
    raise SystemExit(1 if lost else 0)


def title(machine, job):
    return f"{machine.name}, {job.name}"


def judged(args, flows, work, machine, job):
    """Simulated times of one job on one machine, for every allocation."""
    runs = []
    with tempfile.TemporaryDirectory(dir=work) as own:
        step = gpu_step.derived(args.map, own, job)
        for seed in range(1, args.seeds + 1):
            nodes = random.Random(seed).sample(range(machine.nodes), job.nodes)
            path = machine.described(args.map, own)
            ours = placed(args.map, own, machine, path, nodes)
            orders = {"allocated": nodes, "sorted": sorted(nodes), "ours": ours}
            found = gpu_step.simulated(flows, own, machine, step, orders)
            agree = [same_load(args.map, own, machine, path, step[phase], ours, found["ours"][phase][1]) for phase in step]
            seconds = {order: {phase: it[0] for phase, it in phases.items()} for order, phases in found.items()}
            runs.append({"seed": seed, "seconds": seconds, "routes agree": agree})
    return {"case": title(machine, job), "kind": machine.kind, "runs": runs}


def placed(program, work, machine, path, nodes):
    """The node of every host in the order that the mapper finds."""
    launch, hosts, found = (os.path.join(work, name) for name in ("launch.sh", "hosts", "found"))
    chosen = set(nodes)
    with open(hosts, "w") as file:
        file.writelines(f"n{node}\n" if node in chosen else "-\n" for node in range(machine.nodes))
    command = [program, "map", launch, "--machine", path, "--cores", str(GPUS), "--hosts", hosts]
    command += ["--phases", "all", "--to", "torchrun", "--threads", "1", "-o", found]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{machine.name}: {done.stderr}")
    with open(found) as file:
        return [int(line.split()[0][1:]) for line in file if not line.startswith("#")]


def same_load(program, work, machine, path, pairs, nodes, seconds):
    """Whether the mapper's routes load the busiest link as the simulator's do."""
    matrix, placement, report = (os.path.join(work, name) for name in ("rail.mtx", "rail.nodes", "rail.json"))
    hosts = len(nodes)
    with open(matrix, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n{hosts} {hosts} {len(pairs)}\n")
        file.writelines(f"{a + 1} {b + 1} {size * machine.rails}\n" for (a, b), size in sorted(pairs.items()))
    with open(placement, "w") as file:
        file.writelines(f"{node}\n" for node in nodes)
    command = [program, "eval", matrix, "--machine", path, "--cores", "1", "--placement", placement]
    subprocess.run([*command, "--json", report], check=True, capture_output=True)
    with open(report) as file:
        ours = json.load(file)["max_congestion"]
    return abs(ours - seconds) < ROUTES_DIFFER * seconds


def over(run, order):
    """An order's time over that of hosts sorted by switch."""
    return sum(run["seconds"][order].values()) / sum(run["seconds"]["sorted"].values())


def ratios(results, order):
    return [over(run, order) for result in results for run in result["runs"]]


def agreement(results):
    return statistics.fmean(agree for result in results for run in result["runs"] for agree in run["routes agree"])


def heading():
    return f"{'machine, job':<56} {'allocated':>15} {'ours':>15} {'routes':>7}"


def row(name, allocated, ours, agree):
    both = (f"{math.exp(statistics.fmean(map(math.log, it))):>7.3f} {max(it):>7.3f}" for it in (allocated, ours))
    return f"{name:<56} {' '.join(both)} {agree:>7.0%}"


def summary(results):
    kinds = dict.fromkeys(result["kind"] for result in results)
    groups = {kind: [result for result in results if result["kind"] == kind] for kind in kinds}
    groups["all"] = results
    return "\n".join(row(kind, ratios(of, "allocated"), ratios(of, "ours"), agreement(of)) for kind, of in groups.items())


if __name__ == "__main__":
    main()

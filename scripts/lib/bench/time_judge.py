"""The benchmark `time`: see scripts/bench.d/time."""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import re
import tempfile

import time_allocations
import time_calibration
import time_cases
import time_placements
import time_simgrid
import time_tables
import time_ties
from choices import some_of
from time_case import KIB, NETWORK, PARTS, SIZE, SIZES, TIES, Case


def main():
    parser = argparse.ArgumentParser(prog="bench time")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--instances", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help='cases "MACHINE GRAPH" to run')
    parser.add_argument("--allocations", action="store_true", help="jobs on random parts of machines, nodes unequal")
    parser.add_argument("--sizes", default=SIZES, type=kib, metavar="LIST", help="mean bytes of a message in KiB")
    parser.add_argument("--networks", type=some_of(time_simgrid.NETWORKS), metavar="LIST")
    parser.add_argument("--parts", type=some_of([*PARTS, TIES]), metavar="LIST", help="of " + ", ".join(PARTS) + f"; or {TIES} alone")
    parser.add_argument("--quick", action="store_true", help="a few small cases of 256 KiB on the clean network")
    parser.add_argument("--ours", choices=time_placements.OBJECTIVES, help="our objective to compare")
    parser.add_argument("--jobs", default=len(os.sched_getaffinity(0)), type=int, metavar="N", help="cases at a time")
    parser.add_argument("--json", metavar="FILE", help="written anew after every case")
    parser.add_argument("--resume", action="store_true", help="take the cases that FILE has for the same settings from there")
    args = parser.parse_args()
    if args.resume and not args.json:
        parser.error("--resume needs --json FILE")
    # Where there is no objective time, the one nearest to it.
    args.ours = args.ours or next(it for it in time_placements.objectives(args.map) if it in ("time", "congestion"))
    if args.quick:
        args.sizes = [SIZE]
    args.networks = args.networks or ([NETWORK] if args.quick else time_simgrid.USUAL)
    args.parts = args.parts or (["rivals"] if args.allocations else PARTS)
    if TIES in args.parts and len(args.parts) > 1:
        parser.error(f"--parts {TIES} stands alone")
    every = time_allocations.every if args.allocations else time_cases.every
    every = time_ties.every if args.parts == [TIES] else every
    chosen = [case for case in every() if re.search(args.only, case[0])]
    if args.quick and not args.allocations:
        chosen = [case for case in chosen if case[0] in time_cases.QUICK]
    if not chosen:
        raise SystemExit(f"no case matches {args.only}")
    if time_simgrid.ONE_PORT in args.networks and any(case[1].topology == "TORUS" for case in chosen):
        parser.error(
            f"--networks {time_simgrid.ONE_PORT}: SimGrid's model of InfiniBand slows what a host sends and receives at once, "
            "whichever of its links that takes. A host of a torus has many: choose other machines by --only '^(xgft|dragonfly)'"
        )
    # The cases are told for one network and size, the summary for all.
    told = NETWORK if NETWORK in args.networks else args.networks[0], max(args.sizes)
    if TIES not in args.parts:
        print(time_tables.heading(args.ours, *told), flush=True)
    results = []
    with tempfile.TemporaryDirectory() as work:
        args.replay = time_simgrid.compile_replay(work)
        args.known = dict(time_simgrid.NETWORKS)
        if "nominal" in args.networks:
            args.known["nominal"] = time_calibration.measured(args.replay, work, args.known["nominal"])
        for result in judged(args, work, chosen):
            results.append(result)
            lines = time_ties.lines(result) if TIES in args.parts else time_tables.lines(result, args.ours, *told)
            print("\n".join(lines), flush=True)
            if args.json:
                write(args.json, results)
    if TIES not in args.parts:
        print("\n".join(time_tables.summary(results, args.ours)))


def judged(args, work, chosen):
    """The results of the cases in order, each as soon as it is there; some are run at once, each in
    a process of its own, whose CPU time is then its own, too."""
    settings = {name: getattr(args, name) for name in ("ours", "sizes", "networks", "parts")}
    done = {it["case"]: it for it in before(args.json) if it["settings"] == settings} if args.resume else {}
    forked = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(args.jobs, forked) as pool:
        running = {case[0]: pool.submit(run, args, work, *case) for case in chosen if case[0] not in done}
        try:
            for title, _, _ in chosen:
                yield done.get(title) or {**running[title].result(), "settings": settings}
        finally:
            for future in running.values():
                future.cancel()


def run(args, work, title, machine, name):
    with tempfile.TemporaryDirectory(dir=work) as own:
        return Case(args, own, title, machine, name).run()


def before(path):
    """What an earlier run wrote."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def write(path, results):
    """At once, so that a run that is stopped leaves what it had."""
    with open(f"{path}.new", "w") as file:
        json.dump(results, file, indent=1)
    os.replace(f"{path}.new", path)


def kib(text):
    return [int(size) * KIB for size in text.split(",")]


if __name__ == "__main__":
    main()

"""The benchmark `turns`: predicted and simulated seconds of programs that exchange messages in
turns."""

import argparse
import collections
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import tempfile

import time_simgrid
from time_machines import fat_tree, torus

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.path.join(ROOT, "tests", "programs", "turns.c")
ROUNDS = 10
LONG, SHORT = 1 << 18, 1 << 14
# Placements besides block order.
SHUFFLES = 3
# Two placements whose simulated times are this close are equally good.
SAME = 0.01

Case = collections.namedtuple("Case", "kind pattern grid sizes machine")
SQUARE, CUBE, TREE = torus(4, 4), torus(4, 4, 2), fat_tree([4, 4], [1, 2])

CASES = [
    *(Case("all at once", "all", grid, f"{LONG}", machine) for grid, machine in (("4x4", SQUARE), ("4x4", TREE))),
    *(Case("dimensions", pattern, "4x4", f"{LONG}", machine)
      for pattern in ("dimensions", "persistent", "posted", "blocking") for machine in (SQUARE, TREE)),
    Case("dimensions", "dimensions", "4x4", f"{SHORT}", SQUARE),
    Case("dimensions", "dimensions", "4x4x2", f"{LONG}", CUBE),
    Case("unequal sides", "dimensions", "4x4", f"{LONG},{LONG // 5}", SQUARE),
    Case("unequal sides", "dimensions", "2x8", f"{LONG},{LONG // 5}", SQUARE),
    Case("open", "dimensions", "4x4o", f"{LONG}", SQUARE),
    Case("open", "dimensions", "2x2x4o", f"{LONG}", SQUARE),
    Case("open", "shift", "4x4o", f"{LONG}", SQUARE),
    Case("shift", "shift", "4x4", f"{LONG}", SQUARE),
    Case("shift", "shift", "4x4", f"{LONG}", TREE),
    Case("shift", "shift", "4x4x2", f"{LONG}", CUBE),
    *(Case("dimensions of two", pattern, "2x2x4", f"{LONG}", SQUARE) for pattern in ("all", "dimensions", "shift")),
    Case("rows", "rows", "4x4", f"{LONG}", SQUARE),
    Case("rows", "rows", "4x4", f"{LONG},{LONG // 4}", TREE),
    Case("stages", "stages", "4x4", f"{LONG}", SQUARE),
    Case("stages", "stages", "4x4", f"{LONG}", TREE),
    Case("sweep", "sweep", "4x4o", f"{LONG}", SQUARE),
    Case("sweep", "sweep", "4x4o", f"{SHORT}", SQUARE),
    Case("graph", "graph", "4x4", f"{LONG}", SQUARE),
    Case("graph", "graph", "4x4", f"{LONG}", TREE),
]


def main():
    parser = argparse.ArgumentParser(prog="bench turns")
    parser.add_argument("--built", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    print(f"{'class':18} {'program':34} {'simulated':>22} {'largest error':>14}")
    with tempfile.TemporaryDirectory() as work:
        judge = Judge(work, args.built)
        for case in CASES:
            name = f"{case.pattern} {case.grid} {case.sizes} on {case.machine.name}"
            if not re.search(args.only, f"{case.kind}: {name}"):
                continue
            row = {"class": case.kind, "program": name, **judge.measured(case)}
            rows.append(row)
            errors, seconds = row["errors"], row["simulated"]
            spread = f"{min(seconds) * 1e6:9.1f} to {max(seconds) * 1e6:7.1f} us"
            print(f"{case.kind:18} {name:34} {spread:>22} {max(errors, key=abs):+13.1%}", flush=True)
    kinds = list(dict.fromkeys(row["class"] for row in rows))
    print(f"\n{'class':18} {'median':>8} {'largest':>8} {'ranked right':>14}")
    for kind in [*kinds, "all"]:
        some = [row for row in rows if kind in (row["class"], "all")]
        errors = [abs(error) for row in some for error in row["errors"]]
        right, pairs = (sum(row[key] for row in some) for key in ("right", "pairs"))
        print(f"{kind:18} {statistics.median(errors):8.1%} {max(errors):8.1%} {right:7} of {pairs:3}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"rows": rows}, file, indent=1)


class Judge:
    """The simulator, Open MPI and the mapper, with their files in a directory."""

    def __init__(self, work, built):
        self.work, self.built = work, built
        self.simulated, self.real = (os.path.join(work, name) for name in ("simulated", "real"))
        subprocess.run(["smpicc", "-O2", "-w", PROGRAM, "-o", self.simulated], check=True)
        subprocess.run([tool("mpicc"), "-O2", "-w", PROGRAM, "-o", self.real], check=True)
        self.network = time_simgrid.NETWORKS["clean"]

    def measured(self, case):
        """Simulated and predicted seconds of a round in every placement."""
        placements = [list(range(case.machine.nodes))]
        for seed in range(SHUFFLES):
            placements.append(random.Random(seed).sample(placements[0], case.machine.nodes))
        profile = self.profile(case)
        machine = case.machine.written(self.tool("rankfold-map"), self.work, self.network)
        simulated = [self.simulate(case, nodes) for nodes in placements]
        predicted = [self.predict(profile, machine, nodes) for nodes in placements]
        right = pairs = 0
        for (a, b), (c, d) in zip(itertools.combinations(simulated, 2), itertools.combinations(predicted, 2)):
            if abs(a - b) > SAME * min(a, b):
                pairs += 1
                right += (a < b) == (c < d)
        errors = [ours / theirs - 1 for ours, theirs in zip(predicted, simulated)]
        return {"simulated": simulated, "predicted": predicted, "errors": errors, "right": right, "pairs": pairs}

    def command(self, case):
        return [case.pattern, case.grid, case.sizes, str(ROUNDS)]

    def profile(self, case):
        """The path of a profile that was taken under Open MPI."""
        path = os.path.join(self.work, "run.rfp")
        launch = [tool("mpirun"), "--oversubscribe", "-n", str(case.machine.nodes), self.real, *self.command(case)]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run([self.tool("rankfold"), "profile", "-o", path, "--", *launch], env=environment, check=True,
                       capture_output=True, timeout=300)
        return path

    def simulate(self, case, nodes):
        platform, hosts = (os.path.join(self.work, name) for name in ("platform.xml", "hosts"))
        with open(platform, "w") as file:
            file.write(case.machine.platform(self.network))
        with open(hosts, "w") as file:
            file.writelines(f"n{node}\n" for node in nodes)
        options = [f"--cfg={option}" for option in time_simgrid.ALWAYS + self.network.options if "privatization" not in option]
        command = ["smpirun", "-np", str(len(nodes)), "-platform", platform, "-hostfile", hosts, *options,
                   "--log=root.thres:error", self.simulated, *self.command(case)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.work, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"{case.pattern}: the simulation failed: {done.stderr[-500:]}")
        return float(done.stdout)

    def predict(self, profile, machine, nodes):
        placement, report = (os.path.join(self.work, name) for name in ("judged.nodes", "judged.json"))
        with open(placement, "w") as file:
            file.writelines(f"{node}\n" for node in nodes)
        command = [self.tool("rankfold-map"), "eval", profile, "--machine", machine, "--placement", placement, "--json", report]
        subprocess.run(command, check=True, capture_output=True)
        with open(report) as file:
            return json.load(file)["predicted_time"]["total"] / ROUNDS

    def tool(self, name):
        return os.path.join(self.built, name)


def tool(name):
    """Open MPI's command, by Debian's name where that exists."""
    debian = f"/usr/bin/{name}.openmpi"
    return debian if os.path.exists(debian) else name


if __name__ == "__main__":
    main()

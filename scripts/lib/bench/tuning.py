"""The benchmark `tuning`: see scripts/bench.d/tuning."""

import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

import cases
import small_cases
import tuning_sources

FACTORS = (0.5, 2.0)
# A constant matters if it changes a figure by more than this share in the mean, or CPU seconds by
# more than a fourth.
FIGURE, CPU = 0.01, 0.25
FIGURES = {"hop-bytes": "hop_bytes", "congestion": "max_congestion", "time": "predicted_time"}

# Graph, machine, cores, effort, objective, and whether --quick runs the instance.
INSTANCES = [
    ("fe_512/12@7", "torus:3x4", 1, "balanced", "hop-bytes", True),
    ("fe_512/64@0", "torus:4x4x4", 1, "balanced", "hop-bytes", False),
    ("rgg_1024/64@0", "tree:4x4x4", 1, "balanced", "time", True),
    ("amr_512/128@0", "torus:4x4x8", 1, "fast", "hop-bytes", False),
    ("nlpkkt_256", "torus:8x8x4", 1, "fast", "time", False),
    ("fe_512/256@100", "dragonfly:8,4,4,8", 1, "fast", "time", False),
    ("amr_512/256@30", "torus:4x4x4", 4, "balanced", "hop-bytes", False),
    ("st2d_16x16", "torus:8x8x4", 1, "fast", "congestion", False),
    ("st2d_32x32", "torus:8x8x16", 1, "fast", "hop-bytes", False),
    ("nlpkkt_512", "torus:4x4x4", 8, "fast", "time", False),
    ("fe_1024", "xgft:16,8,8:1,8,8", 1, "fast", "hop-bytes", False),
    ("fe_4096", "torus:8x8x8", 8, "fast", "hop-bytes", False),
]


class Tool:
    """rankfold-map with constants that can be varied."""

    def __init__(self, program, work):
        self.program, self.work = program, pathlib.Path(work)

    def graph(self, name):
        path = self.work / f"{name.replace('/', '-')}.mtx"
        if not path.exists():
            cases.write(path, *small_cases.graph(name))
        return path

    def run(self, instance, constant=None, factor=1.0):
        """The figure, CPU seconds and the names of the constants that were read; the figure is None
        where the search fails."""
        name, machine, cores, effort, objective, _ = instance
        report, read = self.work / "report.json", self.work / "read"
        for file in (report, read):
            file.unlink(missing_ok=True)
        words = ["map", self.graph(name), "--machine", machine, "--cores", str(cores), "--effort", effort]
        words += ["--objective", objective, "--threads", "1", "--json", report, "-o", self.work / "mapfile"]
        known = os.environ | {"RANKFOLD_TUNING_READ": str(read)}
        if constant:
            known["RANKFOLD_TUNING"] = f"{constant}={factor}"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        try:
            done = subprocess.run([self.program, *words], capture_output=True, env=known, timeout=120)
        except subprocess.TimeoutExpired:
            return None, 120.0, set()
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode:
            return None, cpu, set()
        figure = json.loads(report.read_text())[FIGURES[objective]]
        if isinstance(figure, dict):
            figure = figure["total"]
        return figure, cpu, set(read.read_text().split())


def main():
    parser = argparse.ArgumentParser(prog="bench tuning")
    parser.add_argument("--root", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="three instances")
    parser.add_argument("--only", default="", metavar="TEXT", help="constants with TEXT in their name")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    tree = args.root / "target" / "tuning" / "tree"
    sources = tuning_sources.Sources(args.root, tree)
    sources.copy()
    sources.rewrite()
    environment = tuning_sources.environment(tree)
    build = ["cargo", "build", "--release", "--quiet", "--package", "rankfold-mapper", "--bin", "rankfold-map"]
    subprocess.run(build, cwd=tree, check=True, env=environment)
    program = pathlib.Path(environment["CARGO_TARGET_DIR"]) / "release" / "rankfold-map"
    with tempfile.TemporaryDirectory() as work:
        rows, unread = varied(Tool(program, work), sources, args)
    print("\n".join(table(rows, unread, sources.refused)))
    if args.json:
        known = {"rows": rows, "unread": sorted(unread), "refused": sorted(sources.refused)}
        pathlib.Path(args.json).write_text(json.dumps(known, indent=1))


def varied(tool, sources, args):
    """A row for every constant and factor, and the constants that no instance reads."""
    instances = [instance for instance in INSTANCES if instance[-1] or not args.quick]
    # The first run reads the file; what is compared is the second.
    known = [(instance, tool.run(instance), tool.run(instance)) for instance in instances]
    rows, unread = [], set()
    for constant, value in sorted(sources.constants.items()):
        if args.only not in constant:
            continue
        readers = [(instance, bare) for instance, _, bare in known if constant in bare[2]]
        if not readers:
            unread.add(constant)
            continue
        for factor in FACTORS:
            runs = [(bare, tool.run(instance, constant, factor)) for instance, bare in readers]
            rows.append(row(constant, value, factor, runs))
            print(line(rows[-1]), flush=True)
    return rows, unread


def row(constant, value, factor, runs):
    figures = [run[0] / bare[0] for bare, run in runs if run[0] is not None and bare[0]]
    return {
        "constant": constant,
        "value": value,
        "factor": factor,
        "instances": len(runs),
        "failed": sum(run[0] is None for _, run in runs),
        "figure": mean(figures),
        "worst": max(figures, default=1.0),
        "best": min(figures, default=1.0),
        "cpu": sum(run[1] for _, run in runs) / sum(bare[1] for bare, _ in runs),
    }


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def matters(row):
    return row["failed"] > 0 or abs(math.log(row["figure"])) > FIGURE or not 1 / (1 + CPU) < row["cpu"] < 1 + CPU


def line(row):
    failed = f"; {row['failed']} fail" if row["failed"] else ""
    return (
        f"| `{row['constant']}` | {row['value']} | {row['factor']:g} | {row['instances']} | {row['figure']:.3f} "
        f"({row['best']:.3f} to {row['worst']:.3f}{failed}) | {row['cpu']:.2f} |"
    )


def table(rows, unread, refused):
    """The constants that matter, and a line for all others."""
    important = {row["constant"] for row in rows if matters(row)}
    yield "\n| constant | value | times | instances | figure (best to worst) | CPU seconds |\n| --- | --- | --- | --- | --- | --- |"
    yield from (line(row) for row in rows if row["constant"] in important)
    others = [row for row in rows if row["constant"] not in important]
    count = len({row["constant"] for row in others})
    extremes = max((abs(row["figure"] - 1) for row in others), default=0)
    yield f"\n{count} other constants change no mean figure by more than {100 * extremes:.2f} %."
    yield f"{len(unread)} constants are read in no instance, {len(refused)} cannot be varied: {', '.join(sorted(refused)) or 'none'}."


if __name__ == "__main__":
    main()

"""The table of `bench heuristics`: every heuristic alone, on a few cases, beside block order."""

import argparse
import itertools
import json
import lzma
import math
import subprocess
import tempfile
from pathlib import Path

INSTANCES = Path(__file__).parents[2] / "instances"
START, END = "<!-- scripts/bench heuristics -->\n", "<!-- end of scripts/bench heuristics -->\n"
# Time limit of one heuristic, in seconds.
PATIENCE = 300


def grid(*dims):
    """The stencil that touches the faces of every cell, 1000 bytes a message."""
    cells = list(itertools.product(*map(range, dims)))
    number = {cell: at for at, cell in enumerate(cells)}
    entries = []
    for cell, dim, step in itertools.product(cells, range(len(dims)), (-1, 1)):
        to = list(cell)
        to[dim] += step
        if tuple(to) in number:
            entries.append((number[cell], number[tuple(to)]))
    lines = [f"{row + 1} {column + 1} 1000" for row, column in entries]
    head = f"%%MatrixMarket matrix coordinate integer general\n{len(cells)} {len(cells)} {len(lines)}\n"
    return head + "\n".join(lines) + "\n"


def recorded(name):
    return lzma.open(INSTANCES / f"{name}.mtx.xz", "rt").read()


CASES = [
    ("8x8 grid", "torus:4x4x4", lambda: grid(8, 8)),
    ("8x8 grid", "mesh:4x16", lambda: grid(8, 8)),
    ("KKT matrix", "torus:4x8x8", lambda: recorded("nlpkkt_256")),
    ("KKT matrix", "dragonfly:4,4,4,16", lambda: recorded("nlpkkt_256")),
]


def names(rankfold_map):
    """The names of all heuristics, as the command lists them."""
    listed = subprocess.run([rankfold_map, "heuristics"], capture_output=True, text=True, check=True).stdout
    part = listed.split("\n\n")[0].splitlines()[1:]
    return [line.split()[0] for line in part if not line.startswith("   ")]


def reached(rankfold_map, graph, machine, name):
    """Hop-bytes and maximum congestion over those of block order; None where it does not apply or
    takes too long."""
    with tempfile.NamedTemporaryFile(suffix=".json") as figures:
        words = [rankfold_map, "map", graph, "--machine", machine, "--json", figures.name, "--objective", "hop-bytes"]
        if name != "auto":
            words += ["--heuristic", name, "--no-refine"]
        try:
            done = subprocess.run(words, capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            return None
        # The mapper replaces the file, so the open file stays empty: it is opened again by its
        # name.
        told = json.loads(Path(figures.name).read_text())
    block = told["baseline"]
    return tuple(told[key] / block[key] for key in ("hop_bytes", "max_congestion"))


def table(rows):
    lines = ["| heuristic | " + " | ".join(f"{graph} on `{machine}`" for graph, machine, _ in CASES) + " |"]
    lines.append("| --- |" + " ---: |" * len(CASES))
    for name, figures in rows.items():
        cells = [f"{pair[0]:.2f} / {pair[1]:.2f}" if pair else "" for pair in figures]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rankfold_map")
    parser.add_argument("--json")
    parser.add_argument("--into")
    args = parser.parse_args()
    all_names = [*names(args.rankfold_map), "auto"]
    rows = {name: [] for name in all_names}
    for _, machine, make in CASES:
        with tempfile.NamedTemporaryFile("w", suffix=".mtx") as graph:
            graph.write(make())
            graph.flush()
            for name in all_names:
                rows[name].append(reached(args.rankfold_map, graph.name, machine, name))
    print(table(rows), end="")
    if args.json:
        figures = {
            f"{name}.{graph} on {machine}.{key}": pair[at]
            for name, pairs in rows.items()
            for (graph, machine, _), pair in zip(CASES, pairs)
            if pair and math.isfinite(sum(pair))
            for at, key in enumerate(("hop_bytes", "max_congestion"))
        }
        Path(args.json).write_text(json.dumps(figures, indent=2) + "\n")
    if args.into:
        document = Path(args.into)
        before, rest = document.read_text().split(START)
        after = rest.split(END)[1]
        document.write_text(before + START + table(rows) + END + after)


main()

"""Where ranks sit inside of nodes: see scripts/bench.d/inside."""

import argparse
import glob
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
import public_files  # noqa: E402
from inside_judge import Figure, Node  # noqa: E402

MOST = 1.05
FIGURES = {"levels": (Node.levels, Node.levels_to_nic), "far": (Node.far, Node.far_from_nic)}


def stencil(ranks, draw):
    """A grid of ranks whose numbers mean nothing."""
    width = 4
    order = draw.sample(range(ranks), ranks)
    for at in range(ranks):
        if (at + 1) % width and at + 1 < ranks:
            yield order[at], order[at + 1], 1000
        if at + width < ranks:
            yield order[at], order[at + width], 1000


def scattered(ranks, draw):
    """Three partners a rank, and sizes that differ by orders of magnitude."""
    for rank in range(ranks):
        for other in draw.sample(range(ranks), 3):
            if other != rank:
                yield rank, other, int(10 ** draw.uniform(2, 6))


def servers(ranks, draw):
    """Pairs that talk, and every fourth rank talks to all others of these."""
    talkers = [rank for rank in range(ranks) if rank % 4 == 1]
    for rank in range(0, ranks - 1, 2):
        yield rank, rank + 1, draw.randrange(500, 1500)
    for a in talkers:
        for b in talkers:
            if a != b:
                yield a, b, draw.randrange(1000, 9000)


GRAPHS = [stencil, scattered, servers]


def public(scratch):
    """The XML files of hwloc's tests, and those that lstopo makes of its copies of /sys."""
    into = os.path.join(scratch, "public")
    public_files.fetch(scratch, into, {"hwloc": ("*.xml", "*.tar.bz2")})
    for packed in sorted(glob.glob(f"{into}/hwloc/**/tests/hwloc/linux/*.tar.bz2", recursive=True)):
        name = os.path.basename(packed).removesuffix(".tar.bz2")
        copy = os.path.join(scratch, "copies", name)
        with tarfile.open(packed) as archive:
            archive.extractall(copy, filter="tar")
        roots = [place for place, below, _ in os.walk(copy) if "sys" in below or "proc" in below]
        environment = {**os.environ, "HWLOC_COMPONENTS": "linux,stop", "HWLOC_FSROOT": min(roots, key=len, default=copy)}
        made = ["lstopo", "--of", "xml", os.path.join(into, f"{name}.xml")]
        subprocess.run(made, env=environment, capture_output=True, check=False, timeout=60)
    return into


def mapped(args, file, ranks, messages, scratch):
    """Node and first core of every rank in a map, as rankfold writes them."""
    matrix = os.path.join(scratch, "graph.mtx")
    with open(matrix, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate integer general\n{2 * ranks} {2 * ranks} {len(messages)}\n")
        for (a, b), size in sorted(messages.items()):
            out.write(f"{a + 1} {b + 1} {size}\n")
    command = [args.map, "map", matrix, "--machine", "tree:2", "--cores", str(ranks), "--node", file]
    command += ["--to", "json", "--effort", args.effort]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise SystemExit(f"{file}: {done.stderr}")
    found = json.loads(done.stdout)
    return list(zip(found["nodes"], (first for first, _ in found["cores"])))


def judged(node, places, messages):
    """For every figure the bytes of a map, and the fewest."""
    totals = {name: [0, 0] for name in FIGURES}
    for host in {host for host, _ in places}:
        here = [rank for rank, (where, _) in enumerate(places) if where == host]
        number = {rank: at for at, rank in enumerate(here)}
        bytes_of = [[0] * len(here) for _ in here]
        outside = [0] * len(here)
        for (a, b), size in messages.items():
            for one, other in ((a, b), (b, a)):
                if one in number and other in number:
                    bytes_of[number[one]][number[other]] += size
                elif one in number:
                    outside[number[one]] += size
        seats = [places[rank][1] for rank in here]
        for name, (between, to_nic) in FIGURES.items():
            figure = Figure(seats, lambda a, b: between(node, a, b), lambda core: to_nic(node, core))
            found = figure.of(bytes_of, outside, range(len(here)))
            totals[name][0] += found
            totals[name][1] += figure.fewest(bytes_of, outside, found)
    return totals


def ratio(found, fewest):
    return found / fewest if fewest else (1.0 if not found else float("inf"))


def measured(args, file, scratch):
    """The row of a machine; `None` where all seats of its nodes are alike."""
    try:
        node = Node(file)
    except (ValueError, TypeError) as wrong:
        raise SystemExit(f"{file}: {wrong}") from wrong
    ranks = min(args.ranks, node.cores)
    if ranks < 2 or not (node.parts or any(len(near) < node.cores for near in node.near)):
        return None
    worst = dict.fromkeys(FIGURES, 1.0)
    for number, graph in enumerate(GRAPHS):
        messages = {}
        for a, b, size in graph(2 * ranks, random.Random(f"{os.path.basename(file)} {number}")):
            messages[a, b] = messages.get((a, b), 0) + size
        totals = judged(node, mapped(args, file, ranks, messages, scratch), messages)
        for name, (found, fewest) in totals.items():
            worst[name] = max(worst[name], ratio(found, fewest))
    return {"cores": node.cores, "memories": len(node.domains), "adapters": len(node.near), "ranks": ranks, **worst}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--map", required=True)
    parser.add_argument("--files", metavar="DIR")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--effort", default="balanced")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    rows = {}
    print(f"{'machine':44} {'cores':>6} {'domains':>8} {'NICs at':>8} {'ranks':>6} {'levels':>8} {'far':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        files = args.files or public(scratch)
        for file in sorted(glob.glob(f"{files}/**/*.xml", recursive=True)):
            row = measured(args, file, scratch)
            if row is None:
                continue
            name = os.path.basename(file).removesuffix(".xml")
            rows[name] = row
            print(f"{name:44} {row['cores']:6} {row['memories']:8} {row['adapters']:8} {row['ranks']:6} "
                  f"{row['levels']:8.3f} {row['far']:8.3f}", flush=True)
    if args.json:
        with open(args.json, "w", encoding="ascii") as out:
            json.dump({"rows": rows}, out, indent=1)
    bad = [name for name, row in rows.items() if max(row[figure] for figure in FIGURES) > MOST]
    print(f"{len(rows)} machines, {len(bad)} with a ratio above {MOST}{': ' + ' '.join(bad) if bad else ''}")
    return 1 if bad or len(rows) < 1 else 0


if __name__ == "__main__":
    sys.exit(main())

"""The mapper, as the jobs of `scripts/papers` run it."""

import json
import os
import pathlib
import random
import subprocess

import cases
import peers


class Mapper:
    """rankfold-map, a directory for its files, and one for files that take long to make."""

    def __init__(self, program, work, kept):
        self.program, self.work, self.kept = program, work, pathlib.Path(kept)

    def case(self, ranks, messages, machine, cores=1, hosts=None):
        """A graph ({(from, to): bytes}) and its machine; hosts as --hosts takes them."""
        return Case(self, ranks, messages, machine, cores, hosts)

    def machine(self, machine):
        """Figures of a machine, as `machine --json` writes them."""
        report = os.path.join(self.work, "machine.json")
        subprocess.run([self.program, "machine", machine, "--json", report], capture_output=True, check=True)
        with open(report) as file:
            return json.load(file)

    def generated(self, kind, ranks):
        """The graph of `rankfold generate KIND RANKS`."""
        done = subprocess.run([self.program, "generate", kind, str(ranks)], capture_output=True, text=True, check=True)
        return cases.read(done.stdout.splitlines())

    def kkt(self, side, parts, weight="needed"):
        """nlpkkt120 or nlpkkt240 in so many parts of METIS, row by row or in cells of points: see
        papers_kkt.py and papers_kkt_cells.py."""
        path = self.kept / f"nlpkkt{side}_{parts}_{weight}.mtx"
        if not path.exists():
            self.kept.mkdir(parents=True, exist_ok=True)
            here = pathlib.Path(__file__)
            python = here.parents[3] / "target/peers/bin/python"
            script = here.with_name("papers_kkt_cells.py" if weight == "cells" else "papers_kkt.py")
            subprocess.run([python, script, str(side), str(parts), self.kept], check=True)
        with open(path) as file:
            return cases.read(file)


class Case:
    """One graph on one machine."""

    def __init__(self, mapper, ranks, messages, machine, cores, hosts):
        self.mapper, self.content, self.hosts = mapper, (ranks, messages), hosts
        self.machine = ["--machine", machine, "--cores", str(cores)]
        if hosts:
            self.machine += ["--hosts", self.file("hosts")]

    def published(self, heuristic, *options):
        """Figures of one member by itself, as `map --json` writes them, and its notes; None if it
        is not made for the case."""
        return self.run("--heuristic", heuristic, "--no-refine", "--objective", "hop-bytes", *options)

    def automatic(self, objective, effort="balanced"):
        """Figures of the mapper's own choice for this objective."""
        return self.run("--objective", objective, "--effort", effort)

    def nodes(self):
        """The node of every rank in the last run."""
        return cases.nodes_in(self.file("map"))

    def judge(self, nodes):
        """Figures of a placement."""
        self.write()
        with open(self.file("placement"), "w") as file:
            file.writelines(f"{node}\n" for node in nodes)
        self.start("eval", "--placement", self.file("placement"))
        return self.report()

    def run(self, *options):
        self.write()
        done, cpu = self.start("map", "--explain", "--to", "nodes", "-o", self.file("map"), *options,
                               refused="--heuristic" in options)
        return done and {**self.report(), "notes": done.stdout, "cpu_seconds": cpu}

    def start(self, command, *options, refused=False):
        """Runs the mapper: what it printed, None if it says that the case is not for it and that is
        allowed; its CPU seconds."""
        line = [self.mapper.program, command, self.file("graph.mtx"), *self.machine,
                "--json", self.file("report.json"), *options]
        done, cpu = peers.timed(lambda: subprocess.run(line, capture_output=True, text=True))
        if done.returncode == 2 and refused:
            return None, cpu
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(line)}:\n{done.stderr}")
        return done, cpu

    def report(self):
        with open(self.file("report.json")) as file:
            return json.load(file)

    def write(self):
        cases.write(self.file("graph.mtx"), *self.content)
        if self.hosts:
            with open(self.file("hosts"), "w") as file:
                file.writelines(f"{host}\n" for host in self.hosts)

    def file(self, name):
        return os.path.join(self.mapper.work, name)


def shuffled(ranks, messages, seed=1):
    """The graph with its ranks in random order."""
    number = random.Random(seed).sample(range(ranks), ranks)
    return ranks, {(number[sender], number[receiver]): size for (sender, receiver), size in messages.items()}


def between(messages, parts):
    """The messages between parts, of which rank r is in `parts[r]`."""
    found = {}
    for (sender, receiver), size in messages.items():
        pair = parts[sender], parts[receiver]
        if pair[0] != pair[1]:
            found[pair] = found.get(pair, 0) + size
    return found


def saved(before, after):
    """In per cent."""
    return 100 * (1 - after / before)


def seconds(figures):
    """The predicted time of a placement."""
    return figures["predicted_time"]["total"]

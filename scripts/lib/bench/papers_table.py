"""The parts of the tables of `bench papers`: published figures with their bands, rows with a
verdict, and the mapper."""

import dataclasses
import json
import math
import os
import subprocess
from collections.abc import Iterable

import cases
import peers


# Why seconds are printed and not judged.
PROCESSOR = "seconds depend on the processor, and on what else it does"


@dataclasses.dataclass
class Published:
    """A figure as a paper gives it, and the band of our figures that counts as reached."""

    text: str
    low: float
    high: float
    # Why the band is as wide as it is.
    reason: str
    # The figure itself. A miss is measured from it, or without it from the nearer bound.
    value: float | None = None


def about(value, within, reason, text=None):
    """A figure to be met from both sides."""
    return Published(text or f"{value:g}", value - within, value + within, reason, value)


def between(low, high, reason, text=None):
    """A range, or a figure that the paper gives in words."""
    return Published(text or f"{low:g}..{high:g}", low, high, reason)


def absent(text):
    """Published figures that have nothing to compare with here: such a row is a miss."""
    return Published(text, math.nan, math.nan, "")


@dataclasses.dataclass
class Row:
    """One figure: the paper's, that of its algorithm here, and that of the mapper's own choice."""

    case: str
    published: Published
    ours: float | None
    automatic: float | None = None
    # Why there is no figure of ours.
    because: str = ""

    def figures(self, table):
        low, high = (None if math.isnan(bound) else bound for bound in (self.published.low, self.published.high))
        return {"case": self.case, "published": self.published.text, "ours": self.ours, "automatic": self.automatic,
                "band": [low, high], "reason": self.published.reason, "judged": not table.not_judged,
                "reached": self.is_reached(), "verdict": self.verdict(table)}

    def is_reached(self):
        return self.ours is not None and self.published.low <= self.ours <= self.published.high

    def verdict(self, table):
        if self.ours is None:
            return f"no figure here: {self.because}"
        if self.is_reached():
            return "ok"
        above = self.ours > self.published.high
        bound = self.published.high if above else self.published.low
        off = abs(self.ours - (bound if self.published.value is None else self.published.value))
        which = "worse" if above == table.less_is_better else "better"
        return f"off by {off:.{table.decimals}f}, {which}"


@dataclasses.dataclass
class Table:
    """Rows of one table or figure of a paper, made and printed one by one."""

    title: str
    rows: Iterable[Row]
    decimals: int = 2
    less_is_better: bool = True
    note: str = ""
    # Why no row of the table counts as reached or missed.
    not_judged: str = ""


class Mapper:
    """rankfold-map, and a directory for its files."""

    def __init__(self, program, work):
        self.program, self.work = program, work

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
        """The bytes of `rankfold generate KIND RANKS`, {(from, to): bytes}."""
        done = subprocess.run([self.program, "generate", kind, str(ranks)], capture_output=True, text=True, check=True)
        _, *entries = (line.split() for line in done.stdout.splitlines() if not line.startswith("%"))
        return {(int(sender) - 1, int(receiver) - 1): int(size) for sender, receiver, size in entries}


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

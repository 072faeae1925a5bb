"""What the tables of `bench papers` are made of: published figures, rows with a verdict, and the mapper."""

import dataclasses
import json
import math
import os
import subprocess
from collections.abc import Iterable

import cases


@dataclasses.dataclass
class Published:
    """A figure as a paper gives it, and between which of ours it counts as reached."""

    text: str
    low: float
    high: float


def about(value, within, text=None):
    """A figure to be met from both sides."""
    return Published(text or f"{value:g}", value - within, value + within)


def at_most(value):
    return Published(f"<= {value:g}", -math.inf, value)


def between(low, high):
    return Published(f"{low:g}..{high:g}", low, high)


@dataclasses.dataclass
class Row:
    """One figure: the paper's, that of its algorithm here, and that of the mapper's own choice."""

    case: str
    published: Published
    ours: float | None
    automatic: float | None = None
    # Why the paper's figure cannot be had here; printed where it is missed.
    because: str = ""

    def figures(self, table):
        return {"case": self.case, "published": self.published.text, "ours": self.ours, "automatic": self.automatic,
                "verdict": self.verdict(table)}

    def verdict(self, table):
        if self.ours is None:
            return f"not reproducible here: {self.because}"
        low, high = self.published.low, self.published.high
        if low <= self.ours <= high:
            return "ok"
        above = self.ours > high
        off = self.ours - high if above else low - self.ours
        which = "worse" if above == table.less_is_better else "better"
        missed = f"off by {off:.{table.decimals}f}, {which}"
        return f"not reproducible here ({missed}): {self.because}" if self.because else missed


@dataclasses.dataclass
class Table:
    """Rows of one table or figure of a paper; made, and printed, one by one."""

    title: str
    rows: Iterable[Row]
    decimals: int = 2
    less_is_better: bool = True
    note: str = ""


class Mapper:
    """rankfold-map, and a directory for its files."""

    def __init__(self, program, work):
        self.program, self.work = program, work

    def case(self, ranks, messages, machine, cores=1, hosts=None):
        """A graph ({(from, to): bytes}) and its machine; hosts as --hosts takes them."""
        return Case(self, ranks, messages, machine, cores, hosts)


class Case:
    """One graph on one machine."""

    def __init__(self, mapper, ranks, messages, machine, cores, hosts):
        self.mapper, self.graph = mapper, os.path.join(mapper.work, "graph.mtx")
        self.content = ranks, messages
        self.machine = ["--machine", machine, "--cores", str(cores)]
        if hosts:
            path = os.path.join(mapper.work, "hosts")
            with open(path, "w") as file:
                file.writelines(f"{host}\n" for host in hosts)
            self.machine += ["--hosts", path]

    def published(self, heuristic, *options):
        """Figures of one member by itself, as `map --json` writes them; None if it is not made for the case."""
        return self.run("--heuristic", heuristic, "--no-refine", "--objective", "hop-bytes", *options)

    def automatic(self, objective, effort="balanced"):
        """Figures of the mapper's own choice for this objective."""
        return self.run("--objective", objective, "--effort", effort)

    def run(self, *options):
        cases.write(self.graph, *self.content)
        report = os.path.join(self.mapper.work, "report.json")
        command = [self.mapper.program, "map", self.graph, *self.machine, "--to", "nodes",
                   "-o", os.path.join(self.mapper.work, "map"), "--json", report, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 2 and "--heuristic" in options:
            return None
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}:\n{done.stderr}")
        with open(report) as file:
            return json.load(file)

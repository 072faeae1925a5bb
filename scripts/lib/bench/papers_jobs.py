"""Jobs of `scripts/papers`: each computes some figures; what they gave is kept, so that an
interrupted run continues."""

import collections.abc
import dataclasses
import fnmatch
import hashlib
import json
import os
import pathlib
import statistics

# What begins the name of several figures together.
FOLDS = ("max ", "min ", "mean ")
# CPU seconds within which everything but `--all` is done: 20 minutes of one core, and less of two.
LIMIT = 20 * 60


@dataclasses.dataclass
class Job:
    """Figures that are computed together. `figures(mapper, assume)` yields a name and a value for
    each, and the value of the automatic choice where there is one; a list of values stands for what
    several choices give that the paper leaves open."""

    name: str
    figures: collections.abc.Callable
    # CPU seconds, as measured when the ledger was last recorded.
    seconds: float
    # Whether it runs without `--all`.
    is_short: bool = True
    # Whether it runs with `--quick`.
    is_quick: bool = False


class Results:
    """What jobs gave: of the same program, scripts and assumptions only."""

    def __init__(self, path, marks):
        """`marks`: for the name of every job, what its result depends on."""
        self.path, self.marks = pathlib.Path(path), marks
        self.kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.found = {name: self.kept[mark] for name, mark in marks.items() if mark in self.kept}

    def run(self, job, mapper, assume):
        if job.name not in self.found:
            began = spent()
            figures = {name: [value, *automatic] for name, value, *automatic in job.figures(mapper, assume)}
            made = {"job": job.name, "figures": figures, "seconds": round(spent() - began, 1)}
            self.found[job.name] = self.kept[self.marks[job.name]] = made
            self.write()

    def write(self):
        """Keeps what another run has written meanwhile."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self.kept = {**json.loads(self.path.read_text()), **self.kept}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.kept, indent=1))
        part.replace(self.path)

    def of(self, how):
        """The value that a line asks for, its span and the automatic choice's; None before all its
        jobs have run. `JOB:FIGURE`, `max`, `min` or `mean` of all that a pattern names, or one of
        these `minus` another."""
        one, minus, other = how.partition(" minus ")
        if minus:
            both = [self.of(each) for each in (one, other)]
            return None if None in both else (both[0][0] - both[1][0], None, None)
        fold, _, pattern = how.partition(" ") if how.startswith(FOLDS) else ("", "", how)
        named, jobs = self.named(pattern), fnmatch.filter(self.marks, pattern.rpartition(":")[0])
        if not named or not self.found.keys() >= set(jobs):
            return None
        values = [self.value(job, figure) for job, figure in named]
        if not fold:
            return values[0]
        folded = {"max": max, "min": min, "mean": statistics.mean}[fold](value for value, _, _ in values)
        return folded, None, None

    def named(self, pattern):
        jobs, _, figures = pattern.rpartition(":")
        return [(job, figure) for job in fnmatch.filter(sorted(self.found), jobs)
                for figure in fnmatch.filter(self.found[job]["figures"], figures)]

    def value(self, job, figure):
        value, *automatic = self.found[job]["figures"][figure]
        span = (min(value), max(value)) if isinstance(value, list) else None
        return statistics.median(value) if span else value, span, automatic[0] if automatic else None


def patterns(how):
    """The names of the jobs that a line asks for, as patterns."""
    each = (part.partition(" ")[2] if part.startswith(FOLDS) else part for part in how.split(" minus "))
    return [part.rpartition(":")[0] for part in each]


def spent():
    """CPU seconds of this process and of those that it has run."""
    return sum(os.times()[:4])


# What every job uses.
SHARED = ["papers_mapper.py", "cases.py"]


def marks(program, papers, assume):
    """For the name of every job of every paper, what its result depends on: the mapper, the
    scripts, and what is assumed for this paper."""
    here, found = pathlib.Path(__file__).parent, {}
    common = hashlib.sha256(pathlib.Path(program).read_bytes())
    for name in SHARED:
        common.update((here / name).read_bytes())
    for paper, module in papers.items():
        own = common.copy()
        own.update(pathlib.Path(module.__file__).read_bytes())
        own.update(repr([choice for choice in assume.items() if choice[0].startswith(f"{paper}.")]).encode())
        found.update({job.name: f"{job.name} {own.hexdigest()}" for job in module.JOBS})
    return found

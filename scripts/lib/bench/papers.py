"""The command `scripts/papers`."""

import argparse
import fnmatch
import json
import sys
import tempfile

import papers_bhatele
import papers_jobs
import papers_ledger
import papers_libtopomap
import papers_ohtma
import papers_ptram
import papers_wu
from choices import some_of
from papers_mapper import Mapper

# One module a paper: TITLE, JOBS, and ASSUMPTIONS, the choices that the paper leaves open: for each
# of them the choices by name, the first of which is made.
PAPERS = {
    "bhatele": papers_bhatele,
    "libtopomap": papers_libtopomap,
    "ohtma": papers_ohtma,
    "ptram": papers_ptram,
    "wu": papers_wu,
}

HEADING = f"{'published figure':<76} {'published':>12} {'here':>10} {'band':>18} {'automatic':>10}  verdict"


def main():
    args = arguments()
    ledger = papers_ledger.Ledger(args.ledger)
    check_jobs(ledger)
    if not args.record and not args.changed:
        ledger.check()
    if args.sentence:
        print(ledger.sentence())
        return 0
    print(HEADING)
    jobs = [job for job in all_jobs() if job.name.split(".")[0] in args.only and is_wanted(job, args)]
    with tempfile.TemporaryDirectory() as work:
        mapper = Mapper(args.map, work, args.kept)
        results = papers_jobs.Results(f"{args.kept}/results.json", papers_jobs.marks(args.map, PAPERS, args.assume))
        for job in jobs:
            if job.name not in results.found:
                print(f"{job.name}: some {job.seconds} seconds", file=sys.stderr)
            results.run(job, mapper, args.assume)
    rows = [row for row in (Row(line, results) for line in ledger.lines) if row.line.paper in args.only]
    for row in rows:
        if not args.brief or row.line.is_tried():
            print(row.text())
    return finish(args, ledger, rows)


def arguments():
    parser = argparse.ArgumentParser(prog="papers")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--kept", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ledger", default=papers_ledger.PATH, metavar="FILE", help="another ledger")
    parser.add_argument("--only", default=",".join(PAPERS), type=some_of(PAPERS), metavar="LIST", help="of " + ", ".join(PAPERS))
    parser.add_argument("--jobs", default="", metavar="TEXT", help="only jobs with this text in their names")
    parser.add_argument("--all", action="store_true", help="also what takes longer than 20 minutes together")
    parser.add_argument("--quick", action="store_true", help="only what takes seconds")
    parser.add_argument("--brief", action="store_true", help="leave out figures that are not attempted")
    parser.add_argument("--assume", action="append", default=[], metavar="PAPER.CHOICE=NAME", help="another assumption")
    parser.add_argument("--sentence", action="store_true", help="only print the recorded total")
    parser.add_argument("--record", action="store_true", help="write what was found into the ledger")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    args.changed = bool(args.assume)
    try:
        args.assume = assumptions(args.assume)
    except ValueError as error:
        parser.error(f"--assume {error}")
    if args.record and args.changed:
        parser.error("--record: not with --assume")
    return args


def assumptions(given):
    """The choice made of each assumption, {PAPER.CHOICE: NAME}."""
    choices = {f"{paper}.{choice}": list(names) for paper, module in PAPERS.items()
               for choice, names in module.ASSUMPTIONS.items()}
    made = {choice: names[0] for choice, names in choices.items()}
    for text in given:
        choice, _, name = text.partition("=")
        if name not in choices.get(choice, ()):
            known = "; ".join(f"{choice}={'|'.join(names)}" for choice, names in choices.items())
            raise ValueError(f"{text}: there are {known}")
        made[choice] = name
    return made


def all_jobs():
    return [job for module in PAPERS.values() for job in module.JOBS]


def check_jobs(ledger):
    """Every line that is tried names jobs that there are, and those without `--all` fit the
    limit."""
    names = [job.name for job in all_jobs()]
    for line in ledger.lines:
        for pattern in papers_jobs.patterns(line.how) if line.is_tried() else ():
            if not fnmatch.filter(names, pattern):
                papers_ledger.refuse(f"{ledger.path}: {line.name()}: no job {pattern!r}")
    spent = sum(job.seconds for job in all_jobs() if job.is_short)
    if spent > papers_jobs.LIMIT:
        papers_ledger.refuse(f"jobs that run without --all take {spent} seconds, more than {papers_jobs.LIMIT}")


def is_wanted(job, args):
    return args.jobs in job.name and (job.is_quick if args.quick else job.is_short or args.all)


class Row:
    """A line of the ledger, and what was found now."""

    def __init__(self, line, results):
        self.line = line
        self.value, self.span, self.automatic = line.is_tried() and results.of(line.how) or (None, None, None)

    def verdict(self):
        """What there is to say, and whether it is worse than recorded."""
        if self.value is None:
            return f"{self.line.recorded()} as recorded" if self.line.is_tried() else self.line.recorded(), False
        now, before = self.line.status(self.value), self.line.recorded()
        if self.line.kind == "seconds":
            return now, False
        if now == "met":
            return ("met" if before == "met" else "met, recorded as missed"), False
        if before == "met":
            return "NEW MISS", True
        recorded = float(self.line.found)
        if float(papers_ledger.rounded(self.value)) == recorded:
            return "missed", False
        is_worse = self.line.off(self.value) > self.line.off(recorded)
        return f"{'WORSE MISS' if is_worse else 'missed'}, {self.line.found} as recorded", is_worse

    def text(self):
        line = self.line
        here = NOTHING if self.value is None else papers_ledger.rounded(self.value)
        if self.span:
            here += " ({}..{})".format(*map(papers_ledger.rounded, self.span))
        automatic = NOTHING if self.automatic is None else papers_ledger.rounded(self.automatic)
        return (f"{line.paper + ', ' + line.place + ': ' + line.figure:<76} {line.published:>12} {here:>10} "
                f"{line.band:>18} {automatic:>10}  {self.verdict()[0]}")

    def data(self):
        text, is_worse = self.verdict()
        return {**vars(self.line), "value": self.value, "span": self.span, "automatic": self.automatic,
                "verdict": text, "worse": is_worse}


NOTHING = papers_ledger.NONE


def finish(args, ledger, rows):
    """Reasons, totals, and the status: 1 where something is worse than recorded."""
    print("\nReasons:")
    used = {key for row in rows for key in (row.line.rule, row.line.why)}
    for key, reason in ledger.reasons.items():
        if key in used:
            print(f"  {key}: {reason}")
    # What another assumption gives is compared with the published figure alone.
    worse = [] if args.changed else [row for row in rows if row.verdict()[1]]
    if args.json:
        with open(args.json, "w") as file:
            json.dump([row.data() for row in rows], file, indent=1)
    if args.record:
        for row in rows:
            if row.value is not None:
                row.line.found = papers_ledger.rounded(row.value)
        ledger.write()
        worse = []
    totals(ledger)
    if worse:
        print("\n  ".join(["\nworse than recorded:", *(row.text() for row in worse)]))
    return 1 if worse else 0


def totals(ledger):
    print(f"\n{ledger.sentence()}.")
    for kind, name in papers_ledger.KINDS.items():
        if kind != "result":
            counts = ", ".join(f"{ledger.count(kind, status)} {status}" for status in ("met", "missed", "not attempted"))
            print(f"Counted apart, {name}: {counts}.")


if __name__ == "__main__":
    sys.exit(main())

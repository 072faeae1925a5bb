"""The ledger of `scripts/papers`: one line for every figure that the five papers print."""

import dataclasses
import pathlib
import re
import sys

PATH = pathlib.Path(__file__).with_name("papers_ledger.tsv")
COLUMNS = ["paper", "place", "figure", "kind", "published", "band", "rule", "how", "found", "why"]

# What a figure is. Only results count as met or missed; all others are counted apart.
KINDS = {
    "result": "published results",
    "seconds": "seconds of a mapper",
    "arithmetic": "figures that are arithmetic",
    "bound": "lower bounds",
    "program": "figures of the authors' own program",
    "comparison": "comparisons of our own figures",
}
# No figure: how a line says so.
NONE = "-"
# Figures are recorded with so many digits; a change below the last one is none.
DIGITS = 4


@dataclasses.dataclass
class Line:
    """One published figure. `how` names the job and its figure, `found` is what it gave when it was
    recorded, `rule` why the band is as wide as it is, `why` the cause of a miss, or the reason why
    nobody tries."""

    paper: str
    place: str
    figure: str
    kind: str
    published: str
    band: str
    rule: str
    how: str
    found: str
    why: str

    def is_tried(self):
        return self.how != NONE

    def status(self, value):
        return "met" if self.reaches(value) else "missed"

    def recorded(self):
        """As recorded: met, missed or not attempted."""
        return self.status(float(self.found)) if self.is_tried() else "not attempted"

    def reaches(self, value):
        low, high = self.bounds()
        return low <= value <= high

    def off(self, value):
        """How far a value is outside of the band."""
        low, high = self.bounds()
        return max(low - value, value - high, 0)

    def bounds(self):
        """The band: `+-5`, `+-10%` of the published figure, `LOW..HIGH`, `<=HIGH` or `>=LOW`."""
        around = re.fullmatch(r"\+-([\d.]+)(%?)", self.band)
        if around:
            value = float(self.published)
            within = float(around[1]) * (abs(value) / 100 if around[2] else 1)
            return value - within, value + within
        if self.band.startswith("<="):
            return float("-inf"), float(self.band[2:])
        if self.band.startswith(">="):
            return float(self.band[2:]), float("inf")
        low, high = self.band.split("..")
        return float(low), float(high)

    def name(self):
        return f"{self.paper}, {self.place}: {self.figure}"

    def text(self):
        return "\t".join(getattr(self, column) for column in COLUMNS)


class Ledger:
    """The lines of a file, and its reasons: `# KEY: text` above the lines, for `rule` and `why`."""

    def __init__(self, path=PATH):
        self.path, self.reasons, self.lines, self.head = pathlib.Path(path), {}, [], []
        for number, text in enumerate(self.path.read_text().splitlines(), 1):
            if text.startswith("#"):
                self.head.append(text)
                key, colon, reason = text[2:].partition(": ")
                if colon and " " not in key:
                    self.reasons[key] = reason
            elif number > len(self.head) + 1:
                self.lines.append(self.line(number, text.split("\t")))

    def line(self, number, fields):
        def wrong(what):
            refuse(f"{self.path}:{number}: {what}")

        if len(fields) != len(COLUMNS) or not all(fields):
            wrong(f"{len(fields)} fields, some of them empty, instead of {', '.join(COLUMNS)}")
        line = Line(*fields)
        if line.kind not in KINDS:
            wrong(f"kind {line.kind!r}: there are {', '.join(KINDS)}")
        if line.is_tried():
            try:
                line.bounds(), float(line.found)
            except ValueError as error:
                wrong(error)
        elif (line.band, line.rule, line.found) != (NONE, NONE, NONE):
            wrong("a figure that nobody tries has no band, rule or recorded value")
        for key in (line.rule, line.why):
            if key != NONE and key not in self.reasons:
                wrong(f"no reason {key!r} above the lines")
        return line

    def check(self):
        """Refuses a line that is not met and does not say why. Seconds that are missed say it by
        their rule."""
        for line in self.lines:
            if line.recorded() != "met" and line.why == NONE and (line.kind != "seconds" or not line.is_tried()):
                refuse(f"{self.path}: {line.name()}: {line.recorded()}, and no reason why")

    def count(self, kind, status):
        return sum(line.kind == kind and line.recorded() == status for line in self.lines)

    def sentence(self):
        """The total, as README and COMPARISON.md state it."""
        met, missed, others = (self.count("result", status) for status in ("met", "missed", "not attempted"))
        return f"{met} of {met + missed + others} published figures are met, {missed} are missed and {others} are not attempted"

    def write(self):
        self.path.write_text("\n".join([*self.head, "\t".join(COLUMNS), *(line.text() for line in self.lines)]) + "\n")


def refuse(message):
    print(f"papers: {message}", file=sys.stderr)
    sys.exit(2)


def rounded(value):
    """A figure as it is recorded."""
    return f"{value:.{DIGITS}g}" if abs(value) < 10 ** DIGITS else f"{value:.0f}"

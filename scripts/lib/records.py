"""Recorded runs: tables in the documentation, with the date and the commit of each run, and the
outcomes of a run that may be interrupted.

  records.py DOCUMENT TABLE KEY CELL...
          writes a row into the table TABLE of DOCUMENT. The row replaces the one with the same KEY
          first cells. The date and the commit become its last cells.
  records.py commit
          prints the commit that is tested, with a plus sign if files were changed since.

A table of a document stands between the comments `<!-- TABLE -->` and `<!-- end of TABLE -->`, and
begins with two lines of head.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def commit():
    """The commit that is tested, with a plus sign if files were changed since. Tables of recorded
    runs do not count as changes."""
    git = lambda *words: subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!*.md")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def marks(table):
    """The comments before and behind a table."""
    return f"<!-- {table} -->\n", f"<!-- end of {table} -->"


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def rows(document, table):
    """The rows of a table of a document, each as its cells."""
    begin, end = marks(table)
    shown = (ROOT / document).read_text().split(begin)[1].split(end)[0]
    return [cells(line) for line in shown.strip().splitlines()[2:]]


def with_row(text, table, key, row):
    """A document with this row of cells in its table, in the place of an older row with the same
    first `key` cells."""
    begin, end = marks(table)
    before, rest = text.split(begin)
    shown, after = rest.split(end)
    lines = shown.strip().splitlines()
    line = f"| {' | '.join(map(str, row))} |"
    others = [other for other in lines[2:] if cells(other)[:key] != cells(line)[:key]]
    return before + begin + "\n".join([*lines[:2], *sorted([*others, line])]) + f"\n{end}{after}"


def record(document, table, key, row):
    """Writes a row, followed by the date and the commit, into a table of a document."""
    path = ROOT / document
    dated = [*row, datetime.datetime.now(datetime.timezone.utc).date(), commit()]
    path.write_text(with_row(path.read_text(), table, key, dated))


def build(*packages):
    """Builds the release of these packages, so that what runs is what the commit holds."""
    named = [f"--package={package}" for package in packages]
    subprocess.run(["cargo", "build", "--release", "--quiet", *named], cwd=ROOT, check=True)


class Outcomes:
    """The outcomes of the parts of a run, in a file that outlives the run. A run of the same commit
    continues where this one was interrupted. With changed files, nothing is kept."""

    def __init__(self, path):
        tested = commit()
        self.path = None if tested.endswith("+") else path.with_name(f"{path.name}.{tested}.jsonl")
        self.known = {}
        self.lock = threading.Lock()
        if self.path and self.path.exists():
            # The last line may have been cut where the run was interrupted.
            for line in self.path.read_text().split("\n")[:-1]:
                part, outcome = json.loads(line)
                self.known[part] = outcome

    def of(self, part, run):
        """The outcome of a part: the one of an earlier run, or what `run` returns. Threads may ask
        for different parts at the same time."""
        if part not in self.known:
            outcome = run()
            with self.lock:
                self.keep(part, outcome)
        return self.known[part]

    def keep(self, part, outcome):
        """Adds the outcome of a part, here and to the file."""
        self.known[part] = outcome
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps([part, outcome]) + "\n")

    def forget(self):
        """Removes the file, at the end of a run."""
        if self.path:
            self.path.unlink(missing_ok=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["commit"]:
        print(commit())
        sys.exit()
    if len(sys.argv) < 5 or not sys.argv[3].isdigit():
        sys.exit(__doc__)
    record(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:])

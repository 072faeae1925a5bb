"""The benchmark `papers`: see scripts/bench.d/papers."""

import argparse
import json
import sys
import tempfile

import papers_bhatele
import papers_libtopomap
import papers_ohtma
import papers_ptram
import papers_wu
from papers_table import Mapper

# One module a paper: TITLE, and tables(mapper), which makes its tables one after the other.
PAPERS = {
    "bhatele": papers_bhatele,
    "libtopomap": papers_libtopomap,
    "wu": papers_wu,
    "ohtma": papers_ohtma,
    "ptram": papers_ptram,
}

HEADING = f"{'case':<44} {'published':>12} {'as published':>12} {'automatic':>10}  verdict on ours as published"


def main():
    parser = argparse.ArgumentParser(prog="bench papers")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=",".join(PAPERS), metavar="LIST", help="of " + ", ".join(PAPERS))
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    unknown = [name for name in args.only.split(",") if name not in PAPERS]
    if unknown:
        parser.error(f"--only {unknown[0]}: there are {', '.join(PAPERS)}")
    results = []
    with tempfile.TemporaryDirectory() as work:
        for name in args.only.split(","):
            results += paper(name, Mapper(args.map, work))
    held = [row for row in results if row["ours"] is not None]
    met = sum(row["verdict"] == "ok" for row in held)
    print(f"\n{met} of {len(held)} figures as published; {len(results) - len(held)} rows cannot be had here")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


def paper(name, mapper):
    """Prints all tables of one paper; its rows as data."""
    print(f"\n{PAPERS[name].TITLE}")
    found = []
    for table in PAPERS[name].tables(mapper):
        print(f"\n{table.title}\n{HEADING}")
        for row in table.rows:
            line = {"paper": name, "table": table.title, **row.figures(table)}
            found.append(line)
            print(text(line, table.decimals), flush=True)
        if table.note:
            print(table.note)
    return found


def text(line, decimals):
    ours, automatic = (figure(line[key], decimals) for key in ("ours", "automatic"))
    return f"{line['case']:<44} {line['published']:>12} {ours:>12} {automatic:>10}  {line['verdict']}"


def figure(value, decimals):
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:.{decimals}f}"


if __name__ == "__main__":
    sys.exit(main())

"""The benchmark `papers`: see scripts/bench.d/papers."""

import argparse
import json
import pathlib
import sys
import tempfile

import papers_bhatele
import papers_libtopomap
import papers_ohtma
import papers_ptram
import papers_wu
from papers_table import Mapper

# One module a paper: TITLE, and tables(mapper, quick), which makes its tables, or those of the
# quick part, one after the other.
PAPERS = {
    "bhatele": papers_bhatele,
    "libtopomap": papers_libtopomap,
    "wu": papers_wu,
    "ohtma": papers_ohtma,
    "ptram": papers_ptram,
}

# The misses that are known: one a line, as `key` writes them.
RECORDED = pathlib.Path(__file__).with_name("papers_misses.txt")

HEADING = f"{'case':<48} {'published':>12} {'as published':>12} {'band':>16} {'automatic':>10}  verdict on ours as published"


def main():
    parser = argparse.ArgumentParser(prog="bench papers")
    parser.add_argument("--map", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=",".join(PAPERS), metavar="LIST", help="of " + ", ".join(PAPERS))
    parser.add_argument("--tables", default="", metavar="TEXT", help="only tables with this text in their titles")
    parser.add_argument("--quick", action="store_true", help="only cases of a few seconds")
    parser.add_argument("--recorded", default=RECORDED, metavar="FILE", help="the list of known misses")
    parser.add_argument("--record", action="store_true", help="write the misses of these papers to that list anew")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    names = args.only.split(",")
    unknown = [name for name in names if name not in PAPERS]
    if unknown:
        parser.error(f"--only {unknown[0]}: there are {', '.join(PAPERS)}")
    if args.record and args.quick:
        parser.error("--record needs all rows of a paper: not with --quick")
    try:
        recorded = set() if args.record and set(names) == set(PAPERS) and not args.tables else read(args.recorded)
    except OSError as error:
        parser.error(f"--recorded {args.recorded}: {error.strerror}")
    results = []
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            results += paper(name, Mapper(args.map, work), args, recorded)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    if args.record:
        write(args.recorded, results, {line for line in recorded if not is_run(line, names, args.tables)})
    return 0 if args.record else status(results, recorded)


def paper(name, mapper, args, recorded):
    """Prints the tables of one paper; its rows as data."""
    print(f"\n{PAPERS[name].TITLE}")
    found = []
    for table in PAPERS[name].tables(mapper, args.quick):
        if args.tables not in table.title:
            continue
        print(f"\n{table.title}\n{HEADING}")
        reasons = {}
        for row in table.rows:
            line = {"paper": name, "table": table.title, **row.figures(table)}
            found.append(line)
            reasons.setdefault(line["reason"], []).append(line["case"])
            print(text(line, table, recorded), flush=True)
        for reason, held in reasons.items():
            if reason and not table.not_judged:
                print(f"Band: {reason}" + (f" ({'; '.join(held)})" if len(reasons) > 1 else ""))
        for remark in (table.note, table.not_judged and f"Not judged: {table.not_judged}."):
            if remark:
                print(remark)
    return found


def text(line, table, recorded):
    ours, automatic = (figure(line[key], table.decimals) for key in ("ours", "automatic"))
    band = "-" if None in line["band"] else "..".join(figure(bound, table.decimals) for bound in line["band"])
    verdict = line["verdict"]
    if is_miss(line):
        verdict += " (recorded)" if key(line) in recorded else " (NEW)"
    return f"{line['case']:<48} {line['published']:>12} {ours:>12} {band:>16} {automatic:>10}  {verdict}"


def figure(value, decimals):
    return "-" if value is None else f"{value:.{decimals}f}"


def is_miss(line):
    return line["judged"] and not line["reached"]


def key(line):
    """A row by its names."""
    return f"{line['paper']} | {line['table']} | {line['case']}"


def status(results, recorded):
    """Prints how many figures are reached, and the rows that the list of known misses is wrong
    about; 1 if a miss is new."""
    judged = [line for line in results if line["judged"]]
    misses = {key(line) for line in judged if is_miss(line)}
    new = sorted(misses - recorded)
    mended = sorted({key(line) for line in judged} & recorded - misses)
    print(f"\n{len(judged) - len(misses)} of {len(judged)} figures as published; {len(misses)} misses, {len(new)} of them new")
    for title, rows in (("new misses", new), ("recorded as missed, but reached", mended)):
        if rows:
            print("\n  ".join([f"{title}:", *rows]))
    return 1 if new else 0


def read(path):
    with open(path) as file:
        return {line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")}


def paper_of(line):
    return line.split(" | ")[0]


def is_run(line, papers, tables):
    """Whether a run of these papers, and of tables with this text in their titles, makes a recorded
    row anew."""
    paper_name, title, _ = line.split(" | ", 2)
    return paper_name in papers and tables in title


def write(path, results, others):
    """Writes the misses of a run, and the recorded rows that it did not make."""
    lines = sorted(others) + [key(line) for line in results if is_miss(line)]
    with open(path, "w") as file:
        file.write("# Published figures that `scripts/bench papers --record` found missed: paper | table | case.\n")
        file.writelines(f"{line}\n" for line in sorted(lines, key=lambda line: [*PAPERS].index(paper_of(line))))


if __name__ == "__main__":
    sys.exit(main())

"""The part `ties` of the benchmark `time`: how placements fare on a torus whose rule for half-way
ties is another one than the search was told."""

import os
import re

import time_placements
import time_simgrid
import time_tables
from time_machines import torus

# Machine and graphs, as in time_cases.CASES.
CASES = [(torus(4, 4, 4), ["geometric:128/64"]), (torus(8, 8, 4), ["fe_512/256", "amr_512/256"])]

# What the search is told, and what the machine then does; the simulator's tori are `source`.
SEARCHED = ["any", "split", "source", "+", "-"]
JUDGED = ["source", "+", "-"]
WAYS = ["nb", "ph"]
SEEDS = [1, 2, 3]


def every():
    """As time_cases.every."""
    for machine, graphs in CASES:
        for name in graphs:
            yield f"{machine.name} {name}", machine, name


def compared(case, network, size):
    """By what the search was told: seconds predicted under each rule and simulated, geometric means
    over seeds."""
    mapper, work = case.mappers[size], case.work
    paths = {rule: written(case.paths[network], work, rule) for rule in {*SEARCHED, *JUDGED}}
    found = {}
    for rule in SEARCHED:
        placements = [mapper.place(paths[rule], case.asked.ours, ["--seed", str(seed)])[0] for seed in SEEDS]
        predicted = {
            judge: [mapper.judge(paths[judge], nodes)["predicted_time"]["total"] for nodes in placements] for judge in JUDGED
        }
        different = time_placements.distinct(placements)
        times, _ = time_simgrid.replay(
            case.asked.replay, work, case.machine, case.asked.known[network], case.ranks, case.messages, different,
            [(way, size) for way in WAYS],
        )
        for turn, way in enumerate(WAYS):
            predicted[way] = [times[different.index(nodes)][turn] for nodes in placements]
        found[rule] = {judge: time_tables.mean(values) for judge, values in predicted.items()}
    return found


def written(path, work, rule):
    """The machine file with another rule for ties."""
    with open(path) as file:
        text, replaced = re.subn("ties=source", f"ties={rule}", file.read())
    if replaced != 1:
        raise SystemExit(f"{path} has no torus with half-way ties")
    name = {"+": "plus", "-": "minus"}.get(rule, rule)
    path = os.path.join(work, f"ties-{name}.toml")
    with open(path, "w") as file:
        file.write(text)
    return path


def lines(result):
    """The case, a line for each rule that the search was told."""
    yield f"{result['case']}: predicted under the rules {', '.join(JUDGED)}, simulated {' and '.join(WAYS)}, over those of"
    yield "searches that were told the rule of the simulator"
    best = result["ties"]["source"]
    for rule, found in result["ties"].items():
        yield f"  told {rule:<7}" + "".join(f" {found[judge] / best[judge]:>7.3f}" for judge in [*JUDGED, *WAYS])

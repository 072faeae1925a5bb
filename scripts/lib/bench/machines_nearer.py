"""What other hosts would save, as `map` says it, against the true machines: see
scripts/bench.d/machines."""

import collections
import copy
import math
import os
import random
import tempfile

POINTS = 0.05
# Leaf switches that a job is at, share of a leaf switch's nodes that it needs, and ranks a node.
JOBS = [(2, 0.5, 2), (2, 0.9, 1), (3, 0.9, 2), (8, 0.9, 2)]
# Links above leaf switches that published machines do not have, but small ones do.
NARROW = 8


def all_to_all(ranks, _):
    return [(a, b, 1 << 12) for a in range(ranks) for b in range(ranks) if a != b]


def narrowed(machine):
    """The same machine with links of 8:1 above the leaf switches."""
    other = copy.copy(machine)
    other.name, other.up = f"{machine.name} {NARROW}:1", (math.ceil(machine.nodes / NARROW), 1.0)
    return other


def ratios(machine):
    """The capacities between switches of a machine, from the leaf switches up, as options."""
    cables, width = machine.up
    leaf = machine.nodes / (cables * width)
    group = machine.leaves * machine.nodes / machine.out
    if machine.tells == "group":
        told = [group]
    elif machine.groups > 1:
        told = [leaf, group / leaf]
    else:
        told = [leaf]
    return ["--oversubscription", ",".join(f"{max(1, it):.3f}:1" for it in told)]


def hosts_below(machine, nearer, count):
    """The first hosts that a line of `map` means: of so many leaf switches below one switch, or of
    all of them in turn."""
    each = machine.nodes * (machine.leaves if machine.tells == "group" else 1)
    kind, number = nearer["switch"][0], nearer["switch"][1:]
    if kind == "l":
        leaves = [int(number)]
    elif kind == "g":
        leaves = range(int(number) * machine.leaves, (int(number) + 1) * machine.leaves)
    else:
        leaves = range(machine.hosts // each)
    if nearer["leaf_switches"] is None:
        ordered = [leaf * each + at for at in range(each) for leaf in leaves]
    else:
        ordered = [leaf * each + at for leaf in leaves for at in range(each)]
    return sorted(ordered[:count])


def judged(place, work, machine, number, job, matrix, knows):
    """A row for each line that other hosts would save."""
    leaves, share, cores = job
    title, make = matrix
    chance = random.Random(f"{machine.name} {number} {title} nearer")
    each = max(1, round(share * machine.nodes / leaves))
    count = leaves * each
    at = chance.sample(range(machine.hosts // machine.nodes), leaves)
    hosts = sorted(leaf * machine.nodes + it for leaf in at for it in chance.sample(range(machine.nodes), each))
    messages = make(count * cores, chance)
    options = ["--effort", "fast", *(ratios(machine) if knows else [])]
    placed = lambda hosts: place(work, hosts, cores, count * cores, messages, options)
    here, figures = placed(hosts)
    now = machine.time(messages, here, False)
    for nearer in figures["other_hosts"]["nearer"]:
        there, _ = placed(hosts_below(machine, nearer, count))
        true = 1 - machine.time(messages, there, False) / now
        yield {"machine": machine.name, "job": f"{count}x{cores} at {leaves}", "matrix": title, "told": nearer["saving"], "true": true, "leaf_switches": nearer["leaf_switches"]}


def table(place, machines, matrices, every):
    """Prints a row for each line, and at the end, or when it is stopped, by machine and by whether
    capacities are told how often a line was right."""
    matrices = [*matrices, ("all to all", all_to_all)]
    machines = [*machines, *(narrowed(machine) for machine in machines if machine.tells == "leaf")]
    jobs = list(enumerate((job, matrix) for job in JOBS for matrix in matrices))
    cases = [(machine, *job, knows) for machine in machines for job in jobs for knows in (False, True)]
    random.Random("order").shuffle(cases)
    found, done = [], collections.Counter()
    try:
        for machine, number, case, knows in cases[::every]:
            capacities = "told" if knows else "unknown"
            with tempfile.TemporaryDirectory() as work:
                with open(os.path.join(work, "tree.conf"), "w") as file:
                    file.write(machine.tree())
                for row in judged(place, work, machine, number, *case, knows):
                    found.append({**row, "capacities": capacities})
                    print(", ".join(f"{name} {value}" for name, value in found[-1].items()), flush=True)
            done[machine.name, capacities] += 1
    except KeyboardInterrupt:
        print(f"stopped after {done.total()} of {len(cases[::every])} jobs", flush=True)
    print(f"{'machine':24}{'capacities':>12}{'jobs':>8}{'lines':>8}{'right':>8}{'too much':>10}{'too little':>12}{'off, points':>13}")
    for (name, capacities), jobs in sorted(done.items()):
        print(line(name, capacities, jobs, [row for row in found if (row["machine"], row["capacities"]) == (name, capacities)]))
    print(line("all", "", done.total(), found))
    return found


def line(name, capacities, jobs, rows):
    off = [row["told"] - row["true"] for row in rows]
    right = sum(abs(it) <= POINTS for it in off)
    much, little = sum(it > POINTS for it in off), sum(it < -POINTS for it in off)
    mean = f"{100 * sum(map(abs, off)) / len(off):.1f}" if off else "-"
    return f"{name:24}{capacities:>12}{jobs:>8}{len(rows):>8}{right:>8}{much:>10}{little:>12}{mean:>13}"

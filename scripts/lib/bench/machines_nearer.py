"""What other hosts would save, as `map` says it, against the true machines: see
scripts/bench.d/machines."""

import os
import random
import tempfile

POINTS = 0.05
# Nodes and ranks a node of a job, on nodes that are scattered over the machine.
JOBS = [(8, 4), (16, 4), (32, 4)]


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
    count, cores = job
    title, make = matrix
    chance = random.Random(f"{machine.name} {number} {title} nearer")
    hosts = sorted(chance.sample(range(machine.hosts), count))
    messages = make(count * cores, chance)
    options = ["--effort", "fast", *(ratios(machine) if knows else [])]
    placed = lambda hosts: place(work, hosts, cores, count * cores, messages, options)
    here, figures = placed(hosts)
    now = machine.time(messages, here, False)
    for nearer in figures["other_hosts"]["nearer"]:
        there, _ = placed(hosts_below(machine, nearer, count))
        true = 1 - machine.time(messages, there, False) / now
        yield {"machine": machine.name, "told": nearer["saving"], "true": true, "leaf_switches": nearer["leaf_switches"]}


def table(place, machines, matrices, every):
    """Prints, by machine and by whether capacities are told, how often a line was right."""
    print(f"{'machine':24}{'capacities':>12}{'jobs':>8}{'lines':>8}{'right':>8}{'too much':>10}{'too little':>12}{'off, points':>13}")
    found = []
    for machine in machines:
        with tempfile.TemporaryDirectory() as work:
            with open(os.path.join(work, "tree.conf"), "w") as file:
                file.write(machine.tree())
            for knows in (False, True):
                cases = [(job, matrix) for job in JOBS for matrix in matrices][::every]
                rows = [row for at, case in enumerate(cases) for row in judged(place, work, machine, at, *case, knows)]
                found += [{**row, "capacities": "told" if knows else "unknown"} for row in rows]
                print(line(machine.name, "told" if knows else "unknown", len(cases), rows), flush=True)
    return found


def line(name, capacities, jobs, rows):
    off = [row["told"] - row["true"] for row in rows]
    right = sum(abs(it) <= POINTS for it in off)
    much, little = sum(it > POINTS for it in off), sum(it < -POINTS for it in off)
    mean = f"{100 * sum(map(abs, off)) / len(off):.1f}" if off else "-"
    return f"{name:24}{capacities:>12}{jobs:>8}{len(rows):>8}{right:>8}{much:>10}{little:>12}{mean:>13}"

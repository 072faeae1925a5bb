"""The tables of the benchmark `time`."""

import math
import statistics

from time_prediction import WAY_TOLD

RIVALS = [WAY_TOLD, "block", "time", "hop-bytes", "congestion", "hybrid", "scotch", "scotch by hop-bytes", "metis", "kahip"]
PEERS = ["scotch", "metis", "kahip"]
SHORT = {WAY_TOLD: "told", "hop-bytes": "hop-b", "congestion": "congest", "scotch by hop-bytes": "scotch-h"}
MEANING = {"nb": "all at once (Irecv, Isend, Waitall)", "es": "Irecv, Send to each, Waitall", "ph": "one partner after the other (Sendrecv)"}


def rivals(ours):
    return [name for name in RIVALS if name != ours]


def heading(ours, network, size):
    ways = "; ".join(f"{way}: {meaning}" for way, meaning in MEANING.items())
    return (
        f"Simulated time (SimGrid SMPI) of everybody's placement over that of --objective {ours}; {size // 1024} KiB messages "
        f"on the {network} network.\n{ways}.\ntold: ours where the mapper is told the way, as a profile tells it; scotch: the best of its runs "
        "by simulated time,\nscotch-h: by hop-bytes; kahip: its parts in order.\n"
        "rho t, hop-b: rank correlation of the predicted time and of hop-bytes with the simulated time over 20 placements; "
        "err: median relative\nerror of the predicted seconds; routes: share of these placements whose busiest link the "
        "simulator loads as we do.\n"
        f"{'machine graph':<46} {'way':<3} {'us':>8}{titles(ours)}  {'rho t':>6} {'hop-b':>6} {'err':>6} {'routes':>6}"
    )


def titles(ours):
    return "".join(f" {SHORT.get(name, name):>8}" for name in rivals(ours))


def lines(result, ours, network, size):
    """A case, one line a way of exchanging."""
    title = result["case"]
    for test in result["tests"]:
        if (test["network"], test["bytes"]) != (network, size):
            continue
        seconds = test.get("seconds", {})
        base = seconds.get(ours)
        ratios = "".join(column(seconds.get(name), base) for name in rivals(ours))
        text = f"{title:<46} {test['way']:<3} {microseconds(base)}{ratios}"
        judged = test.get("judged")
        if judged:
            error = statistics.median(map(abs, judged["errors"]))
            text += f"  {judged['time']:>6.2f} {judged['hop-bytes']:>6.2f} {error:>6.1%} {result['routes agree']:>6.0%}"
        yield text
        title = ""


def microseconds(seconds):
    return f"{seconds * 1e6:>8.1f}" if seconds else f"{'-':>8}"


def column(seconds, base):
    return f" {seconds / base:>8.3f}" if seconds else f" {'-':>8}"


def summary(results, ours):
    """Geometric means and worst cases, correlations, errors, CPU time."""
    tests = [(result, test) for result in results for test in result["tests"]]
    groups = dict.fromkeys((test["network"], test["bytes"], test["way"]) for _, test in tests if "seconds" in test)
    if groups:
        yield f"\nGeometric means over {len(results)} cases of everybody's time over that of --objective {ours}; below, the lowest"
        yield f"{'network':<8} {'KiB':>4} {'way':<3}{titles(ours)}"
    for network, size, way in groups:
        met = [test["seconds"] for _, test in tests if (test["network"], test["bytes"], test["way"]) == (network, size, way)]
        for title, figure in (f"{network:<8} {size // 1024:>4} {way:<3}", mean), (" " * 17, min):
            yield title + "".join(overall(met, ours, name, figure) for name in rivals(ours))
    if groups:
        yield from best_peer(tests, groups, ours)
    if any("judged" in test for _, test in tests):
        yield from agreement(results)
    for name in ("time", "congestion", "hybrid"):
        ratios = [result["cpu"][name] / result["cpu"]["hop-bytes"] for result in results if name in result["cpu"]]
        if ratios:
            yield f"CPU time of --objective {name} over that of hop-bytes: {mean(ratios):.2f} (at most {max(ratios):.2f})"


def best_peer(tests, groups, ours):
    """Our time over that of the peer who is best in the case, over all cases and by kind of
    network."""
    for name in ours, WAY_TOLD:
        title = f"--objective {ours}" if name == ours else f"--objective {ours}, told the way,"
        yield f"\nTime of {title} over that of the case's best peer: geometric mean, highest"
        for group in groups:
            network, size, way = group
            met = over_best_peer(tests, group, name)
            lost = max(met["all"])[1] if met else "NOT MEASURED HERE"
            yield f"{network:<8} {size // 1024:>4} {way:<3} {by_kind(met)}; highest in {lost}"
    yield from proved(tests, groups)


def proved(tests, groups):
    """What the mapper proves of the best time that any placement could have, over that of the
    case's best peer."""
    found = {group: over_best_peer(tests, group, "at least") for group in groups}
    if any(found.values()):
        yield "\nTime below which no placement is predicted (proved) over that of the case's best peer: geometric mean, highest"
    for (network, size, way), met in found.items():
        if met:
            yield f"{network:<8} {size // 1024:>4} {way:<3} {by_kind(met)}"


def by_kind(met):
    """Geometric means and highest ratios of `over_best_peer`."""
    return ", ".join(f"{kind} {mean(r for r, _ in ratios):.3f} ({max(ratios)[0]:.3f})" for kind, ratios in met.items())


def over_best_peer(tests, group, name):
    """By kind of network and for all: the ratio to the best peer and the case, for each case."""
    met = {}
    for result, test in tests:
        seconds = {"at least": test.get("at least"), **test.get("seconds", {})}
        theirs = [seconds[peer] for peer in PEERS if peer in seconds]
        if theirs and seconds[name] and (test["network"], test["bytes"], test["way"]) == group:
            ratio = seconds[name] / min(theirs)
            for kind in "all", result["case"].split()[0]:
                met.setdefault(kind, []).append((ratio, result["case"]))
    return met


def overall(met, ours, name, figure):
    ratios = [seconds[name] / seconds[ours] for seconds in met if name in seconds]
    return f" {figure(ratios):>8.3f}" if ratios else f" {'-':>8}"


def agreement(results):
    """Correlations and errors by network, size and way; routes alike everywhere or not."""
    yield "\nRank correlation with simulated time over 20 placements, median / 10th percentile over cases; relative error of"
    yield "predicted seconds, median / 90th percentile over placements of cases where all routes agree; tests that placement"
    yield "moves by more than 5 %"
    yield f"{'network':<8} {'KiB':>4} {'way':<3} {'way unknown':>13} {'way known':>13} {'hop-bytes':>13} {'error':>15} {'moved':>7}"
    tests = [(result, test) for result in results for test in result["tests"] if "judged" in test]
    groups = dict.fromkeys((test["network"], test["bytes"], test["way"]) for _, test in tests)
    for network, size, way in groups:
        met = [(r, t) for r, t in tests if (t["network"], t["bytes"], t["way"]) == (network, size, way)]
        errors = sorted(abs(error) for r, t in met if r["routes agree"] == 1 for error in t["judged"]["errors"])
        yield (
            f"{network:<8} {size // 1024:>4} {way:<3}{correlations(met)} {both(errors, 0.5, 0.9, '.1%') if errors else '':>15}"
            f" {sum(map(moved, met)):>3}/{len(met)}"
        )
    yield f"{'all':<17}{correlations(tests)} {'':>15} {sum(map(moved, tests)):>3}/{len(tests)}"
    yield f"{'moved':<17}{correlations(list(filter(moved, tests)))}"


def moved(test):
    """Whether placement matters in a test."""
    return test[1]["judged"]["spread"] > 0.05


def correlations(tests):
    figures = ("time", "time, way known", "hop-bytes")
    columns = [sorted(test["judged"][figure] for _, test in tests) for figure in figures]
    return "".join(f" {both(column, 0.5, 0.1) if column else '-':>13}" for column in columns)


def both(ascending, first, second, form=".2f"):
    """Two quantiles."""
    return " / ".join(format(ascending[round(share * (len(ascending) - 1))], form) for share in (first, second))


def mean(values):
    """Geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))

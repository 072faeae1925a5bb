"""What our figures say of a placement's time, and how well that agrees with simulated seconds."""

import collections
import statistics

# What the mapper is told of a program that posts everything at once, of one that exchanges with a
# partner at a time, and of one nothing is known of.
EXCHANGES = {"nb": "all", "ph": "pairwise"}
UNKNOWN = "auto"
# The name of our placements where the mapper is told how the program exchanges messages.
WAY_TOLD = "way told"

PARTS = ["busiest_link", "latency", "overhead", "mean_transfer", "total", "predicted_by"]


def total(figures):
    """The predicted time in seconds."""
    return figures["predicted_time"]["total"]


def told(figures, unknown, seconds):
    """How what `eval` says of placements, told the way to exchange and not told it, agrees with
    what was simulated."""
    known = [total(one) for one in figures]
    return {
        "time": spearman([total(one) for one in unknown], seconds),
        "time, way known": spearman(known, seconds),
        "hop-bytes": spearman([one["hop_bytes"] for one in figures], seconds),
        "errors": [ours / theirs - 1 for ours, theirs in zip(known, seconds)],
        "spread": max(seconds) / min(seconds) - 1,
        "placements": [
            {**{part: one["predicted_time"][part] for part in PARTS}, "hop_bytes": one["hop_bytes"], "simulated": spent}
            for one, spent in zip(figures, seconds)
        ],
    }


def spearman(first, second):
    """Rank correlation; 0 where one of both never changes."""
    first, second = ranked(first), ranked(second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 0.0
    return statistics.correlation(first, second)


def ranked(values):
    """The place of each value in ascending order; equal ones, to six digits, share the mean of
    theirs."""
    rounded = [float(f"{value:.6g}") for value in values]
    places = collections.defaultdict(list)
    for place, value in enumerate(sorted(rounded)):
        places[value].append(place)
    return [statistics.mean(places[value]) for value in rounded]

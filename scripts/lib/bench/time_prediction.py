"""What our figures say of a placement's time, and how well that agrees with simulated seconds."""

import collections
import statistics

# The weight of the mean transfer for a program that posts everything at once, one that exchanges with a partner at a
# time, and one nothing is known of.
WEIGHTS = {"nb": 0.0, "ph": 1.0}
UNKNOWN = 0.25


def predicted(figures, machine, network, messages):
    """The parts of the predicted time in seconds, and hop-bytes."""
    congestion = figures["max_congestion"]
    ended = collections.Counter(rank for pair in messages for rank in pair)
    hops = figures["avg_dilation"] * len(messages)
    return {
        "hop_bytes": figures["hop_bytes"],
        "busiest_link": congestion / network.bandwidth,
        "latency": figures["max_dilation"] * network.latency,
        "overhead": max(ended.values()) * network.overhead,
        "mean_transfer": (figures["hop_bytes"] / network.bandwidth + hops * network.latency) / machine.ranks,
    }


def total(parts, s):
    """The predicted time."""
    return parts["busiest_link"] + parts["latency"] + parts["overhead"] + s * parts["mean_transfer"]


def told(way, forecasts, seconds):
    """How forecasts of the same test's placements agree with what was simulated."""
    known = [total(parts, WEIGHTS[way]) for parts in forecasts]
    return {
        "time": spearman([total(parts, UNKNOWN) for parts in forecasts], seconds),
        "time, way known": spearman(known, seconds),
        "hop-bytes": spearman([parts["hop_bytes"] for parts in forecasts], seconds),
        "errors": [ours / theirs - 1 for ours, theirs in zip(known, seconds)],
        "spread": max(seconds) / min(seconds) - 1,
    }


def spearman(first, second):
    """Rank correlation; 0 where one of both never changes."""
    first, second = ranked(first), ranked(second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 0.0
    return statistics.correlation(first, second)


def ranked(values):
    """The place of each value in ascending order; equal ones, to six digits, share the mean of theirs."""
    rounded = [float(f"{value:.6g}") for value in values]
    places = collections.defaultdict(list)
    for place, value in enumerate(sorted(rounded)):
        places[value].append(place)
    return [statistics.mean(places[value]) for value in rounded]

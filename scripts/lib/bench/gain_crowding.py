"""Whether an exchange takes longer where many links are nearly as busy as the busiest.

Terms for that are fitted to measured pairs of a program and a placement, and checked on graphs that
the fit has not seen.
"""

import math
import statistics

from gain_job import PAYLOAD
from gain_links import way
from gain_replayed import geometric

# Of this many graphs in a row, the one with this number, from 0 on, is kept for the check.
PARTS, KEPT = 3, 2
# A prediction is close if it is off by at most this share of what was measured.
CLOSE = 0.1


def summary(pairs):
    """Prints the errors of each term on the graphs that are kept aside, by MPI and network."""
    mpis = dict.fromkeys(it["mpi"] for it in pairs)
    networks = dict.fromkeys((it["mpi"], it["network"]) for it in pairs)
    for mpi, network in [*((mpi, None) for mpi in mpis), *networks]:
        own = [it for it in pairs if it["mpi"] == mpi and network in (None, it["network"])]
        fitted, kept = divided(own)
        if len(fitted) < 4 or len(kept) < 4:
            continue
        print(f"\n{mpi}, {network or 'both networks'}: terms on {len(fitted)} pairs, checked on {len(kept)} of other graphs\n"
              f"Chance moves a median by {noise(own):.1%}: what is below that cannot be told from chance.\n"
              f"{'measured over predicted = factor + weight x':46} {'factor':>7} {'weight':>7} {'error':>6} {'within 10 %':>11}")
        report("nothing", 1.0, 0.0, [1 / ratio(it) - 1 for it in kept])
        factor = fit([(0.0, ratio(it)) for it in fitted])[0]
        report("a factor alone", factor, 0.0, [factor / ratio(it) - 1 for it in kept])
        for name, term in TERMS.items():
            factor, weight = fit([(term(busy(it)), ratio(it)) for it in fitted])
            errors = [(factor + weight * term(busy(it))) / ratio(it) - 1 for it in kept]
            report(name, factor, weight, errors)


def report(name, factor, weight, errors):
    error = math.sqrt(statistics.mean(e * e for e in errors))
    close = sum(abs(e) <= CLOSE for e in errors)
    print(f"{name:46} {factor:7.3f} {weight:7.3f} {error:6.1%} {close:4} of {len(errors)}", flush=True)


def fit(points):
    """Factor and weight with the least squared relative errors."""
    rows = [(1 / y, x / y) for x, y in points]
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(row[i] for row in rows) for i in (0, 1))
    slope = aa * bb - ab * ab
    # A term that is the same for all pairs has no weight.
    if slope <= 1e-9 * aa * max(bb, 1e-300):
        return a / aa, 0.0
    return (bb * a - ab * b) / slope, (aa * b - ab * a) / slope


def divided(pairs):
    """The pairs of graphs to fit, and of those that are kept aside."""
    graphs = list(dict.fromkeys((it["network"], it["seed"]) for it in pairs))
    kept = set(graphs[KEPT::PARTS])
    aside = [(it["network"], it["seed"]) in kept for it in pairs]
    return [it for it, is_kept in zip(pairs, aside) if not is_kept], [it for it, is_kept in zip(pairs, aside) if is_kept]


def noise(pairs):
    """The error of a median of all rounds, from the medians of every other round. Each of these has
    twice the variance, and their difference has four times the variance."""
    halves = [[statistics.median(it["measured"][first::2]) for first in (0, 1)] for it in pairs if len(it["measured"]) > 1]
    return math.sqrt(statistics.mean((2 * (a - b) / (a + b)) ** 2 for a, b in halves)) / 2 if halves else math.nan


def ratio(pair):
    return statistics.median(pair["measured"]) / pair["predicted"]


def busy(pair):
    """How busy links are: for each message its bytes and the shares of the links on its way, the
    shares of all links, and the busiest link's seconds. A share is a link's time over the time of
    the busiest link."""
    ways, seconds = [], {}
    for (source, target), size in geometric(pair["seed"]).items():
        links = way(pair["cluster"], *(pair["hosts"][rank] for rank in (source, target)))
        ways.append((size, list(links)))
        for link, rate in links.items():
            seconds[link] = seconds.get(link, 0.0) + size / (PAYLOAD * rate)
    busiest = max(seconds.values())
    shares = {link: time / busiest for link, time in seconds.items()}
    return [(size, [shares[link] for link in links]) for size, links in ways], list(shares.values()), busiest


def crowd(exponent):
    """The logarithm of how many links are about as busy as the busiest: 0 where one rules."""
    return lambda loads: math.log(sum(share**exponent for share in loads[1]))


def on_a_way(exponent):
    """The most that the links of one way are nearly the busiest: 0 where one rules."""
    return lambda loads: max(sum(share**exponent for share in links) for _, links in loads[0]) - 1


def second(loads):
    """The largest share that the second busiest link of a way has."""
    return max((sorted(links)[-2] for _, links in loads[0] if len(links) > 1), default=0.0)


def bytes_on_two(exponent):
    """The share of the bytes whose ways have a second link that is nearly the busiest."""
    def term(loads):
        ways = loads[0]
        on_two = sum(size * sorted(links)[-2] ** exponent for size, links in ways if len(links) > 1)
        return on_two / sum(size for size, _ in ways)
    return term


TERMS = {
    "1 / seconds of the busiest link": lambda loads: 1 / loads[2],
    "log of how many links, 8-norm": crowd(8),
    "log of how many links, 16-norm": crowd(16),
    "log of how many links, 32-norm": crowd(32),
    "mean share of the links": lambda loads: statistics.mean(loads[1]),
    "links of a way, 4-norm": on_a_way(4),
    "links of a way, 16-norm": on_a_way(16),
    "second busiest link of a way": second,
    "bytes on two busy links, power 4": bytes_on_two(4),
    "bytes on two busy links, power 16": bytes_on_two(16),
    "links of the longest way": lambda loads: max(len(links) for _, links in loads[0]),
}

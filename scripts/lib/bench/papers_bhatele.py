"""Bhatele, Gupta, Kale and Chung, 2010: table II, and what the text says of figure 6."""

from papers_table import Row, Table, about, between

TITLE = "Automated mapping of regular communication graphs on mesh interconnects (Bhatele et al. 2010)"

# Table II: machine, WRF's ranks along x and y (x fastest and the shorter side, as WRF numbers
# them), reduction of hops against XYZ in per cent.
TABLE_II = [
    ("mesh:8x4x8", (16, 16), 33.9),
    ("torus:8x8x8", (16, 32), 41.8),
    ("torus:8x8x16", (32, 32), 63.2),
    ("torus:8x16x16", (32, 64), 66.3),
    ("torus:16x16x16", (64, 64), 60.4),
]

# Points of the Continental U.S. case at 12 km along x and y: a halo is as long as the side of a
# rank's patch of them.
CONUS = (425, 300)

# Figure 6 names the last of these; the others are the planes of figures 2 and 4, of both tables,
# and further ratios.
PLANES = [
    ((9, 8), "6x12"),
    ((6, 5), "10x3"),
    ((16, 4), "8x8"),
    ((32, 4), "8x16"),
    ((16, 16), "32x8"),
    ((64, 16), "32x32"),
    ((27, 44), "36x33"),
    ((100, 40), "125x32"),
]
SUITE = ["mxovlp", "mxov+al", "exco", "coce", "affn"]


SURROGATE = "4 points: the paper does not tell the bytes of a message"
OPTIMUM = "5 %: the paper says near-optimal without a figure"
MOST = "more than half of the planes: the paper says in most cases"
CONSIDERABLE = "a tenth below: the paper says considerably better without a figure"


def tables(mapper, quick):
    yield Table(
        "Table II: hops saved by folding against XYZ, per cent",
        map(lambda row: saved(mapper, *row), TABLE_II[:2] if quick else TABLE_II),
        decimals=1,
        less_is_better=False,
        note="The bytes are as long as the sides of WRF's patches.",
    )
    if quick:
        return
    found = {mesh: plane(mapper, dims, mesh) for dims, mesh in PLANES}
    yield Table("Figure 6: hops of planes", planes(found), decimals=3)
    yield Table("Figure 6: where mxov+al is the best of the five", [aligned(found)], less_is_better=False)


def wrf(mapper, machine, dims):
    patch = [1000 * points // ranks for points, ranks in zip(CONUS, dims)]
    return mapper.case(*grid(dims, (patch[1], patch[0])), machine)


def saved(mapper, machine, dims, published):
    case = wrf(mapper, machine, dims)
    before = case.published("xyz")["hops_per_byte"]
    ours, automatic = case.published("folding"), case.automatic("hop-bytes")
    figures = [100 * (1 - found["hops_per_byte"] / before) for found in (ours, automatic)]
    return Row(f"{dims[0]}x{dims[1]} on {machine}", about(published, 4, SURROGATE), *figures)


def plane(mapper, dims, mesh):
    """Mean hops by every member, and of the automatic choice."""
    case = mapper.case(*grid(dims[::-1], (1, 1)), f"mesh:{mesh}")
    found = {name: case.published(name)["hops_per_byte"] for name in [*SUITE, "pairs"]}
    return {**found, "automatic": case.automatic("hop-bytes")["hops_per_byte"]}


def planes(found):
    named = found["125x32"]
    others = min(named[name] for name in SUITE if name != "affn")
    text = between(0, 0.9, CONSIDERABLE, "considerably")
    yield Row("affn to the best of the other four, 125x32", text, named["affn"] / others, named["automatic"] / others)
    for dims, mesh in PLANES:
        hops = found[mesh]
        # The automatic choice searches more mappings than `pairs` starts from.
        best = min(hops["automatic"], hops["pairs"])
        yield Row(f"pairs to the best known, {dims[0]}x{dims[1]} on {mesh}", between(1, 1.05, OPTIMUM, "near-optimal"),
                  hops["pairs"] / best, hops["automatic"] / best)


def aligned(found):
    best = sum(hops["mxov+al"] <= min(hops[name] for name in SUITE) + 1e-9 for hops in found.values())
    return Row("share of planes", between(0.5, 1, MOST, "most"), best / len(found))


def grid(dims, halo):
    """Ranks of a grid, the first dimension fastest, and the bytes across its edges along x and
    y."""
    wide, high = dims
    messages = {}
    for y in range(high):
        for x in range(wide):
            rank = y * wide + x
            beside = [(rank + 1, halo[0])] * (x + 1 < wide) + [(rank + wide, halo[1])] * (y + 1 < high)
            for other, size in beside:
                messages[rank, other] = messages[other, rank] = size
    return wide * high, messages

"""Bhatele, Gupta, Kale and Chung, 2010: grids on grids. Tables I and II, figures 6, 8, 9 and 10."""

import functools
import subprocess

from papers_jobs import Job
from papers_mapper import saved, seconds

TITLE = "Automated mapping of regular communication graphs on mesh interconnects (Bhatele et al. 2010)"

ASSUMPTIONS = {
    # The paper does not tell the bytes of a message of WRF: a halo is as long as the side of a
    # rank's patch, or all are equal.
    "bytes": ("patch", "equal"),
    # Which dimension of the stencil's grid ranks follow.
    "numbering": ("x fastest", "y fastest"),
}

# Table II: the machine of a number of nodes, and WRF's ranks along x and y: x is the fastest and
# the shorter side, as WRF numbers them.
WRF = {
    256: ("mesh:8x4x8", (16, 16)),
    512: ("torus:8x8x8", (16, 32)),
    1024: ("torus:8x8x16", (32, 32)),
    2048: ("torus:8x16x16", (32, 64)),
    4096: ("torus:16x16x16", (64, 64)),
}
# Points of the Continental U.S. case at 12 km along x and y.
CONUS = (425, 300)

# Table I: nodes and ranks of the stencil, four ranks a node as squares of 2x2.
STENCIL = {
    256: ((4, 4, 4), (32, 8)), 512: ((4, 4, 8), (16, 32)), 1024: ((8, 4, 8), (64, 16)), 2048: ((8, 8, 8), (32, 64)),
    4096: ((8, 8, 16), (32, 128)), 8192: ((8, 8, 32), (64, 128)), 16384: ((8, 16, 32), (64, 256)),
}
CORES = 4
# Partitions with fewer nodes are meshes.
SMALLEST_TORUS = 512
LINKS = "@425MB/s+100ns"
# Bytes of the longest halos of figure 9.
LONG = 8192

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


def wrf(nodes, mapper, assume):
    """Folding against XYZ."""
    machine, dims = WRF[nodes]
    patch = [1000 * points // ranks for points, ranks in zip(CONUS, dims)]
    case = mapper.case(*grid(dims, (patch[1], patch[0]) if assume["bhatele.bytes"] == "patch" else (1, 1)), machine)
    before, folded, automatic = case.published("xyz"), case.published("folding"), case.automatic("hop-bytes")
    yield "hops saved", *(saved(before["hops_per_byte"], found["hops_per_byte"]) for found in (folded, automatic))
    yield "hops", folded["hops_per_byte"], automatic["hops_per_byte"]
    case.write()
    told = subprocess.run([mapper.program, "analyze", case.file("graph.mtx")], capture_output=True, text=True, check=True)
    yield "recognised", int("x".join(map(str, dims[::-1])) in told.stdout)


def stencil(cores, mapper, assume):
    """Folding of the nodes' grid against TXYZ, ranks of a node as squares of 2x2 in both graphs."""
    box, sides = STENCIL[cores]
    fast, slow = sides if assume["bhatele.numbering"] == "x fastest" else reversed(sides)
    kind = "torus" if cores // CORES >= SMALLEST_TORUS else "mesh"
    machine = f"{kind}:{'x'.join(map(str, box))}"
    halves = mapper.case(*grid((fast // 2, slow // 2), (1, 1)), machine)
    halves.published("folding")
    node = halves.nodes()
    squares = [node[rank // fast // 2 * (fast // 2) + rank % fast // 2] for rank in range(cores)]
    case = mapper.case(*grid((fast, slow), (LONG, LONG)), machine + LINKS, CORES)
    before, after = case.judge(txyz(box, cores)), case.judge(squares)
    yield "time saved", saved(seconds(before), seconds(after))
    yield "hops saved", saved(before["hop_bytes"], after["hop_bytes"])


def txyz(box, ranks):
    """Blue Gene's order: the cores of a node, then along the first dimension, the second, the
    third."""
    x, y, z = box
    return [(node % x * y + node // x % y) * z + node // x // y for node in (rank // CORES for rank in range(ranks))]


def base_cases(_, __):
    """Table I's last column, and the other base cases in the text: a slab of the longer side for
    each plane across the shortest dimension. Of both sides of a slab the shorter one."""
    cases = {str(cores): (tuple(size // 2 for size in ranks), box) for cores, (box, ranks) in STENCIL.items()}
    cases |= {"16x32 on 8x8x8": ((16, 32), (8, 8, 8)), "32x32 on 8x8x16": ((32, 32), (8, 8, 16))}
    for name, (ranks, box) in cases.items():
        yield name, min(min(ranks), max(ranks) // min(box))


def planes(mapper, _):
    """Hops of planes by every member."""
    found = {mesh: plane(mapper, dims, mesh) for dims, mesh in PLANES}
    named = found["125x32"]
    others = min(named[name] for name in SUITE if name != "affn")
    yield "affn to the others", named["affn"] / others, named["automatic"] / others
    ratios = [hops["pairs"] / min(hops["automatic"], hops["pairs"]) for hops in found.values()]
    yield "pairs to the best", sorted(ratios)[len(ratios) // 2]
    yield "pairs to the best, worst", max(ratios)
    best = sum(hops["mxov+al"] <= min(hops[name] for name in SUITE) + 1e-9 for hops in found.values())
    yield "aligned is best", best / len(found)
    best = sum(hops["mxov+al"] <= hops["mxovlp"] + 1e-9 for hops in found.values())
    yield "aligned beside overlap", best / len(found)


def plane(mapper, dims, mesh):
    """Mean hops by every member, and of the automatic choice, which searches more mappings than
    `pairs` starts from."""
    case = mapper.case(*grid(dims[::-1], (1, 1)), f"mesh:{mesh}")
    found = {name: case.published(name)["hops_per_byte"] for name in [*SUITE, "pairs"]}
    return {**found, "automatic": case.automatic("hop-bytes")["hops_per_byte"]}


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


JOBS = [
    Job("bhatele.base", base_cases, 1, is_quick=True),
    Job("bhatele.planes", planes, 45),
    *(Job(f"bhatele.wrf-{nodes}", functools.partial(wrf, nodes), 3, is_quick=nodes == 256) for nodes in WRF),
    *(Job(f"bhatele.stencil-{cores}", functools.partial(stencil, cores), 2) for cores in (1024, 4096, 16384)),
]

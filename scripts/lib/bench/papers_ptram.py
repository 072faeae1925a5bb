"""Mirsadeghi and Afsahi, PTRAM, 2016: figures 5 and 6 on the GPC, and its times."""

import random

import cases
from papers_table import Row, Table, about

TITLE = "PTRAM 2016 (Mirsadeghi and Afsahi)"

# Benchmarks with 4096 processes, and of section V.A the figures its text gives for PTRAM relative to block order.
BENCHMARKS = {"2D 5-point": "st2d_64x64", "3D 15-point": "st3d15_16x16x16", "sub-communicators": "sub_a2a_64x64"}
METRICS = {"hop-bytes": "hop_bytes", "max congestion": "max_congestion", "nz average": "nz_avg", "nz variance": "nz_var"}


def tables(mapper):
    yield Table("Figure 5(a)", rows(mapper))


def rows(mapper):
    case = mapper.case(*cases.graph("st2d_64x64"), "ibcore:", 8)
    ours, automatic = case.published("ptram"), case.automatic("congestion")
    for name, key in METRICS.items():
        yield Row(name, about(0.4, 0.1), relative(ours, key), relative(automatic, key))


def relative(figures, key):
    """To block order."""
    return figures[key] / figures["baseline"][key]

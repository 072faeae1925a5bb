"""Pictures by Matplotlib, and graphs for NetworkX."""

from __future__ import annotations

from typing import Any

from . import _tables

# Most rows and columns of a picture: with more ranks, a cell holds several.
_MOST_CELLS = 512


def heat(pairs: _tables.Pairs, ranks: int, place: Any, ax: Any, title: str) -> Any:
    """Bytes of every pair of ranks, each rank in the row and column `place` says, on axes of
    Matplotlib, which are made if there are none."""
    numbers = _tables.numpy()
    pyplot = _tables.needed("matplotlib.pyplot", "Matplotlib", "pictures", "plot")
    if ax is None:
        ax = pyplot.subplots()[1]
    side = max(min(ranks, _MOST_CELLS), 1)
    cells = [place[end] * side // max(ranks, 1) for end in (pairs.senders, pairs.receivers)]
    counted = numbers.bincount(cells[0] * side + cells[1], pairs.bytes, side * side)
    counted = numbers.ma.masked_equal(counted.reshape(side, side), 0)
    extent = (-0.5, ranks - 0.5, ranks - 0.5, -0.5)
    norm = "log" if counted.count() else "linear"
    image = ax.imshow(counted, norm=norm, extent=extent, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="bytes")
    ax.set(title=title, xlabel="receiver", ylabel="sender")
    return ax


def graph(ends: tuple[Any, Any], **attributes: Any) -> Any:
    """A ``networkx.DiGraph`` with an edge for each pair of ends and these columns as attributes."""
    networkx = _tables.needed("networkx", "NetworkX", "graphs", "plot")
    made = networkx.DiGraph()
    rows = zip(*(column.tolist() for column in attributes.values()))
    named = (dict(zip(attributes, row)) for row in rows)
    made.add_edges_from(zip(*(end.tolist() for end in ends), named))
    return made

"""Placements: ranks folded onto a machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from . import _native, _notebook, _plots, _tables
from ._communication import Profile, profile_of
from ._machine import Machine, Spec, machine as built
from ._seats import Seats, seats_of

# The slots that ranks take: a number for all, or one for each.
Weights = Union[None, int, Iterable[int]]

# What a placement is compared with, the first that is known.
_BEFORE = ("launched", "baseline")

# As many as the command takes, more than any node has cores.
_MOST_THREADS = 1024


class Placement(Seats):
    """Seats with their figures; made by `rankfold.map` and `rankfold.evaluate`.

    >>> placed = rankfold.map("app.rfp", "torus:4x4@1GB/s+1us", seed=1)
    >>> placed.slots.shape, sorted(placed.nodes.tolist()) == list(range(16))
    ((16,), True)
    >>> placed.predicted_time <= placed.before["predicted_time"]["total"]
    True
    """

    def __init__(
        self,
        handle: _native.Placed,
        profile: Profile,
        on: Machine,
        exchange: str,
        weights: Optional[list[int]] = None,
    ) -> None:
        super().__init__(handle.seats(), on)
        self._handle = handle
        self._profile = profile
        self._exchange = exchange
        self._weights = weights
        self._figures: dict[str, Any] = json.loads(handle.json)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles everything but the other candidates of the search, which its report lists."""
        handle = self._handle
        known = (handle.notes, handle.json, handle.text)
        slots = self._seats.slots()
        given = (self._profile, self._machine, slots, self._exchange, self._weights, known)
        return _given, given

    @property
    def communication(self) -> Profile:
        """What was placed."""
        return self._profile

    @property
    def figures(self) -> dict[str, Any]:
        """Everything that is known of the placement: the keys of ``rankfold map --json``, or of
        ``rankfold eval --json``."""
        return self._figures

    @property
    def before(self) -> dict[str, Any]:
        """The metrics of what the placement is compared with: where the ranks ran when they were
        profiled, if the machine has those hosts, else block order."""
        found = next(self._figures[key] for key in _BEFORE if key in self._figures)
        return dict(found)

    @property
    def after(self) -> dict[str, Any]:
        """The same metrics of the placement.

        >>> placed = rankfold.map("app.rfp", "torus:4x4")
        >>> placed.after.keys() == placed.before.keys()
        True
        """
        return {key: self._figures[key] for key in self.before}

    @property
    def predicted_time(self) -> float:
        """The predicted communication time, in `unit`."""
        return float(self._figures["predicted_time"]["total"])

    @property
    def unit(self) -> str:
        """Unit of times: ``"seconds"``, or ``"bytes over one link"`` where the machine gives no
        bandwidth."""
        return str(self._figures["predicted_time"]["unit"])

    @property
    def notes(self) -> list[str]:
        """What the reader and the search remark on, one sentence each."""
        return self._handle.notes

    def plot(self, axes: Any = None) -> Any:
        """The bytes of every pair of ranks in the order of the ranks, and in the order of their
        slots, where near the diagonal is near on the machine: on two axes of Matplotlib, or on new
        ones, which are returned.

        >>> [axes.get_title() for axes in rankfold.map("app.rfp", "torus:4x4").plot()]
        ['order of the ranks', 'order of the slots']
        """
        numbers = _tables.numpy()
        if axes is None:
            pyplot = _tables.needed("matplotlib.pyplot", "Matplotlib", "pictures", "plot")
            axes = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")[1]
        in_order = numbers.arange(len(self))
        by_slot = numbers.argsort(numbers.argsort(self.slots))
        titles = ("order of the ranks", "order of the slots")
        for ax, place, title in zip(axes, (in_order, by_slot), titles):
            _plots.heat(self._profile._columns, len(self), place, ax, title)
        return axes

    def to_networkx(self) -> Any:
        """The ranks as `Profile.to_networkx` gives them, with the `node` and the `slot` of each.

        >>> graph = rankfold.evaluate("app.rfp", "torus:4x4", range(16)).to_networkx()
        >>> graph.nodes[3]["node"]
        3
        """
        graph = self._profile.to_networkx()
        for rank, (node, slot) in enumerate(zip(self.nodes.tolist(), self.slots.tolist())):
            graph.nodes[rank].update(node=node, slot=slot)
        return graph

    def report(self) -> str:
        """The report on the placement, as an HTML page in one string.

        >>> rankfold.map("app.rfp", "torus:4x4").report().startswith("<!DOCTYPE html>")
        True
        """
        return self._handle.html()

    def __str__(self) -> str:
        return self._handle.text.rstrip()

    def __repr__(self) -> str:
        where = f"{self._figures['ranks']} ranks on {self._machine.spec}"
        time = f"{self.predicted_time:.4g} {self.unit}"
        return f"<rankfold.Placement of {where}: predicted time {time}>"

    def _repr_html_(self) -> str:
        return _notebook.framed(self.report())


def map(
    communication: Any,
    machine: Spec,
    *,
    objective: str = "time",
    effort: str = "balanced",
    seed: int = 0,
    cores: Optional[int] = None,
    hosts: Union[None, str, "os.PathLike[str]", Iterable[str]] = None,
    node: Union[None, str, "os.PathLike[str]"] = None,
    heuristic: str = "auto",
    exchange: str = "auto",
    refine: bool = True,
    constraints: Iterable[str] = (),
    weights: Weights = None,
    seconds: Optional[float] = None,
    threads: Optional[int] = None,
) -> Placement:
    """Places ranks on a machine, as ``rankfold map`` does.

    `communication` is a profile, a file, or a square matrix of bytes from sender (row) to receiver
    (column): a SciPy matrix, an array or nested lists; or a table of pairs, as `Profile.pairs` is.
    `machine` is what `rankfold.machine` returns
    or takes, and `cores`, `hosts` and `node` are passed on to it. The other arguments are the
    options of the command: what to minimise (``"time"``, ``"hop-bytes"``, ``"congestion"``,
    ``"hybrid"``), how long to search (``"hurried"``, ``"fast"``, ``"balanced"``, ``"best"``, or
    `seconds` by the clock), one heuristic in place of all, how ranks exchange messages (``"all"``
    at once or ``"pairwise"``), and what the placement has to keep, as lines of a file of
    constraints (``["pin 0=n07", "apart 0::16"]``). `weights` are the slots that ranks take, each
    all of one node: a number for all ranks or one for each, by default the weights of a graph's
    vertices, else 1. The same input, seed and effort give the same placement for any number of
    threads.

    >>> import numpy
    >>> heavy = numpy.zeros((16, 16), dtype=int)
    >>> heavy[0, 10] = heavy[10, 0] = 1_000_000
    >>> placed = rankfold.map(heavy, "torus:4x4", objective="hop-bytes")
    >>> placed.before["hop_bytes"], placed.after["hop_bytes"]
    (8000000, 2000000)
    >>> placed = rankfold.map(heavy, "torus:4x4", cores=4, weights=[4, 4] + 14 * [2])
    >>> placed.nodes.tolist().count(placed.nodes[0])                # nobody shares a full node
    1

    Other threads run meanwhile, and Ctrl-C ends the wait for the search at once.
    """
    on = built(machine, cores=cores, hosts=hosts, node=node)
    if threads is not None:
        threads = _tables.number(threads, "threads", 1, _MOST_THREADS)
    profile = profile_of(communication)
    weighed = _weights(weights, profile)
    found = _native.search(
        profile._handle,
        on._handle,
        objective=objective,
        effort=effort,
        seed=_tables.number(seed, "seed", 0, 2**64 - 1),
        heuristic=heuristic,
        exchange=exchange,
        refine=refine,
        constraints=list(constraints),
        weights=weighed,
        seconds=seconds,
        threads=threads or 0,
    )
    return Placement(found, profile, on, exchange, weighed)


def _weights(given: Weights, profile: Profile) -> Optional[list[int]]:
    """The slots that each rank takes, where the user says so."""
    if given is None:
        return None
    each = given if isinstance(given, Iterable) else [given] * profile.ranks
    return [_tables.number(slots, "weights", 1, 2**32 - 1) for slots in each]


def evaluate(
    communication: Any,
    machine: Spec,
    placement: Any,
    *,
    cores: Optional[int] = None,
    hosts: Union[None, str, "os.PathLike[str]", Iterable[str]] = None,
    node: Union[None, str, "os.PathLike[str]"] = None,
    exchange: str = "auto",
    weights: Weights = None,
) -> Placement:
    """The figures of a placement of one's own, as ``rankfold eval`` has them.

    `placement` is the node of every rank, a mapfile in any syntax, or what `rankfold.seats`,
    `rankfold.read_mapfile` or `rankfold.map` returns. All else is as for `map`.

    >>> reverse = rankfold.evaluate("app.rfp", "torus:4x4", range(15, -1, -1))
    >>> best = rankfold.map("app.rfp", "torus:4x4", objective="hop-bytes")
    >>> reverse.after["hop_bytes"] >= best.after["hop_bytes"]
    True
    """
    on = built(machine, cores=cores, hosts=hosts, node=node)
    slots = seats_of(placement, on).slots()
    profile = profile_of(communication)
    return _given(profile, on, slots, exchange, _weights(weights, profile))


def _given(
    profile: Profile,
    on: Machine,
    slots: bytes,
    exchange: str,
    weights: Optional[list[int]] = None,
    known: Optional[tuple[list[str], str, str]] = None,
) -> Placement:
    """A placement whose figures are known, or computed here."""
    seats = _native.seats(on._handle, slots, True)
    found = _native.evaluate(
        profile._handle, seats, exchange=exchange, weights=weights, known=known
    )
    return Placement(found, profile, on, exchange, weights)

"""Placements: ranks folded onto a machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from . import _native, _notebook, _tables
from ._communication import input_of
from ._machine import Machine, Spec, machine as built

# What a placement is compared with, the first that is known.
_BEFORE = ("launched", "baseline")


class Placement:
    """A slot for every rank, with its figures; made by `rankfold.map`.

    >>> placed = rankfold.map("app.rfp", "torus:4x4@1GB/s+1us", seed=1)
    >>> placed.slots.shape, sorted(placed.nodes.tolist()) == list(range(16))
    ((16,), True)
    >>> placed.predicted_time <= placed.before["predicted_time"]["total"]
    True
    """

    def __init__(self, handle: _native.Placed, on: Machine) -> None:
        self._handle = handle
        self._figures: dict[str, Any] = json.loads(handle.json)
        self._machine = on

    @property
    def machine(self) -> Machine:
        """The machine that the ranks are placed on."""
        return self._machine

    @property
    def slots(self) -> Any:
        """The slot of every rank, as an array."""
        return _tables.array(self._handle.slots())

    @property
    def nodes(self) -> Any:
        """The node of every rank, as an array."""
        return _tables.array(self._handle.nodes())

    @property
    def figures(self) -> dict[str, Any]:
        """Everything that is known of the placement: the keys of ``rankfold map --json``."""
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

    def mapfile(self, format: str = "nodes") -> str:
        """The placement in a launcher's own syntax.

        >>> hosts = ["a", "b", "c", "d"]
        >>> placed = rankfold.map([[0, 9], [9, 0]], rankfold.machine("torus:4", hosts=hosts))
        >>> placed.mapfile("seq").split() == [hosts[node] for node in placed.nodes]
        True
        """
        return bytes(self._handle.mapfile(format)).decode()

    def write(self, path: Union[str, "os.PathLike[str]"], format: str = "nodes") -> str:
        """Writes a mapfile, as ``rankfold map --to FORMAT -o PATH`` does, and returns the line that
        launches with it.

        >>> rankfold.map("app.rfp", "torus:4x4").write("app.map")
        'rankfold run --map app.map --hosts HOSTS -- mpirun -n 16 ./app'
        """
        return self._handle.write(os.fspath(path), format).removeprefix("launch with").strip()

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
    seconds: Optional[float] = None,
    threads: Optional[int] = None,
) -> Placement:
    """Places ranks on a machine, as ``rankfold map`` does.

    `communication` is a profile, a file, or a square matrix of bytes from sender (row) to receiver
    (column): a SciPy matrix, an array or nested lists. `machine` is what `rankfold.machine` returns
    or takes, and `cores`, `hosts` and `node` are passed on to it. The other arguments are the
    options of the command: what to minimise (``"time"``, ``"hop-bytes"``, ``"congestion"``,
    ``"hybrid"``), how long to search (``"hurried"``, ``"fast"``, ``"balanced"``, ``"best"``, or
    `seconds` by the clock), one heuristic in place of all, how ranks exchange messages (``"all"``
    at once or ``"pairwise"``), and what the placement has to keep, as lines of a file of
    constraints (``["pin 0=n07", "apart 0::16"]``). The same input, seed and effort give the same
    placement for any number of threads.

    >>> import numpy
    >>> heavy = numpy.zeros((16, 16), dtype=int)
    >>> heavy[0, 10] = heavy[10, 0] = 1_000_000
    >>> placed = rankfold.map(heavy, "torus:4x4", objective="hop-bytes")
    >>> placed.before["hop_bytes"], placed.after["hop_bytes"]
    (8000000, 2000000)

    Other threads run meanwhile, and Ctrl-C ends the wait for the search at once.
    """
    on = built(machine, cores=cores, hosts=hosts, node=node)
    if threads is not None and threads < 1:
        raise _native.Error(f"threads {threads}: at least 1 is needed")
    found = _native.search(
        input_of(communication),
        on._handle,
        objective=objective,
        effort=effort,
        seed=seed,
        heuristic=heuristic,
        exchange=exchange,
        refine=refine,
        constraints=list(constraints),
        seconds=seconds,
        threads=threads or 0,
    )
    return Placement(found, on)

"""Seats: a slot for every rank, as mapfiles hold them."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from . import _files, _native, _tables
from ._machine import Machine, Spec, machine as built


class Seats:
    """A slot of a machine for every rank; made by `rankfold.seats` and `rankfold.read_mapfile`.

    >>> own = rankfold.seats("tree:2x2", [3, 2, 1, 0])
    >>> own.nodes.tolist(), own.slots.tolist()
    ([3, 2, 1, 0], [3, 2, 1, 0])
    """

    def __init__(self, seats: _native.SeatsHandle, on: Machine) -> None:
        self._seats = seats
        self._machine = on

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_slots, (self._machine, self._seats.slots())

    @property
    def machine(self) -> Machine:
        """The machine that the ranks are placed on."""
        return self._machine

    @property
    def slots(self) -> Any:
        """The slot of every rank, as an array."""
        return _tables.array(self._seats.slots())

    @property
    def nodes(self) -> Any:
        """The node of every rank, as an array."""
        return _tables.array(self._seats.nodes())

    def mapfile(self, format: str = "nodes") -> str:
        """The placement in a launcher's own syntax.

        >>> hosts = ["a", "b", "c", "d"]
        >>> placed = rankfold.map([[0, 9], [9, 0]], rankfold.machine("torus:4", hosts=hosts))
        >>> placed.mapfile("seq").split() == [hosts[node] for node in placed.nodes]
        True
        """
        return bytes(self._seats.mapfile(format)).decode()

    def write(self, path: Union[str, "os.PathLike[str]"], format: str = "nodes") -> str:
        """Writes a mapfile, as ``rankfold map --to FORMAT -o PATH`` does, and returns the line that
        launches with it.

        >>> rankfold.map("app.rfp", "torus:4x4").write("app.map")
        'rankfold run --map app.map --hosts HOSTS -- mpirun -n 16 ./app'
        """
        return self._seats.write(os.fspath(path), format).removeprefix("launch with").strip()

    def __len__(self) -> int:
        return len(self._seats.slots()) // 8

    def __repr__(self) -> str:
        return f"<rankfold.Seats of {len(self)} ranks on {self._machine.spec}>"


def seats(machine: Spec, nodes: Any = None, *, slots: Any = None) -> Seats:
    """A placement of one's own: the node of every rank, or its slot, as numbers from 0 up. Ranks on
    one node take its slots in their order.

    >>> rankfold.seats("torus:4x4", [5, 6, 9]).mapfile()
    '5\\n6\\n9\\n'
    >>> rankfold.seats("torus:4x4", [5, 6, 16])
    Traceback (most recent call last):
        ...
    rankfold.Error: placement: rank 2: node 16 on a machine of 16 nodes
    """
    if (nodes is None) == (slots is None):
        raise _native.Error("seats: give nodes or slots")
    places = _tables.whole(nodes if slots is None else slots, "place of rank")
    on = built(machine)
    return Seats(_native.seats(on._handle, places, slots is not None), on)


def _of_slots(on: Machine, slots: bytes) -> Seats:
    return Seats(_native.seats(on._handle, slots, True), on)


def read_mapfile(
    path: Union[str, "os.PathLike[str]"],
    machine: Optional[Spec] = None,
    *,
    format: Optional[str] = None,
) -> Seats:
    """Reads a mapfile in any syntax that rankfold writes, recognised from its lines unless `format`
    names one. A file that names hosts needs a `machine` that has them. Without a machine, the
    placement is on one of just the nodes that the file mentions.

    >>> placed = rankfold.map("app.rfp", "torus:4x4")
    >>> line = placed.write("again.map")
    >>> bool((rankfold.read_mapfile("again.map", "torus:4x4").nodes == placed.nodes).all())
    True
    """
    on = None if machine is None else built(machine)
    name = os.fspath(path)
    with _files.required(name):
        read = _native.read_mapfile(name, machine=None if on is None else on._handle, format=format)
    return Seats(read, on or Machine.of(read.machine()))


def seats_of(given: Any, on: Machine) -> _native.SeatsHandle:
    """The placement that a user names: seats, a mapfile, or the node of every rank."""
    if isinstance(given, Seats):
        return _of_slots(on, given._seats.slots())._seats
    if isinstance(given, (str, os.PathLike)):
        return read_mapfile(given, on)._seats
    return seats(on, given)._seats

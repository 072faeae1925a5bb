"""Machines: a network, its nodes, and the slots on them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional, Union

from . import _files, _native, _notebook, _plots, _tables

Spec = Union[str, "os.PathLike[str]", "Machine"]


class _Words(NamedTuple):
    """What `machine` is called with."""

    spec: str
    cores: Optional[int]
    hosts: Optional[str]
    node: Optional[str]


class Machine:
    """A machine that ranks are placed on; made by `rankfold.machine`.

    >>> machine = rankfold.machine("torus:4x4", cores=2)
    >>> machine.nodes, machine.slots
    (16, 32)
    >>> machine.figures["diameter"]
    4
    """

    def __init__(self, handle: _native.MachineHandle, words: Iterable[_files.Packed]) -> None:
        self._handle = handle
        self._words = words
        self._figures: dict[str, Any] = json.loads(handle.json())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the spec and the names, with copies of the files among them."""
        return _of_copies, (*map(_files.packed, self._words), self._figures)

    @classmethod
    def of(cls, handle: _native.MachineHandle) -> Machine:
        """A machine that is no more than names of nodes and numbers of slots."""
        figures = json.loads(handle.json())
        hosts = figures["hosts"] and ",".join(figures["hosts"])
        cores = figures["slots"] // figures["nodes"]
        return cls(handle, _Words(figures["machine"], cores, hosts, None))

    @property
    def figures(self) -> dict[str, Any]:
        """Nodes, distances, links and their speeds: the keys of ``rankfold machine --json``."""
        return self._figures

    @property
    def spec(self) -> str:
        """The machine in one word."""
        return str(self._figures["machine"])

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self._figures["nodes"])

    @property
    def slots(self) -> int:
        """Number of slots: places for one rank each."""
        return int(self._figures["slots"])

    @property
    def hosts(self) -> Optional[list[str]]:
        """The name of every node; None if nodes have no names."""
        names: Optional[list[str]] = self._figures["hosts"]
        return names

    @property
    def node_of_slots(self) -> Any:
        """The node of every slot, as an array."""
        return _tables.array(self._handle.node_of_slots())

    def to_networkx(self) -> Any:
        """The network as a ``networkx.DiGraph`` of nodes and, after them, switches: an edge for
        every direction of a cable, parallel ones added up, with its `bandwidth` in the unit of the
        machine. A node has its `host`, if it has a name.

        >>> graph = rankfold.machine("torus:4x4@2GB/s").to_networkx()
        >>> graph.number_of_nodes(), graph[0][1]["bandwidth"]
        (16, 2000000000.0)
        """
        starts, ends, bandwidth = self._handle.cables()
        vertices = (_tables.array(starts), _tables.array(ends))
        graph = _plots.graph(vertices, bandwidth=_tables.array(bandwidth, "f8"))
        graph.add_nodes_from(range(self.nodes))
        for node, host in enumerate(self.hosts or ()):
            graph.nodes[node]["host"] = host
        return graph

    def __str__(self) -> str:
        return self._handle.text().rstrip()

    def __repr__(self) -> str:
        return f"<rankfold.Machine {self.spec}: {self.nodes} nodes, {self.slots} slots>"

    def _repr_html_(self) -> str:
        return _notebook.preformatted(str(self))


def machine(
    spec: Spec,
    *,
    cores: Optional[int] = None,
    hosts: Union[None, str, "os.PathLike[str]", Iterable[str]] = None,
    node: Union[None, str, "os.PathLike[str]"] = None,
) -> Machine:
    """The machine of a spec such as ``"dragonfly:4,8,4,33"``, or of a machine file.

    `cores` is the number of ranks that fit on a node, `hosts` names the nodes (a file, a list as
    launchers take it, or the names), and `node` is the XML of ``lstopo``, which describes the
    inside of every node.

    >>> rankfold.machine("tree:2x4", hosts=["a", "b", "c", "d", "e", "f", "g", "h"]).hosts[-1]
    'h'
    >>> rankfold.machine("tors:4x4")
    Traceback (most recent call last):
        ...
    rankfold.Error: machine tors:4x4: no machine file and no known family, did you mean torus?; ...
    """
    if isinstance(spec, Machine):
        if (cores, hosts, node) != (None, None, None):
            raise _native.Error(
                "cores, hosts and node belong to rankfold.machine: this machine has its own"
            )
        return spec
    if cores is not None:
        cores = _tables.number(cores, "cores", 1, 2**32 - 1)
    names = hosts if hosts is None or isinstance(hosts, (str, os.PathLike)) else ",".join(hosts)
    named = None if names is None else os.fspath(names)
    inside = None if node is None else os.fspath(node)
    is_file = isinstance(hosts, os.PathLike)
    return _built(_Words(os.fspath(spec), cores, named, inside), is_file)


def _built(words: _Words, hosts_in_file: bool = False) -> Machine:
    """The machine of these words."""
    spec, cores, hosts, node = words
    file = spec.removeprefix("file:")
    names_file = file != spec or (":" not in spec and ("." in spec or os.sep in spec))
    hosts_in_file = hosts_in_file or os.sep in (hosts or "")
    with _files.required(file if names_file else None, node, hosts if hosts_in_file else None):
        return Machine(_native.machine(spec, cores=cores, hosts=hosts, node=node), words)


def _of_copies(*pickled: Any) -> Machine:
    """A machine of copies of files, of which nothing stays on disk."""
    *copies, figures = pickled
    with _files.unpacked(copies) as words:
        made = _built(_Words(*words))
    made._words, made._figures = copies, figures
    return made

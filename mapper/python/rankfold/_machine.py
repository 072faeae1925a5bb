"""Machines: a network, its nodes, and the slots on them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from . import _native, _notebook, _tables

Spec = Union[str, "os.PathLike[str]", "Machine"]


class Machine:
    """A machine that ranks are placed on; made by `rankfold.machine`.

    >>> machine = rankfold.machine("torus:4x4", cores=2)
    >>> machine.nodes, machine.slots
    (16, 32)
    >>> machine.figures["diameter"]
    4
    """

    def __init__(self, handle: _native.MachineHandle) -> None:
        self._handle = handle
        self._figures: dict[str, Any] = json.loads(handle.json())

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
    names = hosts if hosts is None or isinstance(hosts, (str, os.PathLike)) else ",".join(hosts)
    named = None if names is None else os.fspath(names)
    inside = None if node is None else os.fspath(node)
    return Machine(_native.machine(os.fspath(spec), cores=cores, hosts=named, node=inside))

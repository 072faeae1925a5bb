"""What ranks send each other: profiles and matrices."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Optional, Union

from . import _files, _native, _notebook, _plots, _tables

Path = Union[str, "os.PathLike[str]"]
# Files, or copies of them, with the phase and the model of collectives that are read of them.
_Part = tuple[list[_files.Packed], Optional[str], Optional[str]]


class Profile:
    """The communication of one run; made by `rankfold.read`.

    >>> profile = rankfold.read("app.rfp")
    >>> profile
    <rankfold.Profile app.rfp: 16 ranks, 64 pairs>
    >>> profile.metadata["mpi"]
    'Open MPI v4.1.4'
    """

    def __init__(self, handle: _native.Input, part: Optional[_Part] = None) -> None:
        self._handle = handle
        self._part = part

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles copies of the files, or the pairs where it was made of a matrix."""
        if self._part is None:
            return _of_pairs, (self.ranks, *self._handle.pairs())
        paths, phase, collectives = self._part
        return _read_copies, ([_files.packed(path, True) for path in paths], phase, collectives)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._handle.ranks

    @property
    def notes(self) -> list[str]:
        """What the reader remarks on, one sentence each."""
        return self._handle.notes

    @cached_property
    def _columns(self) -> _tables.Pairs:
        return _tables.Pairs(*(_tables.array(column) for column in self._handle.pairs()))

    @property
    def pairs(self) -> Any:
        """Every pair of ranks that communicate: sender, receiver, bytes and messages.

        A data frame where pandas is installed, else a dict of arrays. `messages` is 0 where the
        input counts none. `map`, `evaluate` and `analyze` take such a table, too, for instance one
        with fewer rows.

        >>> pairs = rankfold.read("app.rfp").pairs
        >>> int(pairs["bytes"].sum())
        640000
        """
        senders, receivers, counted, messages = self._columns
        columns = {"sender": senders, "receiver": receivers, "bytes": counted, "messages": messages}
        table = _tables.table(columns)
        if not isinstance(table, dict):
            # Ranks that send nothing are in no row.
            table.attrs["ranks"] = self.ranks
        return table

    @property
    def bytes(self) -> Any:
        """Bytes from sender (row) to receiver (column), as a ``scipy.sparse.csr_array``.

        >>> profile = rankfold.read("app.rfp")
        >>> int(profile.bytes[0, 1])
        10000
        """
        return self._sparse(self._columns.bytes)

    @property
    def messages(self) -> Any:
        """Messages from sender to receiver, as a ``scipy.sparse.csr_array``."""
        return self._sparse(self._columns.messages)

    def _sparse(self, values: Any) -> Any:
        sparse = _tables.needed("scipy.sparse", "SciPy", "sparse matrices")
        columns = self._columns
        shape = (self.ranks, self.ranks)
        return sparse.csr_array((values, (columns.senders, columns.receivers)), shape=shape)

    def dense(self, what: str = "bytes") -> Any:
        """``"bytes"`` or ``"messages"`` as a NumPy array, which needs no SciPy.

        >>> int(rankfold.read("app.rfp").dense("messages").sum())
        640
        """
        if what not in ("bytes", "messages"):
            raise _native.Error(f"what {what}: unknown; known are bytes, messages")
        columns = self._columns
        matrix = _tables.numpy().zeros((self.ranks, self.ranks), dtype="i8")
        matrix[columns.senders, columns.receivers] = getattr(columns, what)
        return matrix

    def _table(self, name: str) -> str:
        found = self._handle.table(name)
        if found is None:
            raise _native.Error(
                f"{self._handle.name} holds a matrix alone: {name} are in profiles (.rfp)"
            )
        return found

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """Program, MPI library, hosts of the ranks, launch, phases and parameters of the
        library."""
        found: dict[str, Any] = json.loads(self._table("metadata"))
        return found

    @property
    def collectives(self) -> Any:
        """Collective operations by phase (empty: the whole run), communicator, root, form and
        size. `form` is how they were called, such as "nonblocking", and mostly empty.

        A data frame where pandas is installed, else a dict of lists, as for `times` and `sizes`.
        `bytes` is a sum over `calls`; what one call counts is in the documentation of the profile
        format.

        >>> rankfold.read("app.rfp").collectives["operation"][0]
        'Allreduce'
        """
        return _tables.table_of(self._table("collectives"))

    @property
    def times(self) -> Any:
        """Seconds and calls in MPI of every rank, by class of calls; ``run`` is everything from
        start to end.

        >>> sorted(set(rankfold.read("app.rfp").times["calls_of"]))
        ['collectives', 'run', 'waits']
        """
        return _tables.table_of(self._table("times"))

    @property
    def function_times(self) -> Any:
        """Seconds and calls of all ranks in every function of MPI, with the rank that spent the
        longest time there.

        >>> sorted(rankfold.read("app.rfp").function_times["function"])
        ['MPI_Allreduce', 'MPI_Barrier', 'MPI_Wait']
        """
        return _tables.table_of(self._table("function_times"))

    @property
    def function_messages(self) -> Any:
        """Bytes and messages by the function of MPI that sends or fetches them, of the ranks whose
        time was measured. If those are all, the sums are those of the matrix.

        >>> sorted(rankfold.read("app.rfp").function_messages["function"])
        ['MPI_Isend']
        """
        return _tables.table_of(self._table("function_messages"))

    @property
    def sizes(self) -> Any:
        """Messages of all ranks by their size: `smallest` is the least size that a row holds."""
        return _tables.table_of(self._table("sizes"))

    def plot(self, ax: Any = None) -> Any:
        """The bytes of every pair of ranks as a picture, on these axes of Matplotlib or on new
        ones, which are returned.

        >>> rankfold.read("app.rfp").plot().get_xlabel()
        'receiver'
        """
        return _plots.heat(
            self._columns, self.ranks, _tables.numpy().arange(self.ranks), ax, self._handle.name
        )

    def to_networkx(self) -> Any:
        """The ranks as a ``networkx.DiGraph``: an edge a pair, with its `bytes` and `messages`, and
        the `host` of every rank where the profile tells it.

        >>> rankfold.read("app.rfp").to_networkx()[0][1]["bytes"]
        10000
        """
        columns = self._columns
        ends = (columns.senders, columns.receivers)
        graph = _plots.graph(ends, bytes=columns.bytes, messages=columns.messages)
        graph.add_nodes_from(range(self.ranks))
        told = json.loads(self._handle.table("metadata") or "{}")
        for rank, host in enumerate(told.get("hosts", ())):
            graph.nodes[rank]["host"] = host
        return graph

    def report(self) -> str:
        """The report on the communication, as an HTML page in one string."""
        return self._handle.html()

    def __repr__(self) -> str:
        pairs = len(self._handle.pairs()[0]) // 8
        return f"<rankfold.Profile {self._handle.name}: {self.ranks} ranks, {pairs} pairs>"

    def _repr_html_(self) -> str:
        return _notebook.framed(self.report())


class Analysis:
    """The pattern of some communication; made by `rankfold.analyze`."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        figures, text = profile._handle.analyze()
        self._figures: dict[str, Any] = json.loads(figures)
        self._text = text.rstrip()

    @property
    def figures(self) -> dict[str, Any]:
        """The keys of ``rankfold analyze --json``."""
        return self._figures

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<rankfold.Analysis {self._text}>"

    def _repr_html_(self) -> str:
        return _notebook.preformatted(self._text) + self._profile._repr_html_()


def read(
    path: Union[Path, Iterable[Path]],
    *,
    phase: Optional[str] = None,
    collectives: Optional[str] = None,
) -> Profile:
    """Reads the communication of one run, in any format that ``rankfold map`` reads.

    `path` is a file, a directory, or the files of one run. `phase` selects what the program did
    between two calls of ``MPI_Pcontrol``; `collectives` adds collective operations by a model, as
    ``--collectives`` does.

    >>> int(rankfold.read("app.rfp", collectives="ring").bytes.sum()) > 640000
    True
    >>> rankfold.read("lost.rfp")
    Traceback (most recent call last):
        ...
    rankfold._files.MissingFile: cannot read lost.rfp: No such file or directory (os error 2)

    That error is a ``FileNotFoundError``, too.
    """
    files = path if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [path]
    try:
        names = [os.fsdecode(file) for file in files]
    except TypeError as error:
        raise TypeError(f"path: {error}") from None
    with _files.required(*names):
        handle = _native.read(names, phase=phase, collectives=collectives)
    return Profile(handle, (list(names), phase, collectives))


def _read_copies(
    copies: list[_files.Packed], phase: Optional[str], collectives: Optional[str]
) -> Profile:
    """Reads copies of files, and keeps nothing of them on disk."""
    with _files.unpacked(copies) as names:
        profile = read(names, phase=phase, collectives=collectives)
        profile._handle.load()
    profile._part = (copies, phase, collectives)
    return profile


def _of_pairs(ranks: int, *columns: bytes) -> Profile:
    return Profile(_native.from_pairs(ranks, *columns))


def profile_of(given: Any) -> Profile:
    """The communication that a user names: a profile, a file, a matrix of bytes, or a table of
    pairs."""
    if isinstance(given, Profile):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read(given)
    ranks, pairs = _tables.pairs_of(given)
    return _of_pairs(ranks, *(_tables.column(values) for values in pairs))


def analyze(communication: Any) -> Analysis:
    """Finds the pattern of a profile, a file or a matrix: a grid of ranks with its sizes and its
    stencil, or none.

    >>> import numpy
    >>> ring = numpy.roll(numpy.eye(8, dtype=int) * 1000, 1, axis=1)
    >>> found = rankfold.analyze(ring)
    >>> found.figures["pattern"]["kind"]
    'regular'
    >>> print(found)
    8 ranks, 8 pairs with traffic, 8000 bytes
    ...
    """
    return Analysis(profile_of(communication))

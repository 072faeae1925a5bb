"""Columns from the compiled half as arrays, tables and matrices."""

from __future__ import annotations

import importlib
import json
import operator
from types import ModuleType
from typing import Any, NamedTuple

from . import _native


class Pairs(NamedTuple):
    """Columns with an item for each pair of ranks."""

    senders: Any
    receivers: Any
    bytes: Any
    messages: Any


def needed(name: str, called: str, what: str, extra: str = "data") -> ModuleType:
    """The module `name`, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{what} need {called}: pip install 'rankfold[{extra}]'") from None


def numpy() -> ModuleType:
    return needed("numpy", "NumPy", "arrays")


def array(column: bytes, kind: str = "u8") -> Any:
    """A column of 64-bit integers, or of another kind of 64 bits, as an array of its own."""
    return numpy().frombuffer(column, dtype=kind).astype("i8" if kind == "u8" else kind)


def table(columns: dict[str, Any]) -> Any:
    """A data frame where pandas is installed, the columns as they are elsewhere."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def table_of(text: str) -> Any:
    return table(json.loads(text))


def is_table(given: Any) -> bool:
    """Whether it has a row for each pair, as `Profile.pairs` has."""
    names = given if isinstance(given, dict) else getattr(given, "columns", ())
    return all(name in names for name in ("sender", "receiver", "bytes"))


def pairs_of(matrix: Any) -> tuple[int, Pairs]:
    """The number of ranks, and all pairs of a SciPy matrix, an array, nested lists, or a table of
    pairs."""
    numbers = numpy()
    if is_table(matrix):
        senders, receivers, values = (
            listed(matrix[name], name) for name in ("sender", "receiver", "bytes")
        )
        messages = listed(matrix["messages"], "messages") if "messages" in matrix else values * 0
        if len({len(column) for column in (senders, receivers, values, messages)}) > 1:
            raise _native.Error("the columns of a table of pairs differ in length")
        for column in (senders, receivers, values, messages):
            refuse_wrong(column, senders, receivers)
        last = max((int(ranks.max()) for ranks in (senders, receivers) if ranks.size), default=-1)
        if last >= 2**32:
            raise _native.Error(f"rank {last}: ranks are numbers from 0 on, below 2^32")
        ranks = max(last + 1, getattr(matrix, "attrs", {}).get("ranks", 0))
        return ranks, Pairs(senders, receivers, values, messages)
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, values = sparse.shape, numbers.asarray(sparse.data)
        if len(shape) == 2:
            senders, receivers = sparse.row, sparse.col
    else:
        try:
            dense = numbers.asarray(matrix)
        except ValueError:
            raise _native.Error("the rows of the matrix differ in length") from None
        if dense.ndim == 0:
            raise TypeError(
                "communication: a profile, a file, a square matrix or a table of pairs is needed, "
                f"not {matrix!r}"
            )
        if dense.ndim != 2:
            raise _native.Error(f"a matrix has 2 dimensions, not {dense.ndim}")
        shape = dense.shape
        senders, receivers = dense.nonzero()
        values = dense[senders, receivers]
    if len(shape) != 2:
        raise _native.Error(f"a matrix has 2 dimensions, not {len(shape)}")
    if shape[0] != shape[1]:
        raise _native.Error(
            f"the matrix has {shape[0]} rows and {shape[1]} columns: both are the ranks"
        )
    refuse_wrong(values, senders, receivers)
    return shape[0], Pairs(senders, receivers, values, values * 0)


def listed(values: Any, what: str) -> Any:
    """A list as an array of one dimension."""
    try:
        given = numpy().asarray(values)
    except ValueError as error:
        raise _native.Error(f"{what}: {error}") from None
    if given.ndim != 1:
        raise _native.Error(f"{what}: a list is needed, not {given.ndim} dimensions")
    return given


def refuse_wrong(values: Any, senders: Any, receivers: Any) -> None:
    """Raises an error that names the pair of the first value that is no whole number from 0 up."""
    for value, ok, problem in checks(values):
        if not ok.all():
            at = int(ok.argmin())
            raise _native.Error(f"entry ({senders[at]}, {receivers[at]}) is {value[at]}: {problem}")


def checks(values: Any) -> list[tuple[Any, Any, str]]:
    """Values, whether each is right, and what is wrong with the others."""
    numbers = numpy()
    if values.dtype.kind not in "biuf":
        raise _native.Error(f"entries of type {values.dtype} are no numbers of bytes")
    if values.dtype.kind == "b":
        return []
    finite = [(values, numbers.isfinite(values), "not a number of bytes")]
    whole = [
        (
            values,
            values == numbers.trunc(values),
            "a fraction of a byte: scale the matrix to whole bytes",
        )
    ]
    positive = [(values, values >= 0, "no number of bytes is negative")]
    countable = values.astype("f8") < 2.0**63
    few = [(values, countable, "more bytes than can be counted: scale the matrix down")]
    return finite + whole + positive + few


def column(values: Any) -> bytes:
    """An array as a column of 64-bit integers."""
    return bytes(numpy().ascontiguousarray(values, dtype="u8").tobytes())


def whole(values: Any, what: str) -> bytes:
    """A list of whole numbers from 0 up as a column of 64-bit integers."""
    given = listed(values, what)
    if given.size and given.dtype.kind not in "iuf":
        raise _native.Error(f"{what}: whole numbers from 0 up are needed, not {given.dtype}")
    right = (given >= 0) & (given.astype("f8") < 2**32) & (given == numpy().trunc(given))
    if not right.all():
        at = int(right.argmin())
        raise _native.Error(f"{what} {at}: {given[at]}; whole numbers from 0 up are needed")
    return column(given)


def number(value: Any, what: str, least: int, most: int) -> int:
    """A whole number in these bounds, of Python or NumPy."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: a whole number is needed, not {value!r}") from None
    if not least <= found <= most:
        raise _native.Error(f"{what} {found}: a number from {least} to {most} is needed")
    return found

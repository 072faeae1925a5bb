"""Columns from the compiled half as arrays, tables and matrices."""

from __future__ import annotations

import importlib
import json
from types import ModuleType
from typing import Any, NamedTuple

from . import _native


class Pairs(NamedTuple):
    """Columns with an item for each pair of ranks."""

    senders: Any
    receivers: Any
    bytes: Any
    messages: Any


def needed(name: str, called: str, what: str) -> ModuleType:
    """The module `name`, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{what} need {called}: pip install 'rankfold[data]'") from None


def numpy() -> ModuleType:
    return needed("numpy", "NumPy", "arrays")


def array(column: bytes) -> Any:
    """A column of 64-bit integers as an array of its own."""
    return numpy().frombuffer(column, dtype="u8").astype("i8")


def table(columns: dict[str, Any]) -> Any:
    """A data frame where pandas is installed, the columns as they are elsewhere."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def table_of(text: str) -> Any:
    return table(json.loads(text))


def pairs_of(matrix: Any) -> tuple[int, Pairs]:
    """The number of ranks, and all pairs of a SciPy matrix, an array, or nested lists."""
    numbers = numpy()
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, values = sparse.shape, numbers.asarray(sparse.data)
        senders, receivers = sparse.row, sparse.col
    else:
        dense = numbers.asarray(matrix)
        if dense.ndim != 2:
            raise _native.Error(f"a matrix has 2 dimensions, not {dense.ndim}")
        shape = dense.shape
        senders, receivers = dense.nonzero()
        values = dense[senders, receivers]
    if shape[0] != shape[1]:
        raise _native.Error(
            f"the matrix has {shape[0]} rows and {shape[1]} columns: both are the ranks"
        )
    for value, ok, problem in checks(values):
        if not ok.all():
            at = int(ok.argmin())
            raise _native.Error(f"entry ({senders[at]}, {receivers[at]}) is {value[at]}: {problem}")
    return shape[0], Pairs(senders, receivers, values, None)


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
    return finite + whole + positive


def column(values: Any) -> bytes:
    """An array as a column of 64-bit integers."""
    return bytes(numpy().ascontiguousarray(values, dtype="u8").tobytes())

"""Files that something is read from: those that are missing, and copies of them in pickles."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional, Union

from . import _native

# What stands before the name of a file in some specs of machines.
_PREFIX = "file:"


class MissingFile(FileNotFoundError, _native.Error):
    """A file is not there: both a `rankfold.Error` and a ``FileNotFoundError``."""

    def __str__(self) -> str:
        return str(self.strerror)


@contextmanager
def required(*paths: Optional[str]) -> Iterator[None]:
    """Makes an error about a file that is not there a `MissingFile`."""
    try:
        yield
    except _native.Error as error:
        for path in paths:
            if path is not None and not os.path.exists(path):
                raise MissingFile(errno.ENOENT, str(error), path) from None
        raise


class Copy(NamedTuple):
    """What a word names that is a file, a directory, or the beginning of names of files."""

    prefix: str
    name: str
    files: dict[str, bytes]


Packed = Union[None, int, str, Copy]


def packed(word: Packed, is_beginning: bool = False) -> Packed:
    """A copy of the files that a word names, or whose names it begins; any other word as it is."""
    if not isinstance(word, str):
        return word
    prefix = _PREFIX if word.startswith(_PREFIX) else ""
    path = os.path.normpath(word.removeprefix(_PREFIX))
    if os.path.isdir(path):
        found = glob.glob(glob.escape(path) + "/**", recursive=True)
    else:
        found = glob.glob(glob.escape(path) + (".*" if is_beginning else ""))
    directory, name = os.path.split(path)
    files = {}
    for file in filter(os.path.isfile, [path, *found]):
        with open(file, "rb") as opened:
            files[os.path.relpath(file, directory or ".")] = opened.read()
    return Copy(prefix, name, files) if files else word


@contextmanager
def unpacked(words: Iterable[Packed]) -> Iterator[list[Any]]:
    """The words that name the same, with copied files in a directory that goes with the block."""
    with tempfile.TemporaryDirectory(prefix="rankfold-") as top:
        yield [_laid_out(word, os.path.join(top, str(n))) for n, word in enumerate(words)]


def _laid_out(word: Packed, directory: str) -> Union[None, int, str]:
    if not isinstance(word, Copy):
        return word
    for name, content in word.files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    return word.prefix + os.path.join(directory, word.name)

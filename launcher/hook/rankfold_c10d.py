"""Counts the calls of PyTorch's c10d: operation, bytes and members of the group.

Nothing happens before the program imports `torch.distributed`. Then the methods of `ProcessGroup`
that move data are wrapped: each calls the original first, and counts when that has returned. The
counters are in a journal of the library that the variable RANKFOLD_C10D names, and outlive the
process. Versions of c10d that lack a method, or have others, are left as they are."""

import ctypes
import functools
import hashlib
import importlib.abc
import importlib.util
import os
import sys
import weakref

from rankfold_c10d_calls import METHODS, NotUnderstood, on_device, size, warn
from rankfold_c10d_gradients import Gradients

_MODULE = "torch.distributed.distributed_c10d"


def watch():
    """Wraps c10d as soon as the program has imported it."""
    if os.environ.get("RANKFOLD_C10D"):
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds c10d as all other finders would, with a loader that wraps it afterwards."""

    def find_spec(self, name, path, target=None):
        if name != _MODULE:
            return None
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        found = importlib.util.find_spec(name)
        if found is not None and hasattr(found.loader, "exec_module"):
            found.loader = _Loader(found.loader)
        return found


class _Loader(importlib.abc.Loader):
    """The module's own loader, and after it the wrapping."""

    def __init__(self, own):
        self._own = own

    def __getattr__(self, name):
        return getattr(self._own, name)

    def create_module(self, spec):
        return self._own.create_module(spec)

    def exec_module(self, module):
        self._own.exec_module(module)
        try:
            wrap(module)
        except Exception as problem:
            warn(f"c10d is not counted: {problem!r}")


class Counter:
    """The counters of this process."""

    def __init__(self, c10d):
        self._c10d = c10d
        self._groups = weakref.WeakKeyDictionary()
        self._contexts = {}
        self._library = None
        self._ended = False

    def count(self, group, tell):
        """Counts what `tell` returns for the number of members. Trouble ends all counting."""
        if self._ended:
            return
        try:
            context = self._context(group)
            if not context:
                return
            try:
                told = tell(group.size())
            except (NotUnderstood, TypeError, AttributeError):
                told = [("", 0, 0)]
            for row in told:
                if len(row) == 3:
                    name, count, at = row
                    self._library.rankfold_c10d_collective(context, name.encode(), count, at)
                else:
                    peer, count = row
                    if peer != group.rank():
                        self._library.rankfold_c10d_send(context, count, peer)
        except Exception as problem:
            self._ended = True
            warn(f"c10d is not counted from here on: {problem!r}")

    def _table(self, name):
        """A table of c10d by groups, which the module has, or its world in later versions."""
        world = getattr(self._c10d, "_world", None)
        found = getattr(world, name, None)
        return getattr(self._c10d, f"_{name}", {}) if found is None else found

    def _context(self, group):
        context = self._groups.get(group)
        if context is None:
            context = self._groups[group] = self._begin(group)
        return context

    def _begin(self, group):
        """The context of a group; 0 if it is not counted."""
        backend = self._table("pg_map").get(group, ("",))[0]
        if backend in ("mpi", "nccl"):
            # MPI's and NCCL's own profilers count them.
            return 0
        ranks = self._table("pg_group_ranks").get(group)
        if ranks is None:
            ranks = range(group.size())
        name = self._table("pg_names").get(group, "")
        text = f"{name}:{','.join(map(str, sorted(ranks)))}"
        known = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        if known not in self._contexts:
            library = self._open()
            self._contexts[known] = library.rankfold_c10d_begin(known, group.rank(), group.size())
        return self._contexts[known] or 0

    def _open(self):
        if self._library is None:
            # PyDLL keeps Python's lock: the functions return at once.
            library = ctypes.PyDLL(os.environ["RANKFOLD_C10D"])
            context, number = ctypes.c_void_p, ctypes.c_uint64
            library.rankfold_c10d_begin.argtypes = [number, ctypes.c_int, ctypes.c_int]
            library.rankfold_c10d_begin.restype = context
            collective = [context, ctypes.c_char_p, number, ctypes.c_int]
            library.rankfold_c10d_collective.argtypes = collective
            library.rankfold_c10d_send.argtypes = [context, number, ctypes.c_int]
            self._library = library
        return self._library


def wrap(c10d):
    """Wraps what the module `c10d` has of the methods and functions that move data."""
    counter = Counter(c10d)
    group = c10d.ProcessGroup
    for name, tell in METHODS.items():
        if name in vars(group):
            setattr(group, name, _wrapped_method(counter, vars(group)[name], tell))
    distributed = sys.modules["torch.distributed"]
    if hasattr(distributed, "_broadcast_coalesced"):
        own = distributed._broadcast_coalesced
        distributed._broadcast_coalesced = _wrapped_broadcast(counter, own)
    Gradients(counter).wrap(distributed)


def _wrapped_method(counter, own, tell):
    @functools.wraps(own)
    def method(group, *given, **named):
        result = own(group, *given, **named)
        data = [*given, *named.values()]
        counter.count(
            group,
            lambda members: [] if any(map(on_device, data)) else tell(members, *data),
        )
        return result

    return method


def _wrapped_broadcast(counter, own):
    @functools.wraps(own)
    def broadcast(*given, **named):
        result = own(*given, **named)
        group, tensors, _, *at = [*given, *named.values()]

        def tell(_):
            tensors_here = list(tensors)
            if not tensors_here or on_device(tensors_here):
                return []
            return [("Broadcast", size(tensors_here), at[0] if at else 0)]

        counter.count(group, tell)
        return result

    return broadcast

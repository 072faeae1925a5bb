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

_MODULE = "torch.distributed.distributed_c10d"


def warn(text):
    """Writes one line on standard error, which may be closed."""
    try:
        print(f"rankfold: {text}", file=sys.stderr)
    except Exception:
        pass


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


class NotUnderstood(Exception):
    """The arguments of a call are of a kind that is not known here."""


def size(data):
    """Bytes of a tensor, or of all tensors in nested lists."""
    if isinstance(data, (list, tuple)):
        return sum(map(size, data))
    if data.is_sparse:
        raise NotUnderstood("a sparse tensor")
    return data.numel() * data.element_size()


def on_device(data):
    """Whether the tensors are in the memory of a GPU, whose library counts them by itself."""
    while isinstance(data, (list, tuple)):
        if not data:
            return False
        data = data[0]
    return getattr(getattr(data, "device", None), "type", "cpu") != "cpu"


def root(options, *more):
    """The root among the arguments behind the tensors: a number, or a field of the options."""
    for given in (options, *more):
        if isinstance(given, int):
            return given
        if hasattr(given, "rootRank"):
            return given.rootRank
    raise NotUnderstood("no root")


def _vector(name):
    return lambda members, data, *_: [(name, size(data), 0)]


def _from_root(name):
    return lambda members, data, *more: [(name, size(data), root(*more))]


def _second(name):
    """The block of one member is the second argument."""
    return lambda members, _, data, *more: [(name, size(data), 0)]


def _uneven(members, tensors):
    return [(peer, size(tensor)) for peer, tensor in enumerate(tensors)]


def _exchange(members, output, data, output_splits=(), input_splits=(), *_):
    if not output_splits and not input_splits:
        return [("AlltoAll", size(data) // members, 0)]
    rows = list(input_splits) or [data.shape[0] // members] * members
    row = size(data) // data.shape[0] if data.shape[0] else 0
    return [(peer, count * row) for peer, count in enumerate(rows)]


# What each method of a group does: calls of collectives as (name, bytes, root), and messages as
# (peer, bytes).
METHODS = {
    "allreduce": _vector("AllReduce"),
    "allreduce_coalesced": _vector("AllReduce"),
    "broadcast": _from_root("Broadcast"),
    "reduce": _from_root("Reduce"),
    "allgather": _second("AllGather"),
    "_allgather_base": _second("AllGather"),
    "allgather_coalesced": _second("AllGather"),
    "allgather_into_tensor_coalesced": _second("AllGather"),
    "gather": lambda members, _, data, *more: [("Gather", size(data), root(*more))],
    "scatter": lambda members, data, _, *more: [("Scatter", size(data), root(*more))],
    "reduce_scatter": _vector("ReduceScatter"),
    "_reduce_scatter_base": _vector("ReduceScatter"),
    "reduce_scatter_tensor_coalesced": _vector("ReduceScatter"),
    "alltoall_base": _exchange,
    "alltoall": lambda members, _, data, *more: _uneven(members, data),
    "send": lambda members, data, peer, *_: [(peer, size(data))],
    "barrier": lambda members, *_: [("Barrier", 0, 0)],
}


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


class Gradients:
    """The allreduces of DistributedDataParallel, which its reducer calls from C++.

    They are derived: each backward pass that the reducer prepares for reduces all its buckets. A
    hook of the program's own in Python calls c10d by itself, and is counted there."""

    def __init__(self, counter):
        self._counter = counter
        self._reducers = weakref.WeakKeyDictionary()

    def wrap(self, distributed):
        """Wraps the reducer's methods, and the functions that give it another hook."""
        reducer = getattr(distributed, "Reducer", None)
        prepare = vars(reducer).get("prepare_for_backward") if reducer else None
        if prepare is None:
            return
        begin, logger = reducer.__init__, distributed.Logger.__init__

        @functools.wraps(begin)
        def __init__(own, *given, **named):
            begin(own, *given, **named)
            self._note(own, given, named)

        @functools.wraps(prepare)
        def prepare_for_backward(own, *given, **named):
            result = prepare(own, *given, **named)
            self._count(own)
            return result

        @functools.wraps(logger)
        def log(own, *given, **named):
            logger(own, *given, **named)
            for reducer in (*given, *named.values()):
                self._known(reducer)["logger"] = weakref.ref(own)

        reducer.__init__, reducer.prepare_for_backward = __init__, prepare_for_backward
        distributed.Logger.__init__ = log
        for name in ("_register_comm_hook", "_register_builtin_comm_hook"):
            if hasattr(distributed, name):
                setattr(distributed, name, self._registering(getattr(distributed, name)))

    def _known(self, reducer):
        """What is known of a reducer; a table that nobody reads for one that is not counted."""
        try:
            return self._reducers.get(reducer, {})
        except TypeError:
            return {}

    def _note(self, reducer, given, named):
        try:
            tensors = named.get("params", given[0] if given else ())
            tensors = tensors[0] if tensors and isinstance(tensors[0], list) else tensors
            group = named.get("process_group", given[3] if len(given) > 3 else None)
            if group is None or on_device(tensors):
                return
            finds_unused = named.get("find_unused_parameters", len(given) > 6 and given[6])
            self._reducers[reducer] = {
                "group": group,
                "bytes": size(list(tensors)),
                "tensors": len(tensors),
                "finds_unused": bool(finds_unused),
                "scale": 1,
            }
        except Exception as problem:
            warn(f"the gradients of a model are not counted: {problem!r}")

    def _registering(self, own):
        @functools.wraps(own)
        def register(*given, **named):
            result = own(*given, **named)
            reducer, *more = [*given, *named.values()]
            # Half the bytes go for a built-in hook that compresses, none for a hook in Python.
            name = str(more[-1]) if len(more) == 1 else "PYTHON"
            scale = 0 if name == "PYTHON" else 0.5 if "COMPRESS" in name else 1
            self._known(reducer)["scale"] = scale
            return result

        return register

    def _count(self, reducer):
        known = self._reducers.get(reducer)
        if known is None:
            return

        def tell(_):
            buckets = self._buckets(known) if known["scale"] else []
            calls = [("AllReduce", int(bucket * known["scale"]), 0) for bucket in buckets]
            if known["finds_unused"]:
                # One 32-bit number a tensor says whether any rank has used the tensor.
                calls.append(("AllReduce", 4 * known["tensors"], 0))
            return calls

        self._counter.count(known["group"], tell)

    @staticmethod
    def _buckets(known):
        """Bytes of each bucket as the logger tells them; of all together where it does not."""
        try:
            texts = known["logger"]()._get_ddp_logging_data().strs_map
            text = texts.get("rebuilt_bucket_sizes") or texts["bucket_sizes"]
            buckets = [int(bucket) for bucket in text.split(",")]
        except Exception:
            return [known["bytes"]]
        return buckets if sum(buckets) == known["bytes"] else [known["bytes"]]

"""What each method of c10d's `ProcessGroup` does, by its arguments."""

import sys


def warn(text):
    """Writes one line on standard error, which may be closed."""
    try:
        print(f"rankfold: {text}", file=sys.stderr)
    except Exception:
        pass


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

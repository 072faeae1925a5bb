"""The gradients of DistributedDataParallel, whose reducer calls c10d from C++."""

import functools
import weakref

from rankfold_c10d_calls import on_device, size, warn


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

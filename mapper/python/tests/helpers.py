"""What several checks use."""

import contextlib
import json
import os
import subprocess
import sys

import numpy
import scipy.sparse


def command(*words):
    """The figures that the command prints as JSON."""
    program = os.environ["RANKFOLD_MAP"]
    subprocess.run([program, *words, "--json", "told.json"], check=True, stdout=subprocess.DEVNULL)
    with open("told.json") as file:
        return json.load(file)


def without_clocks(figures):
    """Figures that are the same in every run."""
    return {key: value for key, value in figures.items() if not key.endswith("seconds")}


def irregular(ranks, seed):
    """A sparse matrix with nothing regular in it."""
    random = numpy.random.default_rng(seed)
    matrix = scipy.sparse.random_array((ranks, ranks), density=0.1, rng=random)
    matrix.data = random.integers(1, 1_000_000, matrix.nnz)
    return scipy.sparse.csr_array(matrix.astype("i8"))


@contextlib.contextmanager
def missing(*names):
    """As if these packages were not installed."""
    hidden = {name: sys.modules[name] for name in sys.modules if name.split(".")[0] in names}
    sys.modules.update(dict.fromkeys([*names, *hidden]))
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)

"""Read what MPI ranks send each other, and fold the ranks onto a machine.

>>> import rankfold
>>> profile = rankfold.read("app.rfp")                # or .mtx, .csv, .prof, .mat, .graph, ...
>>> profile.ranks
16
>>> profile.bytes.shape                               # sparse, from sender to receiver
(16, 16)
>>> placed = rankfold.map(profile, "torus:4x4@1GB/s+1us")
>>> placed.after["hop_bytes"] <= placed.before["hop_bytes"]
True
>>> placed.nodes[0] in range(16)                      # the node of rank 0
True

The figures are those of the command ``rankfold``, which `pip` installs with this module: same
input, same seed, same placement. In a notebook, what `read`, `map`, `analyze` and `machine` return
shows itself.

Arrays need NumPy, sparse matrices SciPy, and tables are data frames where pandas is installed:
``pip install 'rankfold[data]'`` brings all three; ``rankfold[plot]`` brings Matplotlib and
NetworkX. Bad input raises `Error`, which is a ``ValueError``; for a file that is not there it is a
``FileNotFoundError`` as well. All objects can be pickled: profiles and machines with copies of the
files they were read from.
"""

from ._communication import Analysis, Profile, analyze, read
from ._machine import Machine, machine
from ._native import Error, __version__
from ._placement import Placement, evaluate, map
from ._seats import Seats, read_mapfile, seats

__all__ = [
    "Analysis",
    "Error",
    "Machine",
    "Placement",
    "Profile",
    "Seats",
    "analyze",
    "evaluate",
    "machine",
    "map",
    "read",
    "read_mapfile",
    "seats",
    "__version__",
]

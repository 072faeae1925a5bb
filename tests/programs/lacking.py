"""Calls functions that not every MPI has, and prints of each what became of it."""
from mpi4py import MPI

world = MPI.COMM_WORLD
# What fails otherwise ends the program.
world.Set_errhandler(MPI.ERRORS_ARE_FATAL)
outgoing, incoming = bytearray(8), bytearray(8)

calls = {
    "Isendrecv": lambda: world.Isendrecv(outgoing, 0, 0, incoming, 0, 0).Wait(),
    "Allreduce_init": lambda: world.Allreduce_init(outgoing, incoming).Free(),
    "Session.Init": lambda: MPI.Session.Init().Finalize(),
}
for name, call in calls.items():
    try:
        call()
        print(name, "works")
    except NotImplementedError:
        print(name, "is not there")

"""What mpi4py programs do: pickled objects, buffers, remote memory, neighbourhood collectives.

Everything goes to the next rank. A pickled object counts with the bytes of its pickle. Every rank
prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
"""
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
following, previous = (rank + 1) % ranks, (rank - 1) % ranks
outgoing, incoming = bytearray(1 << 16), bytearray(1 << 18)
sizes = []


def view(size):
    return [memoryview(outgoing)[:size], MPI.BYTE]


def room(size):
    return [memoryview(incoming)[:size], MPI.BYTE]


def pickled():
    thing = {"rank": 7, "text": "x" * 100}
    size = len(MPI.pickle.dumps(thing))
    request = world.isend(thing, following)
    assert world.recv(source=previous) == thing
    request.wait()
    assert world.sendrecv(thing, following, source=previous) == thing
    sizes.extend([size, size])


def buffers():
    receive = world.Irecv(room(1), previous)
    world.Send(view(1), following)
    receive.Wait()
    receive = world.Irecv(room(2), previous)
    world.Isend(view(2), following).Wait()
    receive.Wait()
    world.Sendrecv(view(4), following, recvbuf=room(4), source=previous)
    world.Sendrecv_replace(view(8), following, source=previous)
    sizes.extend([1, 2, 4, 8])


def persistent():
    requests = [world.Recv_init(room(16), previous), world.Send_init(view(16), following)]
    for _ in range(3):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        sizes.append(16)
    for request in requests:
        request.Free()


def remote_memory():
    window = MPI.Win.Create(incoming, 1, comm=world)
    window.Fence()
    window.Put(view(32), following)
    window.Fence()
    window.Accumulate(view(64), following, op=MPI.REPLACE)
    window.Fence()
    window.Free()
    sizes.extend([32, 64])


def neighbours():
    graph = world.Create_dist_graph_adjacent([previous], [following])
    graph.Neighbor_alltoall(view(128), room(128))
    graph.Neighbor_allgather(view(256), room(256))
    graph.Ineighbor_alltoall(view(512), room(512)).Wait()
    graph.Free()
    sizes.extend([128, 256, 512])


def reversed_ranks():
    reverse = world.Split(0, -rank)
    reverse.Sendrecv(view(1024), (reverse.rank - 1) % ranks, recvbuf=room(1024), source=(reverse.rank + 1) % ranks)
    reverse.Free()
    sizes.append(1024)


pickled()
buffers()
persistent()
remote_memory()
neighbours()
reversed_ranks()
assert world.bcast(rank, 0) == 0
sys.stdout.write(f"sent {rank} {following} {sum(sizes)} {len(sizes)}\n")

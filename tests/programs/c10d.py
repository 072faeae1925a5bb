"""Calls of PyTorch's c10d on Gloo, on 4 ranks that torchrun or mpirun has started.

    c10d.py calls            every operation, two groups of two ranks, and a small model
    c10d.py exit             the same, and the process ends without Python's end
    c10d.py hosts            each rank prints its host; any number of ranks
    c10d.py moved FILE       large calls; each rank prints what its network interface has sent
                             meanwhile. FILE is not there yet; ranks meet by it."""

import os
import socket
import sys

import torch
import torch.distributed as dist

STEPS = 3


def every_operation(rank, ranks):
    many = [torch.ones(20) for _ in range(ranks)]
    dist.all_reduce(torch.ones(1000))
    dist.broadcast(torch.ones(500), 1)
    dist.reduce(torch.ones(250), 2)
    dist.all_gather([torch.empty(100) for _ in range(ranks)], torch.ones(100))
    dist.gather(torch.ones(20), many if rank == 0 else None, 0)
    dist.scatter(torch.empty(20), many if rank == 3 else None, 3)
    dist.all_to_all_single(torch.empty(4 * ranks), torch.ones(4 * ranks))
    # Splits make it an exchange of blocks that may be of different sizes.
    splits = [2] * ranks
    dist.all_to_all_single(torch.empty(2 * ranks), torch.ones(2 * ranks), splits, splits)
    try:
        dist.reduce_scatter(torch.empty(30), [torch.ones(30)] * ranks)
        print("counted", rank, "reduce_scatter")
    except RuntimeError:
        print("refused", rank, "reduce_scatter")
    if rank == 0:
        dist.send(torch.ones(7), 1)
    elif rank == 1:
        dist.recv(torch.empty(7), 0)
    dist.barrier()


def two_groups(rank):
    groups = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    dist.all_reduce(torch.ones(300), group=groups[rank % 2])


def model():
    layers = torch.nn.Sequential(torch.nn.Linear(100, 50), torch.nn.Linear(50, 10))
    parallel = torch.nn.parallel.DistributedDataParallel(layers)
    for _ in range(STEPS):
        parallel(torch.ones(8, 100)).sum().backward()


def sent():
    """Payload that the interface has sent, by the counters in the namespace of this process: its
    bytes without the headers of its packets (Ethernet, IP, and TCP with time stamps) and without
    the segments that TCP has sent again."""
    headers, segment = 14 + 20 + 32, 1448
    name = os.environ["GLOO_SOCKET_IFNAME"]
    with open("/proc/self/net/dev") as file:
        rows = [row.partition(":") for row in file]
    # Eight columns are of what was received.
    sent = next(row[2].split()[8:10] for row in rows if row[0].strip() == name)
    with open("/proc/self/net/snmp") as file:
        names, numbers = (line.split() for line in file if line.startswith("Tcp:"))
    again = int(numbers[names.index("RetransSegs")])
    return int(sent[0]) - headers * int(sent[1]) - segment * again


def moved(rank, ranks):
    block = 1 << 18
    dist.barrier()
    before = sent()
    dist.all_reduce(torch.ones(ranks * block))
    dist.broadcast(torch.ones(block), 1)
    dist.reduce(torch.ones(ranks * block), 2)
    dist.all_gather([torch.empty(block) for _ in range(ranks)], torch.ones(block))
    many = [torch.ones(block) for _ in range(ranks)]
    dist.gather(torch.ones(block), many if rank == 0 else None, 0)
    dist.scatter(torch.empty(block), many if rank == 3 else None, 3)
    dist.all_to_all_single(torch.empty(block * ranks), torch.ones(block * ranks))
    dist.barrier()
    print("moved", rank, sent() - before, flush=True)


def across(rank):
    """Ranks 0 and 2, 1 and 3 and so on send each other a megabyte."""
    for turn in (rank, rank ^ 2):
        if turn & 2 == 0:
            dist.send(torch.ones(250_000), rank ^ 2)
        else:
            dist.recv(torch.empty(250_000), rank ^ 2)


def main():
    mode = sys.argv[1]
    given = lambda torchrun, mpi: int(os.environ.get(torchrun) or os.environ[mpi])
    rank = given("RANK", "OMPI_COMM_WORLD_RANK")
    ranks = given("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE")
    if len(sys.argv) > 2:
        meeting = {"init_method": f"file://{sys.argv[2]}", "rank": rank, "world_size": ranks}
    else:
        meeting = {"rank": rank, "world_size": ranks}
    dist.init_process_group("gloo", **meeting)
    if mode == "moved":
        moved(rank, ranks)
        return
    if mode in ("hosts", "across"):
        if mode == "across":
            across(rank)
        dist.all_reduce(torch.ones(1))
        print("host", rank, socket.gethostname(), flush=True)
        return
    every_operation(rank, ranks)
    two_groups(rank)
    model()
    print("done", rank, flush=True)
    if mode == "exit":
        os._exit(0)


main()

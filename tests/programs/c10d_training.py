"""Data-parallel training of a small model by PyTorch on Gloo, started by mpirun.

    c10d_training.py FILE STEPS PARAMETERS     FILE is not there yet; ranks meet by it

Rank 0 prints the seconds of a step, the median over all but the first two steps. Every rank
prints its host."""

import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist

SETTLING = 2


def main():
    meeting, steps, parameters = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rank, ranks = (int(os.environ[f"OMPI_COMM_WORLD_{name}"]) for name in ("RANK", "SIZE"))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
    model = torch.nn.Linear(parameters, 1, bias=False)
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=1e-6)
    data, seconds = torch.ones(1, parameters), []
    for _ in range(steps):
        dist.barrier()
        start = time.monotonic()
        optimizer.zero_grad()
        parallel(data).sum().backward()
        optimizer.step()
        dist.barrier()
        seconds.append(time.monotonic() - start)
    print("host", rank, socket.gethostname(), flush=True)
    if rank == 0:
        print("step", statistics.median(seconds[SETTLING:]), flush=True)


main()

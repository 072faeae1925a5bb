"""Bandwidth and latency by message size, measured in the simulator as they would be on a real
machine."""

import time_machines
import time_simgrid

# Each row holds from its size to the next one's: four in every octave from 32 bytes to 4 MiB.
SIZES = [round(2 ** (exponent / 4)) for exponent in range(20, 89)]


def measured(program, directory, network):
    """The network with the shares of bandwidth and factors of latency that two neighbours see who
    exchange messages.

    The bandwidth of a row is that of the bytes between its two ends, and its latency what is left.
    Where the middle is not on the line between the ends, since the network changes its protocol
    there, the row goes on as the one before.
    """
    ring = time_machines.torus(3)
    rows = [(first, (first + after) // 2, after - 1) for first, after in zip(SIZES, SIZES[1:])]
    tests = [("nb", size) for row in rows for size in row]
    exchange = {(0, 1): 1, (1, 0): 1}
    [seconds], _ = time_simgrid.replay(program, directory, ring, network, ring.ranks, exchange, [[0, 1, 2]], tests)
    known = []
    for (first, middle, last), spent, between, spent_last in zip(rows, seconds[::3], seconds[1::3], seconds[2::3]):
        a_byte = (spent_last - spent) / (last - first)
        latency = spent - first * a_byte
        if abs(latency + middle * a_byte - between) < 1e-3 * between:
            known.append((first, 1 / a_byte / network.bandwidth, latency / network.latency))
    return network._replace(rows=known)

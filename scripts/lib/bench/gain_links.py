"""The bytes through the shaped links of a cluster, from the counters of their interfaces."""

import math
import re


def rates(spec):
    """The bytes per second of the kinds of link: of each dimension of a grid; of a tree's uplinks,
    and of its hosts."""
    return [float(rate) for rate in spec.partition("@")[2].split(",")]


def rate_of(spec, namespace, port):
    """The bytes per second of a port, or None if the port is not shaped."""
    kinds = rates(spec)
    if spec.startswith("tree:"):
        if port == "uplink" or namespace == "root" and re.fullmatch(r"leaf\d+", port):
            return kinds[0]
        is_host_port = port == "fabric0" or re.fullmatch(r"leaf\d+", namespace) and re.fullmatch(r"n\d+", port)
        return kinds[1] if is_host_port else None
    dimension = re.fullmatch(r"(?:up|down)(\d+)", port)
    return kinds[int(dimension.group(1))] if dimension else None


def counters(job, spec):
    """The bytes that every shaped port has sent, by the names of its namespace and of the port."""
    script = 'for n in "$0"/ns/*.net; do echo "@ $(basename "$n" .net)"; nsenter --net="$n" cat /proc/net/dev; done'
    sent, namespace = {}, None
    for row in job.run(["sh", "-c", script, job.cluster]).stdout.splitlines():
        if row.startswith("@ "):
            namespace = row[2:]
        elif ":" in row:
            port, _, numbers = row.partition(":")
            port = port.strip()
            if rate_of(spec, namespace, port) is not None:
                # Eight columns are of what was received.
                sent[namespace, port] = int(numbers.split()[8])
    return sent


def busiest(spec, before, after):
    """The bytes and the rate of the link that took longest to send its bytes."""
    links = ((after[link] - before[link], rate_of(spec, *link)) for link in before)
    return max(links, key=lambda link: link[0] / link[1])


def way(spec, source, target):
    """The links that a message passes from host to host, each with its bytes per second.

    On a tree the way is over leaf switch and root. On a torus it follows the dimensions in their
    order, the shorter way round and upwards at ties.
    """
    kind, _, sizes = spec.partition("@")[0].partition(":")
    sizes, kinds = [int(size) for size in sizes.split("x")], rates(spec)
    if kind == "tree":
        leaves = source // sizes[1], target // sizes[1]
        ends = [("from", source), ("to", target)]
        uplinks = [("up", leaves[0]), ("down", leaves[1])] if leaves[0] != leaves[1] else []
        links = {**{link: kinds[1] for link in ends}, **{link: kinds[0] for link in uplinks}}
        return links if source != target else {}
    links, at, stride = {}, source, math.prod(sizes)
    for dimension, size in enumerate(sizes):
        stride //= size
        upwards = (target // stride - at // stride) % size
        step = 1 if 2 * upwards <= size else -1
        while at // stride % size != target // stride % size:
            links[at, dimension, step] = kinds[dimension]
            place = at // stride % size
            at += ((place + step) % size - place) * stride
    return links

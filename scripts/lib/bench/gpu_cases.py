"""The jobs and machines of the benchmark `gpu`."""

import itertools
import os

from time_machines import Machine, dragonfly, fat_tree
from time_simgrid import NETWORKS

GPUS = 8
# Most GPUs of a job of --quick.
QUICK = 128
# Times the bytes a node's card can send at once that a switch can send up.
OVERSUBSCRIPTION = 2

# InfiniBand and RoCE give flows on one link the same, whatever the lengths of their paths.
SHARING = 'sharing = "equal"\n'

# GPT-3 (175 billion parameters) and Mixtral 8x22B as Megatron-LM launches them, and the
# microbatches of one step for each replica of the model.
DENSE = "--num-layers 96 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048"
EXPERTS = (
    "--num-layers 56 --hidden-size 6144 --ffn-hidden-size 16384 --swiglu --num-attention-heads 48 --num-query-groups 8"
    " --seq-length 4096 --num-experts 8 --moe-router-topk 2"
)
USUAL = "--micro-batch-size 1 --bf16 --sequence-parallel --use-distributed-optimizer"
BATCH = 64

# GPUs, model, pipeline stages, members of a group that shares its experts.
JOBS = [
    (64, "dense", 4, 1), (64, "experts", 2, 4),
    (128, "dense", 4, 1), (128, "experts", 2, 8),
    (256, "dense", 8, 1), (256, "experts", 4, 8),
    (512, "dense", 8, 1), (512, "experts", 4, 8),
]


class Job:
    """A training job: tensor parallel inside nodes; pipeline, data and expert parallel between
    nodes."""

    def __init__(self, gpus, model, pipeline, expert):
        self.gpus, self.pipeline, self.expert = gpus, pipeline, expert
        self.nodes = gpus // GPUS
        self.data = self.nodes // pipeline
        parts = f"pp {pipeline} dp {self.data}" + (f" ep {expert}" if expert > 1 else "")
        self.name = f"{gpus} GPUs {model} {parts}"
        self.model = DENSE if model == "dense" else f"{EXPERTS} --expert-model-parallel-size {expert}"

    def launch(self):
        """The command line."""
        return (
            f"torchrun --nnodes {self.nodes} --nproc-per-node {GPUS} pretrain_gpt.py {self.model} {USUAL}"
            f" --tensor-model-parallel-size {GPUS} --pipeline-model-parallel-size {self.pipeline}"
            f" --global-batch-size {BATCH * self.data}\n"
        )


class Spread(Machine):
    """One rail of a rail-optimised fat tree whose switches spread every flow evenly over their
    cables up: the cables of a leaf switch are then one link."""

    def platform(self, network):
        pods, leaf = self.parameters
        speed = f'speed="1Gf" bw="{network.bandwidth}Bps" lat="{network.latency}s" sharing_policy="SPLITDUPLEX"'
        width = network.bandwidth * (leaf // OVERSUBSCRIPTION)
        lines = []
        for pod in range(pods):
            nodes = f"{pod * leaf}-{(pod + 1) * leaf - 1}"
            lines.append(f'<cluster id="pod{pod}" prefix="n" suffix="" radical="{nodes}" {speed} router_id="leaf{pod}"/>')
        for pod in range(pods):
            up = f'bandwidth="{width}Bps" latency="{network.latency}s" sharing_policy="SPLITDUPLEX"'
            lines.append(f'<link id="up{pod}" {up}/>')
        for a, b in itertools.combinations(range(pods), 2):
            links = f'<link_ctn id="up{a}" direction="UP"/><link_ctn id="up{b}" direction="DOWN"/>'
            ends = f'src="pod{a}" dst="pod{b}" gw_src="leaf{a}" gw_dst="leaf{b}"'
            lines.append(f"<zoneRoute {ends}>{links}</zoneRoute>")
        inside = "\n".join(lines)
        return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="rail" routing="Full">
{inside}
</zone>
</platform>
"""

    def described(self, program, work):
        """The path of a machine file."""
        path = os.path.join(work, "machine.toml")
        hosts = ", ".join(f'"n{node}"' for node in range(self.nodes))
        with open(path, "w") as file:
            file.write(f'hosts = [{hosts}]\nnetwork = "{self.spec}"\n[time]\n{SHARING}bandwidth = "10GB/s"\n')
        return path


class Imported(Machine):
    """One rail of a network that the mapper reads from the simulator's platform file."""

    def described(self, program, work):
        """The path of a machine file."""
        path = self.written(program, work, NETWORKS["clean"])
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("[time]\n", "[time]\n" + SHARING))
        return path


def spread(leaf, pods):
    """A rail-optimised fat tree; the mapper knows all rails."""
    machine = Spread(f"rails spread {leaf}x{pods}", None, (pods, leaf), leaf * pods, 1, [])
    machine.spec = f"rails:{GPUS},{leaf},{pods}:{OVERSUBSCRIPTION}"
    machine.kind, machine.rails = "rails spread", GPUS
    return machine


def imported(machine, kind, name):
    """The mapper knows one rail; the simulator's platform file has seconds."""
    machine.__class__ = Imported
    machine.kind, machine.name, machine.rails = kind, name, 1
    return machine


def static(leaf, pods):
    """A rail-optimised fat tree whose switches choose the cable up by the destination."""
    tree = fat_tree([leaf, pods], [1, leaf // OVERSUBSCRIPTION])
    return imported(tree, "rails static", f"rails static {leaf}x{pods}")


def dragonflies(*sizes):
    """A dragonfly for each rail."""
    machine = dragonfly(*sizes)
    return imported(machine, "dragonfly", machine.name)


# By number of the job's nodes, sizes of which the job has about 60 %: nodes a pod and pods, then
# groups, routers and nodes a router.
MACHINES = {
    8: [(4, 3), (3, 4, 1)],
    16: [(4, 7), (5, 5, 1)],
    32: [(8, 7), (5, 5, 2)],
    64: [(16, 7), (6, 6, 3)],
}


def every(is_quick):
    """Machines with their jobs."""
    for shape in JOBS:
        job = Job(*shape)
        if is_quick and job.gpus > QUICK:
            continue
        tree, fly = MACHINES[job.nodes]
        for machine in static(*tree), spread(*tree), dragonflies(*fly):
            yield machine, job

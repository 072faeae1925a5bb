"""The compiled half of the module: numbers as bytes, structures as JSON."""

from typing import Optional

Column = bytes

__version__: str

class Error(ValueError): ...

class Input:
    name: str
    notes: list[str]
    ranks: int
    def pairs(self) -> tuple[bytes, bytes, bytes, bytes]: ...
    def table(self, name: str) -> Optional[str]: ...
    def analyze(self) -> tuple[str, str]: ...
    def html(self) -> str: ...

class MachineHandle:
    def json(self) -> str: ...
    def text(self) -> str: ...
    def node_of_slots(self) -> bytes: ...

class Placed:
    notes: list[str]
    json: str
    text: str
    def slots(self) -> bytes: ...
    def nodes(self) -> bytes: ...
    def mapfile(self, format: str) -> bytes: ...
    def write(self, path: str, format: str) -> str: ...
    def html(self) -> str: ...

def read(
    paths: list[str], *, phase: Optional[str] = None, collectives: Optional[str] = None
) -> Input: ...
def from_pairs(ranks: int, senders: Column, receivers: Column, bytes: Column) -> Input: ...
def machine(
    spec: str,
    *,
    cores: Optional[int] = None,
    hosts: Optional[str] = None,
    node: Optional[str] = None,
) -> MachineHandle: ...
def search(
    input: Input,
    machine: MachineHandle,
    *,
    objective: str,
    effort: str,
    seed: int,
    heuristic: str,
    exchange: str,
    refine: bool,
    constraints: list[str],
    seconds: Optional[float],
    threads: int,
) -> Placed: ...

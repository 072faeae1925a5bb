"""The compiled half of the module: numbers as bytes, structures as JSON."""

from typing import Optional

Column = bytes

__version__: str

class Error(ValueError): ...

class Input:
    name: str
    notes: list[str]
    ranks: int
    def load(self) -> None: ...
    def pairs(self) -> tuple[bytes, bytes, bytes, bytes]: ...
    def table(self, name: str) -> Optional[str]: ...
    def analyze(self) -> tuple[str, str]: ...
    def html(self) -> str: ...

class MachineHandle:
    def json(self) -> str: ...
    def text(self) -> str: ...
    def node_of_slots(self) -> bytes: ...
    def cables(self) -> tuple[bytes, bytes, bytes]: ...

class SeatsHandle:
    def machine(self) -> MachineHandle: ...
    def slots(self) -> bytes: ...
    def nodes(self) -> bytes: ...
    def mapfile(self, format: str) -> bytes: ...
    def write(self, path: str, format: str) -> str: ...

class Placed:
    notes: list[str]
    json: str
    text: str
    def seats(self) -> SeatsHandle: ...
    def html(self) -> str: ...

def read(
    paths: list[str], *, phase: Optional[str] = None, collectives: Optional[str] = None
) -> Input: ...
def from_pairs(
    ranks: int, senders: Column, receivers: Column, bytes: Column, messages: Column
) -> Input: ...
def machine(
    spec: str,
    *,
    cores: Optional[int] = None,
    hosts: Optional[str] = None,
    node: Optional[str] = None,
) -> MachineHandle: ...
def seats(machine: MachineHandle, places: Column, are_slots: bool) -> SeatsHandle: ...
def read_mapfile(
    path: str, *, machine: Optional[MachineHandle] = None, format: Optional[str] = None
) -> SeatsHandle: ...
def evaluate(
    input: Input,
    seats: SeatsHandle,
    *,
    exchange: str,
    weights: Optional[list[int]] = None,
    known: Optional[tuple[list[str], str, str]] = None,
) -> Placed: ...
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
    weights: Optional[list[int]],
    seconds: Optional[float],
    threads: int,
) -> Placed: ...

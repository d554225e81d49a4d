"""What the processes of one launch are told, and what each of them says at its end: JSON files."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REDUCER, WORKER = "reducer", "worker"


@dataclass(frozen=True)
class Plan:
    """One launch. Ranks count the reducers first, then the workers, as those of our data flow do."""

    kernel: str
    reducers: tuple[str, ...]  # their addresses
    workers: tuple[str, ...]
    threads: int  # of a process, that compute
    cpus: tuple[int, ...]  # which all of them share; empty: any
    warmup: int
    runs: int
    queue: int  # items that a queue holds
    options: dict[str, int]  # the kernel's own, by the names of its factors
    data: str  # folder of the .npy files

    @property
    def tasks(self) -> list[tuple[str, int]]:
        """Job and index of each process, by rank."""
        return [*((REDUCER, index) for index in range(len(self.reducers))),
                *((WORKER, index) for index in range(len(self.workers)))]

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(file: Path) -> "Plan":
        read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value
                                  for key, value in read.items()}
        return Plan(**values)


@dataclass(frozen=True)
class Check:
    """The worst difference to NumPy's result, and how large it may be."""

    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.error <= self.tolerance  # which is false of a NaN


@dataclass(frozen=True)
class Record:
    """What a process has measured: of each run, seconds on its own clock and of its processor time."""

    version: str  # TensorFlow's
    setup: float  # seconds until the first run
    seconds: list[float]
    cpu: list[float]
    paper: list[float]  # seconds by the paper's own clock; empty if another process has it, or none
    check: list[Check]  # one, or none if the process holds no result

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(file: Path) -> "Record":
        values = json.loads(file.read_text(encoding="utf-8"))
        return Record(**{**values, "check": [Check(**each) for each in values["check"]]})

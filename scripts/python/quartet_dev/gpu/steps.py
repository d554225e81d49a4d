"""What a step of quartet gpu is, and what steps need to know of the machine."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.exit_codes import UNAVAILABLE, VERIFIED
from quartet.machine import Machine
from quartet.text import slug

# A queue for all streams, as some set-ups have it: tests that hold a stream would hold the others.
HANGS_TESTS = ("CUDA_DEVICE_MAX_CONNECTIONS",)


@dataclass(frozen=True)
class Gpu:
    """The first GPU, as the driver describes it."""

    name: str
    architecture: str  # "90"
    driver: str = ""

    @property
    def folder(self) -> str:
        return slug(self.name)

    @staticmethod
    def parse(text: str) -> Optional["Gpu"]:
        """Parses a line "NVIDIA H200, 9.0, 580.1", the last part of which may be missing; None if it is none."""
        first = text.splitlines()[0] if text else ""
        found = re.match(r"\s*(.+?)\s*,\s*(\d+)\.(\d+)\s*(?:,\s*(\S+)\s*)?$", first)
        return Gpu(found[1], found[2] + found[3], found[4] or "") if found else None

    @staticmethod
    def here() -> Optional["Gpu"]:
        try:
            done = subprocess.run(
                ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version",
                 "--format=csv,noheader"],
                capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return Gpu.parse(done.stdout) if done.returncode == 0 else None


@dataclass
class Step:
    """Something to run, and how it went."""

    part: str
    title: str
    command: list[str]
    seconds: float  # that it may take
    document: Optional[Path] = None  # that it writes
    result: Optional[Path] = None  # where the document goes if it is good; replaces the one before
    environment: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()  # of the environment
    has_result: bool = False
    code: Optional[int] = None  # None: left out
    took: float = 0
    reason: str = ""  # why it failed or was left out

    @property
    def passed(self) -> bool:
        return self.code == VERIFIED

    @property
    def state(self) -> str:
        if self.code is None:
            return "left out"
        return {VERIFIED: "ok", UNAVAILABLE: "not here"}.get(self.code, "FAILED")

    @property
    def log(self) -> str:
        return f"{slug(f'{self.part} {self.title}')}.log"


def not_here(part: str, title: str, reason: str) -> Step:
    return Step(part, title, [], 0, code=UNAVAILABLE, reason=reason)


@dataclass(frozen=True)
class Place:
    """Where things are, and whether launches are to be small."""

    build: Path
    launcher: Path
    results: Path
    machine: Machine
    small: bool = False  # to try the script: rates mean nothing

    @property
    def logs(self) -> Path:
        return self.results / "logs"

    @property
    def documents(self) -> Path:
        return self.results / "documents"

    @property
    def parts(self) -> Path:
        return self.results / "parts"

    @property
    def scratch(self) -> Path:
        """Folder of data files; later runs use them again."""
        return self.build / "gpu-scratch"

    def program(self, name: str) -> Path:
        return self.build / "bin" / name

    def launch(self, ranks: int, *command: object) -> list[str]:
        return [str(self.launcher), str(ranks), *map(str, command)]

    def cores_for(self, ranks: int) -> dict[str, str]:
        """Returns the variable that deals all cores to the ranks, which make data and check results."""
        return {"QUARTET_THREADS": str(max(1, self.machine.cores // ranks))}


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""

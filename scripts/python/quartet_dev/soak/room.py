"""What a round has: a folder of its own, chances, the programs, and checks of what jobs leave."""

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import VERIFIED
from quartet.files import FileProblem
from quartet.results import load
from quartet_dev.soak import shared_memory
from quartet_dev.soak.job import Ended, Job

COMMON = ("--device", "host", "--threads", "1", "--limits", "off", "--progress", "off")
LAUNCHERS_FOLDER = "launcher"  # for its own files
SECONDS_TO_REMOVE = 2  # for what is removed a moment after the last process has ended


@dataclass
class Room:
    """One round's."""

    folder: Path
    programs: Path
    launcher: Path
    patience: float  # seconds
    chances: random.Random
    stop_at: float  # when no more than the least is to be tried, by time.monotonic()
    why_no_mounts: str = ""  # empty if this process has mounts of its own
    counts: Counter[str] = field(default_factory=Counter[str])  # of what was done

    def __post_init__(self) -> None:
        self._shared_before = shared_memory.entries()
        self.scratch.mkdir()

    @property
    def scratch(self) -> Path:
        return self.folder / LAUNCHERS_FOLDER

    @property
    def late(self) -> bool:
        return time.monotonic() > self.stop_at

    def start(self, program: str, ranks: object, *words: str, where: str = "") -> Job:
        """Words are split at blanks; `where` is a folder in `scratch` for jobs at the same time."""
        arguments = [part for word in words for part in word.split()]
        scratch = self.scratch / where
        scratch.mkdir(exist_ok=True)
        command = [self.launcher, ranks, self.programs / program, *COMMON, *arguments]
        return Job(command, self.folder, scratch, self.patience)

    def run(self, program: str, ranks: int, *words: str) -> Ended:
        return self.start(program, ranks, *words).end()

    def run_verified(self, program: str, ranks: int, *words: str) -> Ended:
        """Undisturbed. Raises Fault if it is not right."""
        ended = self.run(program, ranks, *words)
        if ended.code != VERIFIED:
            raise ended.fault("an undisturbed run failed")
        return ended

    def document(self, file: Path, ended: Ended) -> Optional[dict[str, Any]]:
        """None if there is none. Raises Fault if it is not valid."""
        try:
            return load(file)
        except FileNotFoundError:
            return None
        except FileProblem as problem:
            raise ended.fault(f"left a document that is not valid: {problem}") from None

    def check_files(self, ended: Ended, allowed: Iterable[str]) -> None:
        """Raises Fault if the round's folder has other entries than those, and the locks of what a
        killed job has written."""
        names = {LAUNCHERS_FOLDER, *allowed}
        names |= {f".{name}.lock" for name in names}
        found = sorted(set(os.listdir(self.folder)) - names)
        if found:
            raise ended.fault(f"left {', '.join(found)} behind")

    def check_shared_memory(self, ended: Ended) -> None:
        """Raises Fault if /dev/shm has entries that it had not before the round. Where others use it,
        too, nobody can tell whose they are."""
        if self.why_no_mounts:
            return
        end = time.monotonic() + SECONDS_TO_REMOVE
        while found := sorted(shared_memory.entries() - self._shared_before):
            if time.monotonic() > end:
                raise ended.fault(f"left {', '.join(found)} in {shared_memory.FOLDER} behind")
            time.sleep(0.05)

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def rows(document: Optional[dict[str, Any]], run_type: str = "iteration") -> list[dict[str, Any]]:
    """Measured runs of a document, or its aggregates; none if there is no document."""
    found = document["benchmarks"] if document else []
    return [row for row in found if row.get("run_type") == run_type and "error_occurred" not in row]


def is_verified(document: Optional[dict[str, Any]]) -> bool:
    """True if there are medians, and all of them are right."""
    medians = [row for row in rows(document, "aggregate") if row["aggregate_name"] == "median"]
    return bool(medians) and all(row.get("verified") is True for row in medians)

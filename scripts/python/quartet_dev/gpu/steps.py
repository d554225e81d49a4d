"""What a step of `quartet gpu` is, how it is run within its time, and the record that it leaves."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, worst
from quartet.files import FileProblem, read_json
from quartet.launch import Running
from quartet.machine import Machine
from quartet.text import say, slug

# A queue for all streams, as some set-ups have it: tests that hold a stream would hold the others.
HANGS_TESTS = ("CUDA_DEVICE_MAX_CONNECTIONS",)
SLACK = 60  # seconds; a step that takes these and three times what was expected is stuck
LOG_LINES_SHOWN = 15  # of a step that failed
OK, WRONG, NOT_RUN, NOT_HERE = "ok", "FAILED", "not run", "not here"  # the states of a step
WORST_FIRST = (WRONG, NOT_RUN, OK, NOT_HERE)


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
                ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"],
                capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return Gpu.parse(done.stdout) if done.returncode == 0 else None


@dataclass(frozen=True)
class Place:
    """Where things are, and whether launches are to be small."""

    build: Path
    launcher: Path
    results: Path
    machine: Machine
    small: bool = False  # to try the command: rates mean nothing

    @property
    def logs(self) -> Path:
        return self.results / "logs"

    @property
    def documents(self) -> Path:
        return self.results / "documents"

    @property
    def parts(self) -> Path:
        return self.results / "parts"

    def program(self, name: str) -> Path:
        return self.build / "bin" / name

    def launch(self, ranks: int, *command: object) -> tuple[str, ...]:
        return (str(self.launcher), str(ranks), *map(str, command))

    def cores_for(self, ranks: int) -> dict[str, str]:
        """Returns the variable that deals all cores to the ranks, which make data and check results."""
        return {"QUARTET_THREADS": str(max(1, self.machine.cores // ranks))}

    def shared_by_cores(self, seconds: float) -> float:
        """What takes 16 cores so many seconds takes fewer longer."""
        return seconds * max(1.0, 16 / self.machine.cores)


@dataclass(frozen=True)
class Record:
    """How a step went."""

    title: str
    state: str
    reason: str = ""  # why it is not ok
    code: Optional[int] = None  # None: it has not run
    seconds: float = 0
    expected: float = 0  # seconds
    log: str = ""
    document: str = ""


@dataclass(frozen=True)
class Step:
    """Something to run."""

    part: str
    title: str
    command: tuple[str, ...]
    expected: float  # seconds
    document: str = ""  # that it writes into the logs; a good one replaces the one in the documents
    environment: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()  # of the environment
    found: Optional[Record] = None  # how it went, where planning has found that out

    @property
    def log(self) -> str:
        return f"{slug(f'{self.part} {self.title}')}.log"

    @property
    def limit(self) -> float:
        return 3 * self.expected + SLACK


def watching(sanitizer: str, tool: str) -> tuple[str, ...]:
    """The beginning of a command that compute-sanitizer watches. Calls that CUDA refuses are no findings: tests
    and libraries make some to learn what there is."""
    refused = ("--report-api-errors", "no") if tool == "memcheck" else ()
    return (sanitizer, "--tool", tool, *refused, "--error-exitcode", str(FAILED))


def not_here(part: str, title: str, reason: str) -> Step:
    return Step(part, title, (), 0, found=Record(title, NOT_HERE, reason, UNAVAILABLE))


def failed(part: str, title: str, reason: str, code: int = FAILED) -> Step:
    return Step(part, title, (), 0, found=Record(title, WRONG, reason, code))


class Clock:
    """Counts down the time that is left."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._end = now() + seconds

    def left(self) -> float:
        return self._end - self._now()


def run(step: Step, clock: Clock, place: Place) -> Record:
    """Runs a step that fits the time left, within its own limit; its output goes to a log."""
    if step.found:
        say(f"{step.title}: {step.found.reason}")
        return step.found
    left = clock.left()
    if step.expected > left:
        reason = f"takes about {step.expected:.0f} s, and {max(left, 0):.0f} s are left"
        say(f"{step.title}: not run: {reason}")
        return Record(step.title, NOT_RUN, reason, expected=step.expected)
    say(f"{step.title} (about {step.expected:.0f} s)")
    log = place.logs / step.log
    if step.document:
        (place.logs / step.document).unlink(missing_ok=True)
    begin = time.monotonic()
    try:
        code = _code_within(min(step.limit, left), step, log)
        reason = f"exit code {code}"
    except OSError as error:
        code, reason = FAILED, f"cannot be started ({error.strerror})"
    seconds = time.monotonic() - begin
    if code is None:
        state = WRONG if step.limit < left else NOT_RUN
        reason = (f"took too long: it was ended after {seconds:.0f} s" if state is WRONG
                  else f"the time was over after {seconds:.0f} s of it")
        code = FAILED if state is WRONG else None
    elif code == VERIFIED and step.document and not (place.logs / step.document).exists():
        state, code, reason = WRONG, FAILED, f"left no {step.document}"
    else:
        state = {VERIFIED: OK, UNAVAILABLE: NOT_HERE}.get(code, WRONG)
        reason = "" if state is OK else reason if state is WRONG else last_line(log.read_text(errors="replace"))
    if reason:
        say(f"{step.title}: {state}: {reason}")
    if state is WRONG:
        _show_end(log)
    return Record(step.title, state, reason, code, seconds, step.expected, step.log if log.exists() else "",
                  _kept(step.document, place) if state in (OK, NOT_HERE) else "")


def _code_within(seconds: float, step: Step, log: Path) -> Optional[int]:
    """The exit code; None if the step had to be ended."""
    # The settings of this process count for more than the step's.
    everything = {**step.environment, **os.environ}
    environment = {name: value for name, value in everything.items() if name not in step.unset}
    with open(log, "wb") as output:
        running = Running(subprocess.Popen(step.command, stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=subprocess.STDOUT, env=environment, start_new_session=True))
    code = None
    try:
        code = running.wait(seconds)
    finally:  # an interrupt leaves nothing behind
        if code is None:
            running.cancel()
    return code


def _kept(document: str, place: Place) -> str:
    """Moves a good document to the others. Where a part of a list is not available, the rest has been measured."""
    written = place.logs / document
    if not document or not written.exists():
        return ""
    written.replace(place.documents / document)
    return document


def _show_end(log: Path) -> None:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    say(f"the end of {log}:" if lines else f"{log} is empty")
    for line in lines[-LOG_LINES_SHOWN:]:
        print(f"    {line}", file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def code_of(records: list[Record]) -> int:
    """The worst exit code of what has run; what is not available counts only where nothing else has run."""
    codes = [record.code for record in records if record.code is not None]
    return worst([code for code in codes if code != UNAVAILABLE] or [UNAVAILABLE])


@dataclass(frozen=True)
class PartRecord:
    """How a part went. Each has a file, so that parts that ran at different times, or elsewhere, make one page."""

    name: str
    when: str
    seconds: float
    small: bool
    steps: list[Record]

    @property
    def state(self) -> str:
        """The worst of its steps; what is not here hides nothing that is."""
        states = [step.state for step in self.steps]
        return next((state for state in WORST_FIRST if state in states), "nothing to do")

    def save(self, folder: Path) -> None:
        (folder / f"{self.name}.json").write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(folder: Path, name: str) -> Optional["PartRecord"]:
        """None if the part has not run, or its file is none of save()'s."""
        try:
            content: dict[str, Any] = read_json(folder / f"{name}.json")
            steps = [Record(**step) for step in content.pop("steps")]
            return PartRecord(**content, steps=steps)
        except (FileProblem, OSError, TypeError, KeyError, AttributeError):
            return None

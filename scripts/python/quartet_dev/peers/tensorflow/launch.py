"""Starts the processes of a TensorFlow program on this machine, and makes a document of what they say.

What is to be done comes from a document of our own data flow: the same size, processes, threads, queues,
runs and cores. So the two stand beside each other whatever the sizes."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, WRONG_RESULT
from quartet.files import FileProblem, write_json
from quartet.launch import Files, LocalLauncher, Outcome
from quartet.paths import SCRIPTS
from quartet.processes import kill_session
from quartet.results import Case, cases, load
from quartet_dev.peers.tensorflow.document import document
from quartet_dev.peers.tensorflow.environment import why_not
from quartet_dev.peers.tensorflow.plan import Plan, Record

PORTS = range(20000, 32000)  # below those that systems give to connections on their own
SECONDS_BETWEEN_LOOKS = 0.05
LAST_BYTES = 4096
MODULE = "quartet_dev.peers.tensorflow.task"


@dataclass(frozen=True)
class TensorFlow:
    """A side of a match: the kernel's program in `python`, beside the data flow of a document."""

    kernel: str
    python: Path
    companions: Path  # the pattern of our data flow's documents; any of them will do
    data: Path  # folder of the .npy files
    kind = "json"  # the ending of what it leaves

    def complete(self, _launcher: LocalLauncher, ranks: int, files: Files, timeout: float) -> Outcome:
        """Runs all processes to their end and writes the document."""
        begin = time.monotonic()
        reason = why_not(self.python)
        if reason:
            return Outcome(UNAVAILABLE, 0.0, reason)
        companion = self._companion()
        if companion is None:
            return Outcome(FAILED, 0.0, "there is no document of our data flow to run beside")
        plan = plan_beside(companion, self.kernel, self.data)
        if isinstance(plan, str) or len(plan.tasks) != ranks:
            return Outcome(FAILED, 0.0, plan if isinstance(plan, str) else
                           f"our data flow had {len(plan.tasks)} processes (not {ranks})")
        with tempfile.TemporaryDirectory(prefix="tensorflow-") as folder:
            processes = _Processes(self.python, plan, Path(folder), files.log)
            failure = processes.complete(timeout)
            seconds = time.monotonic() - begin
            if failure:
                return Outcome(FAILED, seconds, failure)
            records = [Record.read(file) for file in processes.records]
        made = document(companion, plan, records, self.python)
        write_json(files.document, made)
        verified = all(case.verified for case in cases(made))
        return Outcome(VERIFIED if verified else WRONG_RESULT, seconds,
                       "" if verified else "its result differs from NumPy's")

    def _companion(self) -> Optional[dict[str, Any]]:
        for file in sorted(self.companions.parent.glob(self.companions.name)):
            with contextlib.suppress(FileProblem, OSError):
                return load(file)
        return None

    def read(self, file: Path) -> list[Case]:
        """The rows of a document that complete() has written."""
        return cases(load(file))


def plan_beside(companion: dict[str, Any], kernel: str, data: Path) -> Union[Plan, str]:
    """Plans what TensorFlow is to do, but for addresses that are free; or says why it cannot."""
    found = cases(companion)
    if len(found) != 1 or found[0].error:
        return "our data flow has no result to stand beside"
    quartet = companion["context"]["quartet"]
    factors = {key: value for key, value in found[0].median["factors"].items() if isinstance(value, int)}
    reducers = factors.get("reducers", 1)
    workers = factors["ranks"] - reducers
    if kernel != quartet["program"]:
        return f"our document is of {quartet['program']} (not {kernel})"
    options = quartet["options"]
    return Plan(kernel, addresses(reducers), addresses(workers), factors["threads"],
                cpus_of(quartet["placement"]), int(options["warmup"]), int(options["runs"]),
                factors.get("queue", 16), factors, str(data.resolve()))


def addresses(count: int) -> tuple[str, ...]:
    """The addresses of ports on this machine that nobody has now. TensorFlow takes no port that is held for it."""
    found: set[int] = set()
    while len(found) < count:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
        found.add(port)
    return tuple(f"127.0.0.1:{port}" for port in sorted(found))


def cpus_of(placement: list[dict[str, Any]]) -> tuple[int, ...]:
    """Returns the CPUs of all ranks together, from lists as the system writes them: "0-3,8"."""
    found: set[int] = set()
    for part in ",".join(place["cpus"] for place in placement).split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found |= set(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def environment(threads: int) -> dict[str, str]:
    """The environment of the processes: no GPU, no proxy between them, and few words."""
    kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    return {**kept, "PYTHONPATH": str(SCRIPTS / "python"), "OMP_NUM_THREADS": str(threads),
            "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}


class _Processes:
    def __init__(self, python: Path, plan: Plan, folder: Path, log: Path):
        self._python, self._plan, self._folder, self._log = python, plan, folder, log
        self.records = [folder / f"record-{rank}.json" for rank in range(len(plan.tasks))]

    def complete(self, timeout: float) -> str:
        """The reason why they failed; empty if all ended well. None is left."""
        file = self._folder / "plan.json"
        self._plan.write(file)
        started: list[subprocess.Popen[bytes]] = []
        with open(self._log, "wb") as log:
            try:
                for (job, index), record in zip(self._plan.tasks, self.records):
                    # In a session of its own: the keyboard's interrupt is for the caller.
                    started.append(subprocess.Popen(
                        [str(self._python), "-m", MODULE, str(file), job, str(index), str(record)],
                        env=environment(self._plan.threads), cwd=self._folder, stdin=subprocess.DEVNULL,
                        stdout=log, stderr=log, start_new_session=True))
                code = _first_failure(started, timeout)
            finally:
                _end(started)
        if code is None:
            return f"did not end within {timeout:g} s (--timeout)"
        return "" if code == 0 else f"TensorFlow's program failed: {_last_line(self._log) or code}"


def _first_failure(started: list[subprocess.Popen[bytes]], timeout: float) -> Optional[int]:
    """The code of the first that failed, 0 if all ended well, None if time was up."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        codes = [process.poll() for process in started]
        failed = next((code for code in codes if code), 0)
        if failed or None not in codes:
            return failed
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return None


def _end(started: list[subprocess.Popen[bytes]]) -> None:
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kill_session(process.pid, 5)
        process.wait()


def _last_line(log: Path) -> str:
    text = log.read_bytes()[-LAST_BYTES:].decode("utf-8", "replace")
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")

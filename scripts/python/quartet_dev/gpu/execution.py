"""Runs the steps of `quartet gpu` within their time, and says how they went."""

import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Callable, Optional

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED
from quartet.launch import Running
from quartet.text import WIDTH, say
from quartet_dev.gpu.steps import Step, last_line

LEAST_SECONDS = 5  # less is no use to any step
LOG_LINES_SHOWN = 15  # of a step that failed


class Clock:
    """Counts down the time that is left."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._end = now() + seconds

    def left(self) -> float:
        return self._end - self._now()


def run(step: Step, clock: Clock, logs: Path) -> None:
    """Runs a step within its time limit and the time left; its output goes to a log."""
    if step.code is not None:
        say(f"{step.title}: {step.reason}")  # found out while planning
        return
    seconds = min(step.seconds, clock.left())
    if seconds < min(step.seconds, LEAST_SECONDS):
        step.reason = "no time left"
        say(f"{step.title}: left out, {step.reason}")
        return
    say(f"{step.title} (at most {seconds:.0f} s)")
    log = logs / step.log
    if step.document:
        step.document.unlink(missing_ok=True)
    begin = time.monotonic()
    try:
        with open(log, "wb") as output:
            running = Running(subprocess.Popen(
                step.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=environment_of(step), start_new_session=True))
            code = None
            try:
                code = running.wait(seconds)
            finally:  # an interrupt leaves nothing behind
                if code is None:
                    running.cancel()
        step.code, step.reason = judge(step, code, seconds)
    except OSError as error:
        step.code, step.reason = FAILED, f"cannot be started ({error.strerror})"
    step.took = time.monotonic() - begin
    if step.code == UNAVAILABLE:
        step.reason = last_line(log.read_text(errors="replace"))  # the program says why
        say(step.reason)
    elif not step.passed:
        show_end(log, step)
    # Where a part of a list is not available here, the others have been measured.
    if step.state in ("ok", "not here") and step.document and step.result and step.document.exists():
        shutil.copyfile(step.document, step.result)
        step.has_result = True


def environment_of(step: Step) -> dict[str, str]:
    """This process's, whose settings count for more than the step's."""
    everything = {**step.environment, **os.environ}
    return {name: value for name, value in everything.items() if name not in step.unset}


def judge(step: Step, code: Optional[int], seconds: float) -> tuple[int, str]:
    """The exit code that counts, and the reason."""
    if code is None:
        return FAILED, f"ended after {seconds:.0f} s: it took too long"
    if code == VERIFIED and step.document and not step.document.exists():
        return FAILED, f"left no {step.document}"
    return code, "" if code == VERIFIED else f"exit code {code}"


def show_end(log: Path, step: Step) -> None:
    say(f"{step.title}: {step.reason}; the end of {log}:")
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    for line in lines[-LOG_LINES_SHOWN:]:
        print(f"    {line}", file=sys.stderr, flush=True)


def summary(steps: list[Step]) -> str:
    """Lists how each step went, how long it took, and what it is."""
    lines = []
    for step in steps:
        note = f": {step.reason}" if step.reason else ""
        lines += textwrap.wrap(f"{step.state:<8} {step.took:6.1f} s  {step.part}: {step.title}{note}",
                               WIDTH, subsequent_indent=" " * 19)
    return "".join(f"{line}\n" for line in lines)



"""A sweep whose launches are steps of the Slurm job in which it runs."""

import argparse
import time
from dataclasses import dataclass
from typing import Optional

from quartet.exit_codes import FAILED, VERIFIED
from quartet.files import reason_of
from quartet.launch import Job, LaunchError, Outcome, Running, judged
from quartet.slurm.allocation import Allocation, StepLauncher
from quartet.sweep.folder import Launch, SweepFolder
from quartet.sweep.loop import Sweep
from quartet.text import counted, say

SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class _Step:
    """A launch that is running."""

    launch: Launch
    job: Job
    running: Running
    begin: float


class JobEnded(Exception):
    """The Slurm job is over, and what ran in it."""


class InsideSweep(Sweep):
    """Launches that name their nodes run beside each other, as many as may and never two on a node; others
    run one after the other. What needs more nodes than the job has is left."""

    def __init__(self, folder: SweepFolder, launcher: StepLauncher, options: argparse.Namespace,
                 allocation: Allocation, at_once: int = 1):
        super().__init__(folder, launcher, options)
        self._steps = launcher
        self._allocation = allocation
        self._at_once = at_once
        self._begin = time.monotonic()

    def _run_all(self, remaining: list[Launch], total: int) -> str:
        fitting = [launch for launch in remaining if self._fits(launch)]
        running: list[_Step] = []
        waiting = list(fitting)
        reason = ""
        try:
            while (waiting and not reason) or running:
                for step in [each for each in running if self._has_ended(each)]:
                    running.remove(step)
                    self._report(step.launch, self._collected(step), total,
                                 [*(each.launch for each in running), *waiting])
                if not reason:
                    reason = self._start_some(waiting, running)
                if running:
                    time.sleep(SECONDS_BETWEEN_LOOKS)
        except JobEnded:
            reason = f"the job has ended with {counted(self._left(remaining), 'launch')} to go"
        except KeyboardInterrupt:
            reason = f"interrupted with {counted(self._left(remaining), 'launch')} to go"
        finally:
            for step in running:
                step.running.cancel()
        if not reason and len(fitting) < len(remaining):
            reason = (f"{counted(self._left(remaining), 'launch')} left, which want more nodes than this job's "
                      f"{len(self._allocation.nodes)}, or others: in a larger job")
        return reason

    def _left(self, remaining: list[Launch]) -> int:
        return sum(self._folder.outcome(each) is None for each in remaining)

    def _fits(self, launch: Launch) -> bool:
        try:
            shape = self._steps.shape(self._job(launch))
        except LaunchError:
            return True  # it will be said, and recorded
        return shape.nodes <= len(self._allocation.nodes) and set(shape.hosts) <= set(self._allocation.nodes)

    def _start_some(self, waiting: list[Launch], running: list[_Step]) -> str:
        """Starts what has room. Why nothing more is to be started; empty if there is no reason."""
        for launch in list(waiting):
            hosts = set(launch.configuration.hosts)
            may_run_beside = hosts and all(step.job.hosts for step in running)
            if len(running) >= self._at_once or (running and not may_run_beside):
                return ""
            if any(hosts & set(step.job.hosts) for step in running):
                continue
            over = time.monotonic() - self._begin + (self._clock.expected(launch) or 0)
            if self._budget is not None and over > self._budget:
                return f"{counted(len(waiting), 'launch')} left out by the budget of {self._budget:g} s"
            waiting.remove(launch)
            try:
                job = self._job(launch)
                process = self._steps.submit(job, self._folder.files(launch).log, self._folder.held)
                running.append(_Step(launch, job, process, time.monotonic()))
            except (LaunchError, OSError) as error:
                text = str(error) if isinstance(error, LaunchError) else f"{error.filename}: {reason_of(error)}"
                self._folder.record(launch, Outcome(FAILED, None, text))
                say(f"{launch.title}: {text}")
        return ""

    def _has_ended(self, step: _Step) -> bool:
        return step.running.wait(0) is not None or time.monotonic() - step.begin > self._timeout

    def _collected(self, step: _Step) -> Outcome:
        """Records and returns how it ended. Raises JobEnded if the Slurm job was the cause."""
        seconds = time.monotonic() - step.begin
        code: Optional[int] = step.running.wait(0)
        if code is None:
            step.running.cancel()
            outcome = Outcome(FAILED, seconds, f"did not end within {self._timeout:g} s (--timeout)")
        else:
            outcome = judged(step.job.program.name, self._folder.files(step.launch), code, seconds)
        if outcome.exit_code != VERIFIED and self._allocation.has_ended:
            raise JobEnded
        self._folder.record(step.launch, outcome)
        return outcome

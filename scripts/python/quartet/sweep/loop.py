"""Runs what is left of a sweep, one launch after the other on this machine, or as steps of the Slurm job that this is
part of; queue.py submits jobs."""

import argparse
from dataclasses import replace
from typing import Optional

from quartet.exit_codes import STOPPED, VERIFIED, worst
from quartet.launch import Job, LaunchError, LocalLauncher, Outcome, quiet_job
from quartet.rounds import Budget, Rounds
from quartet.rounds import Launch as RoundsLaunch
from quartet.slurm.launcher import Allocation, StepLauncher
from quartet.sweep.folder import Launch, SweepFolder, launches
from quartet.text import counted, say


class Sweep:
    """In a job, `allocation`, launches that name their nodes run beside each other, `at_once` of them and never two on
    a node; what needs other nodes than the job has is left."""

    def __init__(self, folder: SweepFolder, launcher: LocalLauncher, options: argparse.Namespace,
                 allocation: Optional[Allocation] = None, at_once: int = 1):
        self._folder = folder
        self._launcher = launcher
        self._allocation = allocation
        self._programs = options.build.resolve() / "bin"
        self._retries = options.retry_failed
        self._all = launches(folder.plan)
        self._rounds = Rounds(launcher, Budget(options.budget), options.timeout, at_once, folder.held, self._is_over)

    def run(self) -> int:
        """Runs what is left. Returns the worst exit code; STOPPED where launches remain."""
        remaining = [launch for launch in self._all if self._is_left(launch)]
        if len(remaining) < len(self._all):
            say(f"{len(self._all) - len(remaining)} of {len(self._all)} launches are done already")
        stopped = self._run_all(remaining)
        if stopped:
            say(f"{stopped}: the same command goes on")
        outcomes = [self._folder.outcome(launch) for launch in self._all]
        return worst([*(outcome.exit_code for outcome in outcomes if outcome), *([STOPPED] if stopped else [])])

    def _is_left(self, launch: Launch) -> bool:
        outcome = self._folder.outcome(launch)
        if outcome and self._retries and outcome.exit_code != VERIFIED:
            return True
        self._rounds.durations.add(self._in_rounds(launch), outcome)
        return outcome is None

    def _run_all(self, remaining: list[Launch]) -> str:
        """The reason why it stopped before all was run; empty if it did not."""
        fitting = [launch for launch in remaining if self._fits(launch)]
        known = {launch.name: launch for launch in fitting}
        found = self._rounds.run([[self._in_rounds(launch)] for launch in fitting],
                                 lambda launch, outcome: self._report(known[launch.name], outcome))
        if found.reason:
            return f"{found.reason} with {counted(len(found.left), 'launch')} to go"
        left = len(remaining) - len(fitting)
        return f"{counted(left, 'launch')} left, which want more or other nodes than this job has: in a larger job" \
            if left else ""

    def _fits(self, launch: Launch) -> bool:
        if not self._allocation or not isinstance(self._launcher, StepLauncher):
            return True
        try:
            shape = self._launcher.shape(self._job(launch))
        except LaunchError:
            return True  # it will be said, and recorded
        return shape.nodes <= len(self._allocation.nodes) and set(shape.hosts) <= set(self._allocation.nodes)

    def _is_over(self) -> str:
        return "the job has ended" if self._allocation and self._allocation.has_ended else ""

    def _in_rounds(self, launch: Launch) -> RoundsLaunch:
        one = launch.configuration
        return RoundsLaunch(launch.name, launch.title, lambda _: self._job(launch), self._folder.files(launch),
                            (launch.number, one.kernel), hosts=one.hosts if self._allocation else ())

    def _report(self, launch: Launch, outcome: Outcome, left: Optional[list[Launch]] = None) -> None:
        """Records and says how it ended."""
        self._folder.record(launch, outcome)
        self._rounds.say(self._in_rounds(launch), outcome, len(self._all), self._folder.misplacement(launch),
                         None if left is None else list(map(self._in_rounds, left)))

    def _job(self, launch: Launch) -> Job:
        """The launch as a job. Removes the document of an earlier, failed attempt."""
        one, document = launch.configuration, self._folder.document(launch)
        document.unlink(missing_ok=True)
        job = quiet_job(self._programs / one.kernel, one.ranks, one.threads, one.command_line(), document.resolve())
        return replace(job, nodes=one.nodes, hosts=one.hosts)

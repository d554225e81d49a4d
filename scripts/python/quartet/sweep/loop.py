"""Runs the launches of a sweep that are left: one after the other on this machine, as steps of the Slurm job that this
process is part of, or as jobs in a queue. Jobs have more files in the folder:

    array-N.tasks/      the launches of each task of an array, and the array's number
    NAME.code           exit code and seconds of a launch that has ended, until they are recorded
    TASK.slurm          Slurm's own messages about a task, until they are added to the launch's log

Exit codes are read from this folder every few seconds; Slurm is asked more rarely, since all users share it."""

import argparse
import contextlib
import math
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED, STOPPED, VERIFIED, worst
from quartet.files import read_text
from quartet.launch import Job, LaunchError, LocalLauncher, Outcome, outcome_of, quiet_job
from quartet.paths import LAUNCHER
from quartet.rounds import Budget, Rounds
from quartet.rounds import Launch as RoundsLaunch
from quartet.slurm.launcher import LONGEST_ARRAY, Allocation, QueueFull, SlurmLauncher, StepLauncher, submitted
from quartet.slurm.machine import MachineError, Request, SlurmMachine, shape_of
from quartet.sweep.folder import Launch, SweepFolder, launches
from quartet.sweep.plan import Configuration, Plan
from quartet.text import counted, rate, say
from quartet.units import KIB

AWAY = ("ReqNodeNotAvail", "NodeDown", "Nodes required for job", "Nodes_required_for_job")  # reasons: nodes are down
POLLS_UNTIL_GONE = 3  # in which the queue does not have a task: a file server may be late with the exit code
POLL_SECONDS = 2.0  # between looking for exit codes in the folder
MOST_BYTES = 64 * KIB  # of Slurm's messages about a task


class Sweep:
    """Runs launches one by one. In a job, the `allocation`, those that name their nodes run up to `at_once` at a time,
    never two on a node; launches that need other nodes than the job has are left."""

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
        """Runs the launches that are left. Returns the worst exit code; STOPPED if launches remain."""
        remaining = [launch for launch in self._all if self._is_left(launch)]
        if len(remaining) < len(self._all):
            say(f"{len(self._all) - len(remaining)} of {len(self._all)} launches are done already")
        stopped = self._run_all(remaining)
        if stopped:
            say(f"{stopped}: the same command continues")
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
            left = sum(self._is_left(known[each.name]) for each in found.left)  # one may have ended as asked
            return f"{found.reason} with {counted(left, 'launch')} to go"
        left = len(remaining) - len(fitting)
        return f"{counted(left, 'launch')} left (this job lacks the nodes): use a larger job" if left else ""

    def _fits(self, launch: Launch) -> bool:
        if not self._allocation or not isinstance(self._launcher, StepLauncher):
            return True
        try:
            shape = self._launcher.shape(self._job(launch))
        except LaunchError:
            return True  # it will fail, with a message and a record
        return shape.nodes <= len(self._allocation.nodes) and set(shape.hosts) <= set(self._allocation.nodes)

    def _is_over(self) -> str:
        return "the job has ended" if self._allocation and self._allocation.has_ended else ""

    def _in_rounds(self, launch: Launch) -> RoundsLaunch:
        one = launch.configuration
        return RoundsLaunch(launch.name, launch.title, lambda _: self._job(launch), self._folder.files(launch),
                            (launch.number, one.kernel), hosts=one.hosts if self._allocation else ())

    def _report(self, launch: Launch, outcome: Outcome, left: Optional[list[Launch]] = None) -> None:
        """Records and reports how a launch ended."""
        self._folder.record(launch, outcome)
        self._rounds.say(self._in_rounds(launch), outcome, len(self._all), self._folder.misplacement(launch),
                         None if left is None else list(map(self._in_rounds, left)))

    def _job(self, launch: Launch) -> Job:
        """The launch as a job. Removes the document of an earlier, failed attempt."""
        one, document = launch.configuration, self._folder.document(launch)
        document.unlink(missing_ok=True)
        job = quiet_job(self._programs / one.kernel, one.ranks, one.threads, one.command_line(), document.resolve())
        return replace(job, nodes=one.nodes, hosts=one.hosts)


class QueuedSweep(Sweep):
    """Submits the launches that are left and watches them. After an interrupt the jobs stay in the queue."""

    def __init__(self, folder: SweepFolder, queue: SlurmLauncher, options: argparse.Namespace):
        super().__init__(folder, LocalLauncher(LAUNCHER), options)
        self._queue = queue
        self._poll = options.poll
        self._tasks: dict[str, str] = {}  # by the launch's name
        found = (re.fullmatch(r"array-([0-9]{1,9})\.tasks", file.name) for file in folder.path.glob("array-*.tasks"))
        numbers = sorted(int(match[1]) for match in found if match)
        self._last_array = max(numbers, default=0)
        for number in numbers:
            tasks = submitted(self._tasks_folder(number))
            self._tasks.update(tasks)
            if not tasks and number == self._last_array:
                # sbatch was killed, too. If Slurm has this array, its tasks find no files and end.
                for file in self._tasks_folder(number).iterdir():
                    file.unlink()

    def cancel(self) -> None:
        """Ends all jobs that are in the queue. Raises LaunchError."""
        there = self._queue.waiting(self._tasks.values()) if self._tasks else {}
        if there is None:
            raise LaunchError(FAILED, "Slurm does not answer: try again")
        if there:
            self._queue.cancel(sorted(there))
        say(f"{counted(len(there), 'job')} cancelled" if there else "no job is in the queue")

    def _is_left(self, launch: Launch) -> bool:
        # The results of a task are read only together with its exit code.
        unseen = launch.name in self._tasks and not self._folder.recorded(launch)
        return unseen or super()._is_left(launch)

    def _run_all(self, remaining: list[Launch]) -> str:
        lost, self._away = 0, ""
        try:
            watched = self._adopt(remaining)
            fresh = [launch for launch in remaining if launch not in watched]
            while fresh or watched:
                fresh = self._submit(fresh, watched)
                lost += self._watch(watched)
                watched = []
        except KeyboardInterrupt:
            left = sum(self._folder.outcome(each) is None for each in remaining)
            return f"interrupted with {counted(left, 'launch')} to go, whose jobs stay in the queue (--cancel)"
        return self._away or (f"{lost} launches were cancelled, or lost by the queue" if lost else "")

    def _adopt(self, remaining: list[Launch]) -> list[Launch]:
        """Launches whose jobs an earlier command has submitted, and whose end is not recorded."""
        known = [launch for launch in remaining if launch.name in self._tasks]
        while (there := self._queue.waiting(self._tasks.values()) if known else {}) is None:
            time.sleep(self._poll)
        found = [launch for launch in known if self._tasks[launch.name] in there or self._collected(launch)]
        if found:
            ended = sum(self._collected(launch) is not None for launch in found)
            say(f"submitted before: {counted(len(found), 'launch')}, {ended} of them have ended")
        return found

    def _submit(self, fresh: list[Launch], watched: list[Launch]) -> list[Launch]:
        """Submits an array for each round and kind of job; each round begins after the one before. Returns the launches
        that the queue has no room for; they are submitted when others have ended."""
        before: list[str] = []
        later: list[Launch] = []
        rounds = [[launch for launch in fresh if launch.repetition == number]
                  for number in sorted({launch.repetition for launch in fresh})]
        for members in [fresh] if self._queue.shares else rounds:
            arrays: list[str] = []
            for wanted, alike in self._by_request(members).items():
                longest = len(alike) if self._queue.shares else LONGEST_ARRAY
                for begin in range(0, len(alike), longest):
                    part = alike[begin:begin + longest]
                    later += part if later else self._submit_array(wanted, part, before, watched, arrays)
            before = arrays or before
        if later:
            say(f"{len(later)} launches wait until the queue has room for them")
        return later

    def _by_request(self, launches: list[Launch]) -> dict[Request, list[Launch]]:
        found: dict[Request, list[Launch]] = {}
        for launch in launches:
            try:
                found.setdefault(self._queue.request(self._job(launch)), []).append(launch)
            except LaunchError as error:
                self._refuse([launch], error)
        return found

    def _submit_array(self, wanted: Request, part: list[Launch], before: list[str],
                      watched: list[Launch], arrays: list[str]) -> list[Launch]:
        """Submits `part`, as several arrays if one is too long, and adds them to `arrays`. Returns what has no room."""
        for launch in part:
            self._folder.forget(launch)
        try:
            tasks = self._queue.submit(wanted, {launch.name: self._job(launch) for launch in part},
                                       self._tasks_folder(self._last_array + 1), before, self._folder.held)
        except LaunchError as error:
            half = len(part) // 2 if isinstance(error, QueueFull) else 0
            if half and not self._queue.shares:
                return self._submit_array(wanted, part[:half], before, watched, arrays) \
                    + self._submit_array(wanted, part[half:], before, watched, arrays)
            if watched and isinstance(error, QueueFull):
                return part
            self._refuse(part, error)
            return []
        self._last_array += 1
        self._tasks.update(tasks)
        watched += part
        arrays.append(next(iter(tasks.values())).split("_")[0])
        say(f"{'job' if self._queue.shares else 'array'} {arrays[-1]}: {counted(len(part), 'launch')}")
        return []

    def _refuse(self, launches: list[Launch], error: LaunchError) -> None:
        for launch in launches:
            self._folder.record(launch, Outcome(error.code, None, str(error)))
            say(f"{launch.title}: {error}")

    def _watch(self, watched: list[Launch]) -> int:
        """Waits until all have ended, or the nodes of the others are down. Returns how many have no outcome."""
        left, lost, stuck = list(watched), 0, 0
        missed = dict.fromkeys((launch.name for launch in watched), 0)
        asked = -math.inf
        while left:
            there = None
            if time.monotonic() - asked >= self._poll:
                there = self._queue.waiting(self._tasks[launch.name] for launch in left)
                asked = time.monotonic()
                whys = [(there or {}).get(self._tasks[each.name], "") for each in left if each.configuration.hosts]
                stuck = stuck + 1 if len(whys) == len(left) and all(why.startswith(AWAY) for why in whys) else 0
                if stuck == POLLS_UNTIL_GONE:
                    away = self._queue.unavailable(host for launch in left for host in launch.configuration.hosts)
                    self._away = ("launches cannot start, since these nodes run no jobs now: "
                                  f"{', '.join(away)} (Slurm's reason: {whys[0]}; --cancel ends the jobs)")
                    return lost
            ended = set(os.listdir(self._folder.path))
            for launch in list(left):
                outcome = self._collected(launch) if self._folder.code_file(launch).name in ended else None
                if outcome is None and there is not None:
                    gone = self._tasks[launch.name] not in there
                    missed[launch.name] = missed[launch.name] + 1 if gone else 0
                if outcome is None and missed[launch.name] < POLLS_UNTIL_GONE:
                    continue
                left.remove(launch)
                self._keep_slurm_messages(launch, left, outcome)
                outcome = outcome or self._died(launch)
                if outcome:
                    self._rounds.durations.add(self._in_rounds(launch), outcome)
                    self._report(launch, outcome, left)
                lost += outcome is None
                self._folder.code_file(launch).unlink(missing_ok=True)
            if left:
                time.sleep(min(self._poll, POLL_SECONDS))
        return lost

    def _keep_slurm_messages(self, launch: Launch, left: list[Launch], outcome: Optional[Outcome]) -> None:
        """Adds the messages of slurmstepd (memory, time limit, prolog) to the log of a launch that failed, and removes
        their file when none of its launches is left."""
        task = self._tasks[launch.name]
        file = self._folder.path / f"{task}.slurm"
        log = self._folder.files(launch).log
        begun = log.exists() or not self._queue.shares  # a launch of a shared job that has not begun is not to blame
        if begun and not (outcome and outcome.exit_code == VERIFIED):
            with contextlib.suppress(OSError, ValueError):
                words = read_text(file, MOST_BYTES, "replace")
                there = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o666)
                with open(there, "w", encoding="utf-8") as file_of_log:
                    file_of_log.write(words)
        if all(self._tasks[other.name] != task for other in left):
            file.unlink(missing_ok=True)

    def _collected(self, launch: Launch) -> Optional[Outcome]:
        """How it ended; None if it has written no exit code, or was stopped."""
        try:
            code, seconds = map(int, read_text(self._folder.code_file(launch), 100).split())
        except (OSError, ValueError):
            return None
        files = self._folder.files(launch)
        return None if code == STOPPED else outcome_of(launch.configuration.kernel, files, code, float(seconds))

    def _died(self, launch: Launch) -> Optional[Outcome]:
        """How a job ended that has written no exit code; None if it is to run again."""
        task = self._tasks[launch.name]
        if self._queue.shares and not self._folder.files(launch).log.exists():
            return None  # its job ended before its turn
        state = self._queue.final_state(task)
        if state in ("", "CANCELLED", "COMPLETED", "PENDING"):
            say(f"{launch.title}: job {task} has left no result ({state.lower() or 'forgotten'})")
            self._folder.document(launch).unlink(missing_ok=True)  # it is not finished
            return None
        words = self._folder.files(launch).last_words(launch.configuration.kernel)
        return Outcome(FAILED, None, "; ".join(filter(None, [f"job {task} ended as {state}", words])))

    def _tasks_folder(self, number: int) -> Path:
        return self._folder.path / f"array-{number}.tasks"


def cost(plan: Plan, machine: SlurmMachine, timeout: float, seconds: Optional[float] = None) -> str:
    """The node hours of a plan: at most, and about, if a launch takes `seconds`; without launches that do not fit."""
    def nodes(one: Configuration) -> int:
        try:
            job = Job(Path(one.kernel), one.ranks, one.threads, one.command_line())
            return one.nodes or shape_of(machine, job).nodes
        except MachineError:
            return 0

    each = {one: nodes(one) for one in plan.configurations}
    hours = sum(one.launches * count for one, count in each.items()) / 3600
    about = f"about {rate(hours * seconds)} node hours, if each takes the usual {seconds:g} s; " if seconds else ""
    count = counted(sum(one.launches for one in each), "launch")
    return (f"{count} on up to {counted(max(each.values()), 'node')} each: {about}at most {rate(hours * timeout)} "
            f"node hours, if each takes its limit of {timeout:g} s (--timeout)")

"""A sweep whose launches are jobs in a Slurm queue.

    sweep.jobs          the task of each launch that was submitted, by name
    array-N.tasks/      what the tasks of one array run, and the number that Slurm gave it
    NAME.code           exit code and seconds of a launch that has ended and was not yet looked at
    TASK.slurm          what Slurm itself says of a task, until it is added to the launch's log

How launches end is looked up in this folder; Slurm is asked more rarely, since all users share it."""

import argparse
import contextlib
import math
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from quartet import schema
from quartet.exit_codes import FAILED, STOPPED, VERIFIED
from quartet.files import FileProblem, read_json, read_text, write_json
from quartet.launch import LaunchError, LocalLauncher, Outcome, judged
from quartet.paths import LAUNCHER
from quartet.slurm.launcher import LONGEST_ARRAY, QueueFull, SlurmLauncher, submitted
from quartet.slurm.request import Request
from quartet.sweep.folder import Launch, SweepFolder
from quartet.sweep.loop import Sweep
from quartet.text import counted, say
from quartet.units import KIB

LOOKS_UNTIL_GONE = 3  # without a trace in the queue; a file server may be late with the exit code
SECONDS_BETWEEN_LOOKS = 2.0  # at the folder
MOST_WORDS = 64 * KIB  # of Slurm's about a task


class QueuedSweep(Sweep):
    """Submits what is left and watches it. After an interrupt the jobs stay in the queue."""

    def __init__(self, folder: SweepFolder, launcher: SlurmLauncher, options: argparse.Namespace):
        super().__init__(folder, LocalLauncher(LAUNCHER), options)
        self._queue = launcher
        self._poll = options.poll
        self._jobs_file = folder.path / "sweep.jobs"
        self._tasks = self._stored()

    def run(self) -> int:
        self._find_last_array()
        return super().run()

    def cancel(self) -> int:
        """Ends all jobs that are in the queue; the exit code."""
        self._find_last_array()
        try:
            there = self._queue.waiting(self._tasks.values()) if self._tasks else set()
            if there:
                self._queue.cancel(sorted(there))
        except LaunchError as error:
            say(str(error))
            return error.code
        if there is None:
            say("Slurm does not answer: try again")
            return FAILED
        say(f"{counted(len(there), 'job')} cancelled" if there else "no job is in the queue")
        return VERIFIED

    def _is_left(self, launch: Launch) -> bool:
        # What a task has left is looked at together with its exit code.
        unseen = launch.name in self._tasks and not self._folder.is_recorded(launch)
        return unseen or super()._is_left(launch)

    def _run_all(self, remaining: list[Launch]) -> str:
        lost = 0
        try:
            watched = self._adopt(remaining)
            fresh = [launch for launch in remaining if launch not in watched]
            while fresh or watched:
                fresh = self._submit(fresh, watched)
                lost += self._watch(watched)
                watched = []
        except KeyboardInterrupt:
            left = sum(self._folder.outcome(each) is None for each in remaining)
            return f"interrupted with {left} launches to go, whose jobs stay in the queue (--cancel)"
        return f"{lost} launches were cancelled, or lost by the queue" if lost else ""

    def _adopt(self, remaining: list[Launch]) -> list[Launch]:
        """Launches whose jobs an earlier sweep has submitted and not seen the end of."""
        known = [launch for launch in remaining if launch.name in self._tasks]
        there = self._queue.waiting(self._tasks.values()) if known else set()
        while there is None:
            time.sleep(self._poll)
            there = self._queue.waiting(self._tasks.values())
        found = [launch for launch in known if self._tasks[launch.name] in there or self._collected(launch)]
        if found:
            ended = sum(self._collected(launch) is not None for launch in found)
            say(f"submitted before: {counted(len(found), 'launch')}, {ended} of them have ended")
        return found

    def _submit(self, fresh: list[Launch], watched: list[Launch]) -> list[Launch]:
        """Returns what the queue had no room for; it is for later, when something has ended."""
        before: list[str] = []
        later: list[Launch] = []
        for launches in [fresh] if self._queue.shares else _rounds(fresh):
            arrays: list[str] = []
            for wanted, members in self._by_request(launches).items():
                longest = len(members) if self._queue.shares else LONGEST_ARRAY
                for begin in range(0, len(members), longest):
                    part = members[begin:begin + longest]
                    later += part if later else self._submit_array(wanted, part, before, watched, arrays)
            before = arrays or before
        if later:
            say(f"{len(later)} launches wait until the queue has room for them")
        return later

    def _by_request(self, launches: list[Launch]) -> dict[Request, list[Launch]]:
        found: dict[Request, list[Launch]] = {}
        for launch in launches:
            try:
                members = found.setdefault(self._queue.request(self._job(launch)), [])
                members.append(launch)
            except LaunchError as error:
                self._refuse(launch, error)
        return found

    def _submit_array(self, wanted: Request, part: list[Launch], before: list[str],
                      watched: list[Launch], arrays: list[str]) -> list[Launch]:
        """Adds the array to `arrays`: several where one would be too long. Returns what there was no room for."""
        for launch in part:
            for file in (self._code_file(launch), self._folder.files(launch).log):
                file.unlink(missing_ok=True)
        try:
            tasks = self._queue.submit(wanted, {launch.name: self._job(launch) for launch in part},
                                       self._tasks_folder(self._last_array() + 1), before, self._folder.held)
        except QueueFull as error:
            half = len(part) // 2
            if half and not self._queue.shares:
                return self._submit_array(wanted, part[:half], before, watched, arrays) \
                    + self._submit_array(wanted, part[half:], before, watched, arrays)
            if watched:
                return part
            self._refuse_all(part, error)
            return []
        except LaunchError as error:
            self._refuse_all(part, error)
            return []
        self._tasks.update(tasks)
        self._store()
        watched += part
        arrays.append(next(iter(tasks.values())).split("_")[0])
        what = "job" if self._queue.shares else "array"
        say(f"{what} {arrays[-1]}: {counted(len(part), 'launch')}")
        return []

    def _refuse_all(self, launches: list[Launch], error: LaunchError) -> None:
        for launch in launches:
            self._refuse(launch, error)

    def _refuse(self, launch: Launch, error: LaunchError) -> None:
        self._folder.record(launch, Outcome(error.code, None, str(error)))
        say(f"{launch.title}: {error}")

    def _watch(self, watched: list[Launch]) -> int:
        """Waits until all have ended. Returns how many have no outcome (cancelled or lost)."""
        left, lost = list(watched), 0
        looks = dict.fromkeys((launch.name for launch in watched), 0)
        asked = -math.inf
        while left:
            there = None
            if time.monotonic() - asked >= self._poll:
                there = self._queue.waiting(self._tasks[launch.name] for launch in left)
                asked = time.monotonic()
            ended = set(os.listdir(self._folder.path))
            for launch in list(left):
                outcome = self._collected(launch) if self._code_file(launch).name in ended else None
                if outcome is None and there is not None:
                    gone = self._tasks[launch.name] not in there
                    looks[launch.name] = looks[launch.name] + 1 if gone else 0
                if outcome is None and looks[launch.name] < LOOKS_UNTIL_GONE:
                    continue
                left.remove(launch)
                self._keep_words_of_slurm(launch, left, outcome)
                outcome = outcome or self._died(launch)
                if outcome:
                    self._rounds.durations.add(self._in_rounds(launch), outcome)
                    self._report(launch, outcome, left)
                else:
                    lost += 1
                self._code_file(launch).unlink(missing_ok=True)
            if left:
                time.sleep(min(self._poll, SECONDS_BETWEEN_LOOKS))
        return lost

    def _keep_words_of_slurm(self, launch: Launch, left: list[Launch], outcome: Optional[Outcome]) -> None:
        """Adds what slurmstepd said (memory, time limit, prolog) to the log of a launch that ended badly, and
        removes the file when none of its launches is left."""
        task = self._tasks[launch.name]
        file = self._folder.path / f"{task}.slurm"
        log = self._folder.files(launch).log
        begun = log.exists() or not self._queue.shares  # the others of a job are not to blame
        if begun and not (outcome and outcome.exit_code == VERIFIED):
            with contextlib.suppress(OSError, ValueError):
                words = read_text(file, MOST_WORDS, "replace")
                with open(log, "a", encoding="utf-8") as there:
                    there.write(words)
        if all(self._tasks[other.name] != task for other in left):
            file.unlink(missing_ok=True)

    def _collected(self, launch: Launch) -> Optional[Outcome]:
        """Returns how it ended; None if it has left no exit code, or was stopped."""
        try:
            code, seconds = map(int, read_text(self._code_file(launch), 100).split())
        except (OSError, ValueError):
            return None
        if code == STOPPED:
            return None
        return judged(launch.configuration.kernel, self._folder.files(launch), code, float(seconds))

    def _died(self, launch: Launch) -> Optional[Outcome]:
        """Returns how a job ended that left no exit code; None if it may run again."""
        task = self._tasks[launch.name]
        if self._queue.shares and not self._folder.files(launch).log.exists():
            return None  # its job ended before its turn
        state = self._queue.ending(task)
        if state in ("", "CANCELLED", "COMPLETED", "PENDING"):
            say(f"{launch.title}: job {task} has left no result ({state.lower() or 'forgotten'})")
            self._folder.document(launch).unlink(missing_ok=True)  # of what it did until then
            return None
        words = self._folder.files(launch).last_words(launch.configuration.kernel)
        return Outcome(FAILED, None, "; ".join(filter(None, [f"job {task} ended as {state}", words])))

    def _code_file(self, launch: Launch) -> Path:
        return self._folder.path / f"{launch.name}.code"

    def _find_last_array(self) -> None:
        """A sweep that is killed while it submits has not stored the last array. If that has no number, sbatch was
        killed, too: whatever Slurm may know of it finds no tasks in its folder, which stays, and ends."""
        last = self._last_array()
        if not last:
            return
        tasks = submitted(self._tasks_folder(last))
        number, known = ({task.split("_")[0] for task in each.values()} for each in (tasks, self._tasks))
        if not tasks:
            for file in self._tasks_folder(last).iterdir():
                file.unlink()
        elif not number & known:
            self._tasks.update(tasks)
            self._store()

    def _last_array(self) -> int:
        found = (re.fullmatch(r"array-([0-9]{1,9})\.tasks", file.name)
                 for file in self._folder.path.glob("array-*.tasks"))
        return max((int(match[1]) for match in found if match), default=0)

    def _tasks_folder(self, number: int) -> Path:
        return self._folder.path / f"array-{number}.tasks"

    def _stored(self) -> dict[str, str]:
        try:
            jobs: dict[str, str] = read_json(self._jobs_file)
            problem = schema.problem("jobs", jobs)
            if problem:
                raise FileProblem(f"{self._jobs_file}: {problem}")
        except FileNotFoundError:
            return {}
        except FileProblem as problem:
            say(f"{problem}: jobs that were submitted before are not known")
            return {}
        return jobs

    def _store(self) -> None:
        write_json(self._jobs_file, self._tasks)


def _rounds(launches: list[Launch]) -> Iterator[list[Launch]]:
    """The first launch of each configuration, then the second of each, in their order."""
    for repetition in sorted({launch.repetition for launch in launches}):
        yield [launch for launch in launches if launch.repetition == repetition]

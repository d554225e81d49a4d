#!/usr/bin/env python3
"""sweep.py [FILE...]: runs programs over sizes, ranks, formulations, transports and devices.

What to run is in files (scripts/sweeps/ has the published figures, as published and for a laptop),
or said by --kernels, --sizes, --ranks and so on. Every launch is an MPI job of its own; repeated
launches go round in shuffled order. Results go to one folder, a document a launch. Whatever
interrupts a sweep, the same command goes on with it; what failed is recorded, the rest is run."""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

import sweep_plan
import sweep_table
from quartet_launch import (BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, VERIFIED, Job, LaunchError,
                            LocalLauncher, Machine, checked_code, worst)
from sweep_folder import (Launch, Outcome, SweepFolder, launches, new_folder, stored_plan,
                          unfinished)
from sweep_plan import Draft, Plan, SpecError

ROOT = Path(__file__).resolve().parent.parent
LISTS = ("kernels", "sizes", "ranks", "workers", "formulations", "transports", "devices", "threads")


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # a terminal that goes away, too


class Interrupted(Exception):
    """The user, or a batch system, wants an end."""


class Clock:
    """How long launches take, from those that were run: the same configuration's last, else the
    mean of its kernel, else of all."""

    def __init__(self) -> None:
        self._seconds: list[tuple[Launch, float]] = []

    def add(self, launch: Launch, outcome: Optional[Outcome]) -> None:
        if outcome and outcome.seconds is not None:
            self._seconds.append((launch, outcome.seconds))

    def expected(self, launch: Launch) -> Optional[float]:
        same = [seconds for known, seconds in self._seconds if known.number == launch.number]
        kernel = [seconds for known, seconds in self._seconds
                  if known.configuration.kernel == launch.configuration.kernel]
        for seconds in (same[-1:], kernel, [seconds for _, seconds in self._seconds]):
            if seconds:
                return sum(seconds) / len(seconds)
        return None

    def left(self, remaining: list[Launch]) -> str:
        expected = [self.expected(launch) for launch in remaining]
        if not remaining or None in expected:
            return ""
        seconds = sum(expected)
        return f"; about {seconds / 60:.0f} min left" if seconds > 100 else \
            f"; about {seconds:.0f} s left"


class Sweep:
    """The loop over launches."""

    def __init__(self, folder: SweepFolder, launcher: LocalLauncher, options: argparse.Namespace):
        self._folder = folder
        self._launcher = launcher
        self._programs = options.build / "bin"
        self._timeout = options.timeout
        self._budget = options.budget
        self._retries = options.retry_failed
        self._clock = Clock()

    def run(self) -> int:
        """Runs what is left. The worst exit code of all launches; STOPPED where some are left."""
        everything = launches(self._folder.plan)
        remaining = [launch for launch in everything if self._is_left(launch)]
        if len(remaining) < len(everything):
            done = len(everything) - len(remaining)
            say(f"{done} of {len(everything)} launches are done already")
        stopped = self._run_all(remaining, len(everything))
        if stopped:
            say(f"{stopped}: the same command goes on")
        outcomes = [self._folder.outcome(launch) for launch in everything]
        codes = [outcome.exit_code for outcome in outcomes if outcome]
        return worst(codes + ([STOPPED] if stopped else []))

    def _is_left(self, launch: Launch) -> bool:
        outcome = self._folder.outcome(launch)
        if outcome and self._retries and outcome.exit_code != VERIFIED:
            return True
        self._clock.add(launch, outcome)
        return outcome is None

    def _run_all(self, remaining: list[Launch], total: int) -> str:
        """Why it stopped before all was run; empty where it did not."""
        begin = time.monotonic()
        for index, launch in enumerate(remaining):
            over = time.monotonic() - begin + (self._clock.expected(launch) or 0)
            if self._budget is not None and over > self._budget:
                return (f"{len(remaining) - index} launches were left out by the budget of "
                        f"{self._budget:g} s")
            try:
                outcome = self._attempt(launch)
                self._clock.add(launch, outcome)
                done = total - len(remaining) + index + 1
                how = "ok" if outcome.exit_code == VERIFIED else outcome.message
                say(f"{done} of {total}: {launch.title}: {outcome.seconds:.1f} s, {how}"
                    + self._clock.left(remaining[index + 1:]))
            except Interrupted:
                left = sum(self._folder.outcome(each) is None for each in remaining)
                return f"interrupted with {left} launches to go"
        return ""

    def _attempt(self, launch: Launch) -> Outcome:
        begin = time.monotonic()
        try:
            outcome = Outcome(*self._measure(launch, begin))
        except LaunchError as error:
            outcome = Outcome(error.code, time.monotonic() - begin, str(error))
        self._folder.record(launch, outcome)
        return outcome

    def _measure(self, launch: Launch, begin: float) -> tuple[int, float, str]:
        one, document = launch.configuration, self._folder.document(launch)
        arguments = (*one.command_line(), "--progress", "off", "--quiet", "--json",
                     str(document.resolve()), "--force")  # what is there is a failed attempt's
        document.unlink(missing_ok=True)
        job = Job(self._programs / one.kernel, one.ranks, one.threads, arguments)
        running = self._launcher.submit(job, self._folder.log(launch), (self._folder.lock,))
        try:
            code = running.wait(self._timeout)
        except BaseException:
            running.cancel()
            raise
        if code is None:
            running.cancel()
            raise LaunchError(FAILED, f"did not end within {self._timeout:g} s (--timeout)")
        seconds = time.monotonic() - begin
        message = "" if code == VERIFIED else self._last_words(launch)
        try:
            return checked_code(code, document), seconds, message or f"exit code {code}"
        except LaunchError as error:
            raise LaunchError(error.code, "; ".join(filter(None, [str(error), message]))) from None

    def _last_words(self, launch: Launch) -> str:
        text = self._folder.log(launch).read_text(encoding="utf-8", errors="replace")
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def say(text: str) -> None:
    print(f"sweep: {text}", file=sys.stderr, flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=sweep_plan.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="sweeps, run as one")
    for name in LISTS:
        parser.add_argument(f"--{name}", metavar="LIST", help="of a block without a file"
                            if name == "kernels" else argparse.SUPPRESS)
    parser.add_argument("--scaling", default="none", help="none, strong or weak, likewise")
    parser.add_argument("--arguments", default="", help="more for the programs, likewise")
    parser.add_argument("--launches", type=int, help="of each configuration (the file's, or 1)")
    parser.add_argument("--seed", type=int, help="of the order (the file's, or 1)")
    parser.add_argument("--folder", type=Path, help="of the results; one with a plan and no FILE: "
                        "goes on (an unfinished one of the same plan, or a new one in --results)")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "runs",
                        help="where new folders are made (%(default)s)")
    parser.add_argument("--budget", type=float, metavar="SECONDS",
                        help="starts no launch that would probably pass it")
    parser.add_argument("--timeout", type=float, default=1800, metavar="SECONDS",
                        help="of one launch (%(default)s)")
    parser.add_argument("--retry-failed", action="store_true",
                        help="runs again what did not end well")
    parser.add_argument("--dry-run", action="store_true", help="shows the launches, in their order")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "host-release",
                        help="build folder, its programs in bin/ (%(default)s)")
    parser.add_argument("--launcher", type=Path, default=ROOT / "scripts" / "launch.sh",
                        help="called as LAUNCHER RANKS PROGRAM ARGUMENTS (%(default)s)")
    return parser.parse_args()


def make_plan(options: argparse.Namespace) -> Plan:
    """The plan of the command line. Raises SpecError."""
    lists = {name: getattr(options, name) for name in LISTS if getattr(options, name) is not None}
    if bool(options.files) == bool(lists):
        raise SpecError("give either files or --kernels, --sizes, --ranks (see --help)")
    specs = [(str(file), sweep_plan.read_spec(file)) for file in options.files]
    if lists:
        specs = [("command line", {"name": "sweep", "blocks": [_block(options, lists)]})]
    draft = Draft(Machine.here().cores)
    for where, spec in specs:
        sweep_plan.add_blocks(draft, spec, where, options.launches)
    names = dict.fromkeys(sweep_plan.name_of(spec) for _, spec in specs)
    seed = options.seed if options.seed is not None else sweep_plan.seed_of(specs[0][1])
    kernels = dict.fromkeys(one.kernel for one in draft.configurations)
    programs = {kernel: _version(options.build / "bin" / kernel) for kernel in kernels}
    return Plan("-".join(names), seed, programs, tuple(draft.blocks), tuple(draft.configurations),
                tuple(dict.fromkeys(draft.notes)))


def _block(options: argparse.Namespace, lists: dict[str, str]) -> dict:
    block: dict = {name: text.split(",") for name, text in lists.items()}
    if "threads" in block:
        block["threads"] = [int(word) if word.isdigit() else word for word in block["threads"]]
    return {**block, "scaling": options.scaling, "arguments": options.arguments.split()}


def _version(program: Path) -> str:
    """What a program says that it is: a sweep is of one build."""
    try:
        done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SpecError(f"{program} cannot be run ({error}): build it first (make programs)"
                        ) from None
    return done.stdout.strip()


def find_folder(options: argparse.Namespace) -> SweepFolder:
    """Where the sweep of the command line is, or will be."""
    if options.folder and not options.files and not options.kernels:
        data = stored_plan(options.folder)
        if data is None:
            raise SpecError(f"{options.folder} holds no sweep: give files, or --kernels and so on")
        plan = Plan.from_json(data)
        now = {name: _version(options.build / "bin" / name) for name in plan.programs}
        plan = Plan(plan.name, plan.seed, now, plan.blocks, plan.configurations, plan.notes)
        return SweepFolder.open(options.folder, plan)
    plan = make_plan(options)
    if options.dry_run:
        return SweepFolder(Path(), plan)
    path = options.folder or unfinished(options.results, plan) or new_folder(options.results, plan)
    return SweepFolder.open(path, plan)


def interrupt(_number, _frame) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # once is enough: the job must be ended in peace
    raise Interrupted


def main() -> int:
    options = parse_arguments()
    try:
        folder = find_folder(options)
    except (SpecError, LaunchError) as error:
        say(str(error))
        return BAD_USAGE
    for note in folder.plan.notes:
        say(note)
    if options.dry_run:
        for launch in launches(folder.plan):
            print(f"{launch.title}: {' '.join(launch.configuration.command_line())}")
        return VERIFIED
    say(f"results in {os.path.relpath(folder.path)}")
    for number in ENDING:
        signal.signal(number, interrupt)
    code = Sweep(folder, LocalLauncher(options.launcher), options).run()
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    print(sweep_table.render(folder), end="")
    # What a machine does not have is said in the table; it makes nothing wrong that ran.
    return VERIFIED if code == UNAVAILABLE else code


if __name__ == "__main__":
    sys.exit(main())

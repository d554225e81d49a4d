"""Disturbs small jobs at random for a while: it kills ranks and launchers, which then restart from
checkpoints, sends signals, and fills disks. After each it checks the documents, the bits of results, and
whether files or processes are left.

    quartet soak --seed 7 --only kills --round 12   # one round again

The random choices depend only on --seed and the round; times are as exact as sleeping is. Full disks need
root. The exit code is 0 if nothing failed, 3 if something did, 75 where it was interrupted."""

import argparse
import contextlib
import ctypes
import itertools
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Sequence

from quartet.command_line import add_launch_arguments, integer, require_launcher, seconds, some_of
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, VERIFIED, WRONG_RESULT, ScriptError
from quartet.files import FileProblem
from quartet.processes import alive_in_session, kill_session, send, wait_for_the_last, words_of
from quartet.results import load
from quartet.terminal import printable
from quartet.text import counted, say
from quartet.units import KIB

SHOWN = 300  # characters of a job's messages
SECONDS_TO_VANISH = 10  # for processes of a killed launcher to end
CLONE_NEWNS = 0x00020000  # <sched.h>
COMMON = ("--device", "host", "--threads", "1", "--limits", "off", "--progress", "off")
LAUNCHERS_FOLDER = "launcher"  # for the launcher's own files


class Fault(Exception):
    """An error of the suite, with the command that showed it."""


class Ended(NamedTuple):
    """How a job ended."""

    code: int  # negative where a signal has ended the launcher's script
    errors: str
    command: tuple[str, ...]

    def fault(self, what: str) -> Fault:
        said = printable(" ".join(self.errors.split()))
        return Fault(f"{what} (code {self.code}, it said: {said[:SHOWN] or 'nothing'}): {shlex.join(self.command)}")


def _default_signals() -> None:
    # Our parent may ignore a terminal's signals; a shell that inherits this cannot trap them.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Job:
    """A program under the launcher, in a session of its own."""

    def __init__(self, command: Iterable[object], folder: Path, scratch: Path, patience: float):
        """`scratch` is for the launcher's own files. Waiting for something ends after `patience` seconds."""
        self.command = tuple(str(word) for word in command)
        self._patience = patience
        # A file, not a pipe: a process that outlives the job would keep a pipe open, and the wait would not end.
        self._errors = tempfile.TemporaryFile()
        environment = {**os.environ, "TMPDIR": str(scratch), "QUARTET_BIND": "none"}
        self.process = subprocess.Popen(
            self.command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._errors, start_new_session=True, preexec_fn=_default_signals)

    def ranks(self) -> list[int]:
        """The processes of the ranks."""
        return [process for process in alive_in_session(self.process.pid)
                if self.command[2] in words_of(process)[:2]]  # a script is the second word

    def launchers(self) -> list[int]:
        """The processes of MPI's launcher, which the script has started."""
        return [process for process in alive_in_session(self.process.pid)
                if process != self.process.pid and "-n" in words_of(process)[1:2]]

    def wait_until(self, condition: Callable[[], object]) -> bool:
        """Waits; returns False if the job ended first, or it took too long."""
        end = time.monotonic() + self._patience
        while self.process.poll() is None and time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.002)
        return bool(condition())

    def end(self, after: str = "") -> Ended:
        """Waits until all its processes have ended. Raises Fault if it does not end in time, or leaves processes;
        `after` says what was done to it. A launcher of Open MPI that is left is no fault: that of 4.1.4 may wait for
        its own lock after a rank was killed."""
        self.wait_until(lambda: False)
        code = self.process.poll()
        left = wait_for_the_last(self.process.pid, 0 if code is None else max(SECONDS_TO_VANISH, self._patience))
        is_launchers_own = not self.ranks() and bool(self.launchers())
        shown = "; ".join(" ".join(words_of(process))[:SHOWN] for process in left)
        kill_session(self.process.pid)
        code_at_end = self.process.wait()
        self._errors.seek(0)
        ended = Ended(code_at_end, self._errors.read().decode("utf-8", "replace"), self.command)
        if left and not is_launchers_own:
            raise ended.fault(f"{after} {'did not end' if code is None else 'left processes behind'}: {shown}".strip())
        return ended


@dataclass
class RoundContext:
    """A round: its folder, its random numbers, the programs, and checks of the files that jobs leave."""

    folder: Path
    programs: Path
    launcher: Path
    patience: float  # seconds
    chances: random.Random
    stop_at: float  # when to try only the least that is possible, by time.monotonic()
    counts: Counter[str] = field(default_factory=Counter[str])  # of actions
    jobs: list[Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / LAUNCHERS_FOLDER).mkdir()

    def start(self, program: str, ranks: int, *words: str) -> Job:
        """Starts a job; `words` are split at blanks."""
        arguments = [part for word in words for part in word.split()]
        command = [self.launcher, ranks, self.programs / program, *COMMON, *arguments]
        self.jobs.append(Job(command, self.folder, self.folder / LAUNCHERS_FOLDER, self.patience))
        return self.jobs[-1]

    def run_verified(self, program: str, ranks: int, *words: str) -> Ended:
        """Runs a job undisturbed. Raises Fault if it fails or its result is wrong."""
        ended = self.start(program, ranks, *words).end()
        if ended.code != VERIFIED:
            raise ended.fault("an undisturbed run failed")
        return ended

    def document(self, file: Path, ended: Ended) -> Optional[dict[str, Any]]:
        """The document; None if there is none. Raises Fault if it is not valid."""
        try:
            return load(file)
        except FileNotFoundError:
            return None
        except FileProblem as problem:
            raise ended.fault(f"left a document that is not valid: {problem}") from None

    def check(self, ended: Ended, *allowed: str) -> None:
        """Raises Fault if the round's folder has other entries than `allowed`."""
        found = sorted(set(os.listdir(self.folder)) - {LAUNCHERS_FOLDER, *allowed})
        if found:
            raise ended.fault(f"left {', '.join(found)} behind")

    def end(self) -> None:
        """Kills the jobs that are left after an exception."""
        for job in self.jobs:
            kill_session(job.process.pid)


def entries(document: Optional[dict[str, Any]], run_type: str = "iteration") -> list[dict[str, Any]]:
    """The entries of measured runs, or of aggregates; none if there is no document."""
    found = document["benchmarks"] if document else []
    return [entry for entry in found if entry.get("run_type") == run_type and "error_occurred" not in entry]


def verified_median(document: Optional[dict[str, Any]]) -> Optional[dict[str, Any]]:
    """The first median entry, if all medians are verified; else None."""
    medians = [entry for entry in entries(document, "aggregate") if entry["aggregate_name"] == "median"]
    return medians[0] if medians and all(entry.get("verified") is True for entry in medians) else None


def _mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], stderr=subprocess.DEVNULL, check=False).returncode == 0


def have_own_mounts() -> str:
    """Moves this process, before it has threads, to its own mount namespace. Returns why not; empty if it did."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return "mounting is for root"
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        return f"no mounts of one's own here ({os.strerror(ctypes.get_errno())})"
    # Otherwise other namespaces would see what is mounted here.
    return "" if _mount("--make-rprivate", "/") else "nothing can be mounted here"


@contextlib.contextmanager
def full_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size at `folder`, which is made."""
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder)):
        raise ScriptError(f"{folder}: nothing can be mounted there: leave that out with --only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


EXAMPLE = "quartet soak --minutes 5 --seed 7"
MOST, ENDLESS = 10**9, 10**6  # of a seed and a round; iterations
SMALL = {"stream": "--sizes 64KiB --pushes 3", "matmul": "--size 96 --tile 32",
         "cg": "--size 100 --iterations 5", "fft": "--size 4096 --tiles 64"}  # milliseconds each
TRANSPORTS = ("mpi", "shm")
RESULTS, CHECKPOINTS, UNDISTURBED, DISK = "results.json", "checkpoints", "undisturbed", "disk"
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)
WAYS = [*(f"--transport {transport} --storage {storage}" for transport in TRANSPORTS
          for storage in ("full", "symmetric")), "--transport mpi --formulation dataflow"]
OWN_CODES = (VERIFIED, WRONG_RESULT, BAD_USAGE, FAILED, STOPPED)  # of a job that was not killed


def saved_iterations(folder: Path) -> list[int]:
    """The iterations of the complete checkpoints, ascending."""
    found = [re.fullmatch(r"iteration-(\d+)", entry.name) for entry in folder.glob("iteration-*")]
    return sorted(int(match[1]) for match in found if match)


def bits(checkpoint: Path) -> dict[str, bytes]:
    """The arrays of a checkpoint as bytes, by file name."""
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


def kills(context: RoundContext) -> None:
    """A series of jobs that solve one system, each killed while it saves checkpoints: one rank, all ranks, MPI's
    launcher, the script or everything. The last job must end with the same bits as an undisturbed run."""
    chances, folder = context.chances, context.folder / CHECKPOINTS
    ranks, every = chances.choice((2, 3)), chances.choice((10, 20, 50))
    system = f"--problem random --size {chances.randint(40, 300)} {chances.choice(WAYS)} --every {every}"

    def latest() -> int:
        return (saved_iterations(folder) or [0])[-1]

    def words(iterations: int) -> str:
        return f"{system} --iterations {iterations} --checkpoint {folder} {'--restart' if latest() else ''}"

    for _ in range(chances.randint(4, 12)):
        before, target, early = saved_iterations(folder), chances.choice(range(5)), chances.random() < 0.2
        more, moment = chances.randint(1, 4), chances.random()
        job = context.start("cg", ranks, words(ENDLESS))
        if early:  # while it starts
            time.sleep(moment)
        else:  # some checkpoints later, often while one is being written
            wanted = max(before, default=0) + every * more
            if not job.wait_until(lambda wanted=wanted: latest() >= wanted):  # type: ignore[misc]
                raise job.end().fault("saved no checkpoint in time")
            time.sleep(moment * 0.03)
        least = max([*before, latest()])
        _check_checkpoints(_killed(job, target, moment), folder, least, every, len(before))
        context.counts["kills"] += 1
        if time.monotonic() > context.stop_at:
            break
    _finish(context, ranks, system, every, words)


def _killed(job: Job, target: int, moment: float) -> Ended:
    """Kills the job and returns how it ends; `moment`, from 0 to 1, chooses among its ranks."""
    ranks = job.ranks()
    chosen = [ranks[int(moment * len(ranks)):][:1], ranks, job.launchers(), [job.process.pid], []][target]
    if not chosen or not send(chosen, signal.SIGKILL):
        kill_session(job.process.pid)
    return job.end()


def _check_checkpoints(ended: Ended, folder: Path, least: int, every: int, earlier: int) -> None:
    """`earlier`: the number of checkpoints before the job, of which some may be left if no save was completed."""
    saved = saved_iterations(folder)
    latest = (saved or [0])[-1]
    if ended.code in OWN_CODES:
        raise ended.fault("a killed job ended with a code of its own")
    if latest < least:
        raise ended.fault(f"iteration {least} was saved, and {latest} is left")
    # The first of two is about to be removed. If the script is killed, its job is asked to stop, and saves at once.
    if len(saved) > max(2, earlier + 1) or len(saved) > 1 and latest - saved[-2] > every:
        raise ended.fault(f"checkpoints {saved}, not every {every} iterations")
    for entry in folder.glob("iteration-*.unfinished"):
        if int(re.sub(r"\D", "", entry.name)) - latest > every:
            raise ended.fault(f"more than {every} iterations are lost: {entry.name} follows {latest}")


def _finish(context: RoundContext, ranks: int, system: str, every: int, words: Callable[[int], str]) -> None:
    """Solves the system to the end, and once more undisturbed."""
    folder, undisturbed = context.folder / CHECKPOINTS, context.folder / UNDISTURBED
    latest = (saved_iterations(folder) or [0])[-1]
    end = (latest // every + 2) * every
    ended = context.run_verified("cg", ranks, words(end), f"--json {context.folder / RESULTS}")
    entry = verified_median(context.document(context.folder / RESULTS, ended))
    if entry is None:
        raise ended.fault("the end of a series is not verified")
    if entry.get("restarted_from", 0) != latest:
        raise ended.fault(f"went on from {entry.get('restarted_from', 0)}, not from {latest}")
    context.run_verified("cg", ranks, f"{system} --iterations {end} --checkpoint {undisturbed}")
    if bits(folder / f"iteration-{end}") != bits(undisturbed / f"iteration-{end}"):
        raise ended.fault("the bits are not those of an undisturbed run")
    context.counts["series"] += 1
    left = [entry.name for entry in folder.iterdir()]
    if left != [f"iteration-{end}"]:
        raise ended.fault(f"left {', '.join(left)} in the folder of checkpoints")
    context.check(ended, CHECKPOINTS, RESULTS, UNDISTURBED)


def signals(context: RoundContext) -> None:
    """A job in which one rank, the script or all ranks get a signal to stop."""
    chances = context.chances
    program, number = chances.choice(sorted(SMALL)), chances.choice(STOPPING)
    target, early, moment = chances.choice(range(3)), chances.random() < 0.25, chances.random()
    file = context.folder / RESULTS
    job = context.start(program, chances.choice((2, 2, 3)), SMALL[program], "--runs 10000",
                        f"--transport {chances.choice(TRANSPORTS)} --json {file}")
    if early:
        time.sleep(moment)
    elif not job.wait_until(file.exists):
        raise job.end().fault("wrote no document in time")
    else:
        time.sleep(moment / 2)
    before, found = len(entries(context.document(file, Ended(0, "", job.command)))), job.ranks()
    chosen = [found[:1], [], found][target] or [job.process.pid]
    send(chosen, number)
    sent = f"{number.name} to {counted(len(chosen), 'process')} after {before} runs"
    ended = job.end(sent)
    context.counts[number.name] += 1
    # A program that does not handle signals yet is killed by them, and the exit code is the launcher's.
    if ended.code != STOPPED and (before or ended.code in (VERIFIED, WRONG_RESULT, BAD_USAGE)):
        raise ended.fault(f"{sent}: not {STOPPED}")
    if len(entries(context.document(file, ended))) < before:
        raise ended.fault(f"{sent}: fewer are left")
    if ended.code == STOPPED and not ended.errors.strip():
        raise ended.fault(f"{sent}: stopped without a word")
    if ended.code != STOPPED:  # it may leave files, which the launcher's next job removes
        context.run_verified("stream", 2, SMALL["stream"])
    context.check(ended, RESULTS)


def disks(context: RoundContext) -> None:
    """A disk that is full while a checkpoint and a document are written to it."""
    with full_disk(context.folder / DISK, f"{context.chances.choice((192, 256, 512))}k") as disk:
        ended = _with_checkpoints(context, disk) if context.chances.random() < 0.5 else _with_results(context, disk)
    context.counts["full disks"] += 1
    context.check(ended, DISK, UNDISTURBED)


def _fill(disk: Path, leave: int) -> None:
    """Fills the disk until only so many bytes are free."""
    with open(disk / "filler", "wb") as filler:
        filler.write(bytes(max(0, shutil.disk_usage(disk).free - leave)))


def _with_checkpoints(context: RoundContext, disk: Path) -> Ended:
    """A checkpoint that was saved before the disk was full must be intact, and a job restarts from it."""
    folder, undisturbed = disk / CHECKPOINTS, context.folder / UNDISTURBED
    system = f"--problem random --size {context.chances.randint(60, 200)} --every 10 --checkpoint"
    context.run_verified("cg", 2, f"{system} {folder} --iterations 10")
    before = bits(folder / "iteration-10")
    _fill(disk, context.chances.randrange(16) * KIB)
    ended = context.start("cg", 2, f"{system} {folder} --iterations 40 --restart").end()
    saved = saved_iterations(folder)
    if ended.code not in (VERIFIED, BAD_USAGE, FAILED) or not saved or \
            (saved[-1] == 10 and bits(folder / "iteration-10") != before):
        raise ended.fault("a full disk destroyed a complete checkpoint, or gave a wrong exit code")
    (disk / "filler").unlink()
    context.run_verified("cg", 2, f"{system} {folder} --iterations 40 --restart")
    context.run_verified("cg", 2, f"{system} {undisturbed} --iterations 40")
    if bits(folder / "iteration-40") != bits(undisturbed / "iteration-40"):
        raise ended.fault("after a full disk the bits are not those of an undisturbed run")
    return ended


def _with_results(context: RoundContext, disk: Path) -> Ended:
    """The document must be valid, or absent."""
    program = context.chances.choice(sorted(SMALL))
    _fill(disk, context.chances.randrange(24) * KIB)
    ended = context.start(program, 2, SMALL[program], f"--json {disk / RESULTS}").end()
    document = context.document(disk / RESULTS, ended)
    # If the last document cannot be written, the one before stays; the exit code must still be a failure.
    if ended.code not in (VERIFIED, BAD_USAGE, FAILED) or ended.code == VERIFIED and not verified_median(document):
        raise ended.fault("a full disk: success without a verified document, or a wrong exit code")
    left = sorted(entry.name for entry in disk.iterdir() if entry.name not in ("filler", RESULTS))
    if left:
        raise ended.fault(f"left {', '.join(left)} on the full disk behind")
    return ended


# The kinds of rounds: how often each is drawn, and its function, which raises Fault if the suite fails.
KINDS: dict[str, tuple[int, Callable[[RoundContext], None]]] = {
    "kills": (3, kills), "signals": (4, signals), "disks": (1, disks)}


def kind_of(seed: int, number: int, kinds: Sequence[str]) -> str:
    """The kind of a round, by the seed. Each cycle has all kinds, in a random order."""
    deck = [kind for kind in kinds for _ in range(KINDS[kind][0])]
    cycle, place = divmod(number, len(deck))
    random.Random(f"{seed} cycle {cycle}").shuffle(deck)
    return deck[place]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--minutes", type=seconds, default=60, help="time after which no round begins (%(default)s)")
    parser.add_argument("--seed", type=integer(MOST, 0), default=1,
                        help="seed of everything that is drawn (%(default)s)")
    parser.add_argument("--only", type=some_of(KINDS), default=tuple(KINDS), metavar="KINDS",
                        help=f"some of {','.join(KINDS)} (all)")
    parser.add_argument("--round", type=integer(MOST, 0), metavar="N", help="only this round")
    parser.add_argument("--patience", type=seconds, default=20, help="seconds that a small job may take (%(default)s)")


def run(options: argparse.Namespace) -> int:
    missing = [name for name in SMALL if not (options.build / "bin" / name).is_file()]
    if missing:
        raise ScriptError(f"{options.build}/bin has no {missing[0]}: build the programs, or name another --build")
    require_launcher(options.launcher)
    why_no_mounts = have_own_mounts()
    kinds = [kind for kind in options.only if kind != "disks" or not why_no_mounts]
    if not kinds:
        raise ScriptError(f"nothing of --only can be tried here ({why_no_mounts})", UNAVAILABLE)
    begin, done, faults = time.monotonic(), {kind: Counter[str]() for kind in kinds}, list[str]()
    is_interrupted = False
    try:
        for number in itertools.count() if options.round is None else [options.round]:
            if time.monotonic() > begin + 60 * options.minutes:
                break
            kind = kind_of(options.seed, number, kinds)
            fault = one_round(options, kind, number, begin + 60 * options.minutes, done[kind])
            if fault:
                say(f"round {number}, {kind}: {fault}")
                again = f"quartet soak --build {shlex.quote(str(options.build))} --seed {options.seed} --only {kind}"
                faults.append(f"failed: {fault}\n  again: {again} --round {number}")
    except KeyboardInterrupt:
        is_interrupted = True
    print(f"{'':8} {'rounds':>6} {'failed':>6}  done")
    for kind, counts in done.items():
        done_by_it = [f"{count} {what}" for what, count in sorted(counts.items()) if what not in ("rounds", "failed")]
        print(f"{kind:8} {counts['rounds']:6} {counts['failed']:6}  {', '.join(done_by_it)}")
    print("\n".join([*faults, *([f"Left out: full disks ({why_no_mounts})."] if why_no_mounts else []),
                     f"{counted(sum(each['rounds'] for each in done.values()), 'round')} of seed {options.seed} "
                     f"{'interrupted' if is_interrupted else 'done'} in {(time.monotonic() - begin) / 60:.1f} minutes: "
                     f"{counted(len(faults), 'failure') if faults else 'nothing failed'}."]), flush=True)
    return STOPPED if is_interrupted else FAILED if faults else VERIFIED


def one_round(options: argparse.Namespace, kind: str, number: int, stop_at: float, counts: Counter[str]) -> str:
    """Runs a round. Returns its fault; empty if there is none. Its choices depend only on seed, kind and number."""
    with tempfile.TemporaryDirectory(prefix="quartet-soak-") as folder:
        context = RoundContext(Path(folder), (options.build / "bin").absolute(), options.launcher, options.patience,
                               random.Random(f"{options.seed} {kind} {number}"), stop_at, counts)
        counts["rounds"] += 1
        try:
            KINDS[kind][1](context)
        except (Fault, FileProblem, OSError) as fault:
            counts["failed"] += 1
            return str(fault) if isinstance(fault, Fault) else f"{type(fault).__name__}: {fault}"
        finally:
            context.end()
    return ""

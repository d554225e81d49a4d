"""Arguments that several commands share, and how a command ends."""

import argparse
import contextlib
import io
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, Callable, Iterable, NoReturn, Sequence

from quartet.exit_codes import FAILED, STOPPED, VERIFIED, ScriptError
from quartet.files import make_folder, reason_of
from quartet.launch import end_jobs_when_ended
from quartet.paths import LAUNCHER, MACHINES, PROGRAMS, given_or_shipped
from quartet.text import say, suggestion

DEBUG = "--debug"
NOBODY_READS = 128 + signal.SIGPIPE  # the code that a shell gives a program whose output nobody reads
LONGEST_TIME = 366 * 24 * 3600.0  # seconds


def run_script(main: Callable[[], int]) -> NoReturn:
    """Runs `main` and exits with its code, as all scripts do. A signal that asks for the end interrupts it."""
    end_jobs_when_ended()
    code = exit_code_of(main)
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    sys.exit(code)


def exit_code_of(main: Callable[[], int]) -> int:
    """Returns what `main` returns, or the exit code of its failure, which one line reports (--debug: a traceback)."""
    _prepare_output()
    try:
        try:
            code = main()
        except SystemExit as end:  # of --help
            code = end.code if isinstance(end.code, int) else VERIFIED
        sys.stdout.flush()  # a full disk must give an exit code of ours
        return code
    except BaseException as error:
        if DEBUG in sys.argv:
            traceback.print_exc()
        _give_up_output()
        text, code = _in_words(error)
        if text:
            say(text)
        return code


def _in_words(error: BaseException) -> tuple[str, int]:
    """The message (what went wrong, why, what to do) and the exit code. No message if a reader closed the pipe."""
    if isinstance(error, ScriptError):
        return str(error), error.code
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", STOPPED
    if isinstance(error, BrokenPipeError):
        return "", NOBODY_READS
    if isinstance(error, OSError):
        return f"{error.filename}: {reason_of(error)}" if error.filename else \
            f"standard output cannot be written ({reason_of(error)}): send it elsewhere", FAILED  # it has no name
    if isinstance(error, MemoryError):
        return "not enough memory: give it less at a time", FAILED
    if isinstance(error, RecursionError):
        return "the input is nested too deeply", FAILED
    return f"{type(error).__name__}: {error} (a fault of quartet): {DEBUG} shows where, please report it", FAILED


def _prepare_output() -> None:
    """Characters that the output's encoding lacks become escapes. Closed standard streams are opened on /dev/null,
    since the next file that is opened would get their numbers. Standard output has a buffer despite PYTHONUNBUFFERED,
    since Python without one hides that a full disk took only a part of a text."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            setattr(sys, name, open(opened, "w" if number else "r", encoding="utf-8"))
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        sys.stdout = open(sys.stdout.fileno(), "w", encoding=sys.stdout.encoding, closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_output() -> None:
    """Drops what could not be written, since Python would complain about it at exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class UsageError(ScriptError):
    """A mistake in the command line that argparse does not find."""

    def __init__(self, message: str):
        super().__init__(f"{message}: see --help")


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and which flag or value was probably meant."""

    _given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        # A required flag may be there, but misspelt.
        unknown = [word.partition("=")[0] for word in self._given if word.startswith("--")]
        mistyped = [flag for flag in unknown if flag not in self._option_string_actions
                    and suggestion(flag, self._option_string_actions)]
        if mistyped and "required" in message:
            message = f"unknown flag '{mistyped[0]:.40}'{suggestion(mistyped[0], self._option_string_actions)}"
        raise ScriptError(f"{message}: see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = list(map(str, action.choices))
            what = f"'{value!s:.40}' is none of {', '.join(names)}"
            raise argparse.ArgumentError(action, what + suggestion(str(value), names))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._given = list(map(str, args or ()))
        namespace, surplus = super().parse_known_args(args, namespace)
        if surplus:
            flag = surplus[0].partition("=")[0]
            kind = "flag" if flag.startswith("-") else "argument"
            self.error(f"unknown {kind} '{flag:.40}'{suggestion(flag, self._option_string_actions)}")
        return namespace, surplus

    def print_help(self, file: Any = None) -> None:
        """Raises OSError if the help cannot be written; argparse would ignore that."""
        print(self.format_help(), end="", file=file or sys.stdout)


def add_launch_arguments(parser: argparse.ArgumentParser) -> None:
    """--build and --launcher."""
    parser.add_argument("--build", type=Path, default=PROGRAMS,
                        help="build folder or prefix, its programs in bin/ (%(default)s)")
    add_launcher(parser)


def add_launcher(parser: argparse.ArgumentParser) -> None:
    """--launcher alone."""
    parser.add_argument("--launcher", type=_launcher, default=LAUNCHER,
                        help="command that starts a program, called as LAUNCHER RANKS PROGRAM ARGUMENTS (%(default)s)")


def _launcher(text: str) -> Path:
    """Makes paths absolute: Path("./NAME") is NAME, which would be searched for on PATH."""
    return Path(text).absolute() if os.sep in text else Path(text)


def add_queue_arguments(parser: Any, timeout: float) -> None:
    """Flags of commands that submit Slurm jobs and can continue in their folder."""
    parser.add_argument("--slurm", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="submits to Slurm as this machine file says (docs/cluster.md); not needed within a job")
    parser.add_argument("--folder", type=Path,
                        help="folder of the results (an unfinished one of the same plan, or a new one in --results)")
    parser.add_argument("--timeout", type=seconds, default=timeout, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    parser.add_argument("--poll", type=seconds, default=30, metavar="SECONDS",
                        help="how often to ask Slurm for its queue (%(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="shows the launches, and the node hours")
    parser.add_argument("--retry-failed", action="store_true", help="runs failed launches again")
    parser.add_argument("--cancel", action="store_true", help="ends the jobs that are still in the queue")


def shipped_in(folder: Path) -> Callable[[str], Path]:
    """The type of an argument that is a file, or the name of a file in a shipped folder."""
    return lambda text: given_or_shipped(Path(text), folder)


def positive_number(text: str) -> float:
    """The type of an argument that is a positive, finite number."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text:.40}' is no positive number")
    return number


def share(text: str) -> float:
    """The type of an argument that is a share: 0.05, or 5%."""
    try:
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"'{text:.40}' is no share from 0 to 1 (as 0.05, or 5%)")
    return number


def seconds(text: str) -> float:
    """The type of an argument that is a time; a year is the longest."""
    number = positive_number(text)
    if number > LONGEST_TIME:
        raise argparse.ArgumentTypeError(f"'{text:.40}' seconds are more than a year")
    return number


def seconds_or_none(text: str) -> float:
    """The type of an argument that is a time, or 0."""
    return 0.0 if text == "0" else seconds(text)


def integer(most: int, least: int = 1) -> Callable[[str], int]:
    """The type of an argument that is a whole number within bounds."""
    def parse(text: str) -> int:
        digits = text[1:] if text.startswith("-") else text
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
        if not is_number or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text:.40}' is no whole number from {least} to {most}")
        return int(text)

    return parse


def require_launcher(launcher: Path, *folders: Path) -> None:
    """Makes the folders. Raises ScriptError if the launcher cannot be run, or a folder cannot be written to."""
    if not shutil.which(launcher):
        raise ScriptError(f"{launcher} cannot be run: name another --launcher")
    for folder in map(make_folder, folders):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ScriptError(f"{folder} cannot be written to (it lacks the permission): name another one")


def some_of(names: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """The type of an argument that lists some of `names`."""
    known = tuple(names)

    def parse(text: str) -> tuple[str, ...]:
        unknown = sorted(set(text.split(",")) - set(known))
        if unknown:
            raise argparse.ArgumentTypeError(
                f"'{unknown[0]}' is none of {', '.join(known)}{suggestion(unknown[0], known)}")
        return tuple(text.split(","))

    return parse

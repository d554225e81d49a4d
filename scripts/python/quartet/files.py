"""Safe reading and writing of files; all scripts use it.

Only regular files of a bounded size are read, and reading never waits. Writing goes to a temporary file beside the
target, which replaces the target when all is on the disk: a reader finds the old file or the new one. No file is
written through a link that another user may have put in its place."""

import contextlib
import errno
import json
import math
import os
import secrets
import stat
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Union

from quartet.exit_codes import BAD_USAGE, FAILED, ScriptError
from quartet.units import MIB

MOST_BYTES = 64 * MIB  # of a file that is read
MOST_LEVELS = 64  # of arrays and objects within each other
LARGEST_INTEGER = 2**64  # in a document
KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISCHR, "a device"),
         (stat.S_ISBLK, "a device"), (stat.S_ISSOCK, "a socket"))


class FileProblem(ScriptError, ValueError):
    """A file that cannot be used: its path, and why."""


def reason_of(error: Exception) -> str:
    """The reason of an error; of a call of the operating system in its words, without the file's name."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _kind(mode: int) -> str:
    return next((name for is_it, name in KINDS if is_it(mode)), "no regular file")


def read_bytes(path: Union[str, Path], most: int = MOST_BYTES) -> bytes:
    """Reads a regular file. Raises FileNotFoundError, or FileProblem if it is another kind of file or too large."""
    try:
        # Opening a FIFO, or a terminal, must neither wait nor change anything.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise FileProblem(f"{path}: cannot be opened ({reason_of(error)}): name another file") from None
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise FileProblem(f"{path}: is {_kind(state.st_mode)} (not a regular file): name another file")
    with os.fdopen(descriptor, "rb") as file:
        if state.st_size > most:
            raise FileProblem(f"{path}: has {state.st_size} bytes (at most {most} are read): name another file")
        try:
            found = file.read(most + 1)  # files in /proc and /sys have no size
        except OSError as error:
            raise FileProblem(f"{path}: cannot be read ({reason_of(error)})") from None
    if len(found) > most:
        raise FileProblem(f"{path}: has more than {most} bytes: name another file")
    return found


def read_text(path: Union[str, Path], most: int = MOST_BYTES, errors: str = "strict") -> str:
    """Like read_bytes(), decoded. Raises FileProblem also if it is not UTF-8."""
    try:
        return read_bytes(path, most).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path}: is no text in UTF-8 (byte {error.start})") from None


def read_json(path: Union[str, Path], most: int = MOST_BYTES) -> Any:
    """Like read_text(), parsed as JSON. Raises FileProblem also if it is no JSON, is nested too deeply, has a key twice
    in an object, or a number that is too large."""
    text = read_text(path, most)
    try:
        return with_bounds(json.loads(text, parse_constant=_refuse, parse_int=_integer, object_pairs_hook=_object))
    except RecursionError:
        raise FileProblem(f"{path}: is nested too deeply (at most {MOST_LEVELS} levels)") from None
    except ValueError as error:
        raise FileProblem(f"{path}: not a whole JSON document ({error})") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses a key that is there twice, since readers differ in which one they take."""
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(key for key, _ in members)
        raise ValueError(f"it has the key '{next(key for key in counts if counts[key] > 1):.40}' twice")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 2 * len(str(LARGEST_INTEGER)):  # int() takes quadratic time
        raise ValueError("a number is too large")
    return int(digits)


def with_bounds(value: Any, of_text: Callable[[str], str] = str, level: int = 0) -> Any:
    """The JSON value with `of_text` applied to each text. Raises ValueError if it is nested too deeply, or a number is
    too large for a document."""
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, float) and not math.isfinite(value) or isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ValueError("a number is too large")
    if not isinstance(value, (list, dict)):
        return value
    if level == MOST_LEVELS:
        raise ValueError(f"nested too deeply (at most {MOST_LEVELS} levels)")
    if isinstance(value, list):
        return [with_bounds(member, of_text, level + 1) for member in value]
    return {of_text(key): with_bounds(member, of_text, level + 1) for key, member in value.items()}


def require_safe_links(path: Path) -> None:
    """Raises ScriptError if a link of another user leads to `path`: for root any such link, for others one in a folder
    where everybody may put some, as /tmp. The kernel may refuse these, too (fs.protected_symlinks)."""
    left, seen = [Path(path)], set[Path]()
    while left:
        there = left.pop()
        for link in (place for place in (there, *there.parents) if os.path.islink(place) and place not in seen):
            owner, is_root = os.lstat(link).st_uid, os.geteuid() == 0
            if owner not in (0, os.geteuid()) and (is_root or os.stat(link.parent).st_mode & stat.S_ISVTX):
                raise ScriptError(f"{link} is another user's link (it may lead anywhere): name another place")
            seen.add(link)
            left.append(link.parent / os.readlink(link))


def make_folder(path: Path) -> Path:
    """The folder, made where it is not there. Raises ScriptError."""
    require_safe_links(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RuntimeError) as error:  # of a link to itself
        raise ScriptError(f"{path} cannot be a folder ({reason_of(error)}): name another one") from None
    return path


def require_folder(path: Path) -> None:
    """Raises ScriptError if there is no such folder. It is not made: its name may be mistyped."""
    if not os.path.isdir(path):
        raise ScriptError(f"{path} is no folder (it is missing, or a file): make it, or name another one")


def check_output(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Raises ScriptError if `path` cannot be written, is no regular file, or is an input. Called before the work."""
    if path.name in ("", ".."):
        raise ScriptError(f"'{path}' names no file to write: give one")
    require_folder(path.parent)
    with _as_script_errors(path, BAD_USAGE):
        require_safe_links(path)
        with contextlib.suppress(FileNotFoundError):
            state = os.stat(path)
            if not stat.S_ISREG(state.st_mode):
                raise ScriptError(f"{path} is {_kind(state.st_mode)} (it would be replaced): name another file")
            for other in inputs:
                if os.path.exists(other) and os.path.samestat(state, os.stat(other)):
                    raise ScriptError(f"{path} is read from (it would be replaced): name another file")
        aside = _temporary_path(path)
        os.close(_create(aside))
        os.unlink(aside)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary file beside `path`, with the same ending. It replaces `path` when the block ends, and is
    removed if the block fails. Raises ScriptError."""
    check_output(path)
    aside = _temporary_path(path)
    try:
        with _as_script_errors(path, FAILED):
            os.close(_create(aside))
            yield aside
            descriptor = os.open(aside, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)  # a crash leaves the old file or the new one
            finally:
                os.close(descriptor)
            os.replace(aside, os.path.realpath(path))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def write_text(path: Path, text: str) -> None:
    """Whole or not at all, in UTF-8. Raises ScriptError."""
    with replacing(path) as aside:
        # What UTF-8 cannot encode, such as a lone surrogate, is written as an escape.
        aside.write_bytes(text.encode("utf-8", "backslashreplace"))


def write_json(path: Path, data: object) -> None:
    """Whole or not at all. Raises ScriptError."""
    write_text(path, json.dumps(data, indent=1) + "\n")


def _temporary_path(path: Path) -> Path:
    """A name beside `path` that no other file has, also from another host; short, however long that of `path` is."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".quartet-{secrets.token_hex(8)}{real.suffix[:20]}")


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


@contextlib.contextmanager
def _as_script_errors(path: Path, code: int) -> Iterator[None]:
    """Turns errors of writing into ScriptErrors."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, ScriptError):
            raise
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        what = "free some space" if full else "name another file"
        raise ScriptError(f"{path} cannot be written ({reason_of(error)}): {what}", code) from None

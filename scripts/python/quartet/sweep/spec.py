"""What a sweep runs is said in blocks, in JSON, or in TOML where Python reads it."""

import re
import textwrap
from pathlib import Path
from typing import Any

from quartet.exit_codes import ScriptError
from quartet.files import FileProblem, read_json, read_text, reason_of, with_bounds
from quartet.machine import MOST_RANKS
from quartet.paths import SWEEPS
from quartet.results import whole_number
from quartet.terminal import printable
from quartet.text import near
from quartet.units import MIB

MOST_BYTES = MIB  # of a file
MOST_MEMBERS = 10_000  # of a list
LONGEST_WORD, LONGEST_ARGUMENT = 200, 10_000  # characters

SCALINGS = ("none", "strong", "weak")
# What a block may list: all combinations are measured.
FACTORS = {
    "kernels": "names of kernels",
    "sizes": 'as the program takes them: "8192", "2^24", "2:128"',
    "ranks": 'of a job: numbers, or "1:cores", which doubles from 1 to the cores of this machine',
    "workers": "instead of ranks: those that compute, without reducers",
    "nodes": 'to be spread over evenly: numbers, or "1:8", which doubles (as few as hold the ranks)',
    "ranks_per_node": 'instead of ranks, with nodes: numbers, "cores", "sockets" or "gpus" (a data flow\'s '
                      "reducers come on top of gpus)",
    "formulations": "native, dataflow, library (native)",
    "transports": "auto, mpi, shm and so on (auto)",
    "devices": "host, cuda (host)",
    "threads": "of a rank (1)",
}
# What else a block may have.
SETTINGS = {
    "reducers": "of the data flow (1)",
    "scaling": '"strong": the same size; "weak": the size is for the fewest workers and grows with '
               'them; "none" (the default)',
    "arguments": "more flags for the program",
    "title": "what the table calls it",
    "launches": "of each configuration (the file's, or 1)",
}
BLOCK_KEYS = {*FACTORS, *SETTINGS}
FILE_KEYS = {"name", "launches", "seed", "blocks"}


class SpecError(ScriptError):
    """A sweep that cannot be planned: what is wrong (why), what to do."""


def keys_help() -> str:
    """Explains the keys of a file, in paragraphs for --help."""
    about = (f"A file has {', '.join(sorted(FILE_KEYS))}. A block has lists: {', '.join(FACTORS)} "
             'as above. A member may be a program\'s own list ("mpi,shm": one launch). All '
             "combinations of a block's lists are measured. Its other keys, with defaults:")
    width = max(map(len, SETTINGS)) + 6
    return "\n".join([textwrap.fill(about, 80), "", *(
        textwrap.fill(meaning, 80, initial_indent=f"    {name}".ljust(width),
                      subsequent_indent=" " * width) for name, meaning in SETTINGS.items())])


def read_spec(path: Path) -> dict[str, Any]:
    """The sweep in a file. Raises SpecError."""
    try:
        if path.suffix == ".toml":
            return with_known_keys(_read_toml(path), FILE_KEYS, str(path))
        return with_known_keys(read_json(path, MOST_BYTES), FILE_KEYS, str(path))
    except (FileNotFoundError, FileProblem) as error:
        why = str(error) if isinstance(error, FileProblem) else reason_of(error)
        meant = near(path.name, (file.stem for file in sorted(SWEEPS.glob("*.json"))))
        raise SpecError(f"{path}: cannot be read ({why}){meant}: give a sweep in JSON or TOML") from None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        import tomllib  # Python 3.11
    except ImportError:
        raise SpecError(f"{path}: this Python reads no TOML (3.11 does): write JSON") from None
    try:
        return dict(with_bounds(tomllib.loads(read_text(path, MOST_BYTES))))
    except FileProblem:
        raise
    except (ValueError, RecursionError) as error:
        raise FileProblem(f"{path}: {error}") from None


def name_of(spec: dict[str, Any]) -> str:
    """Returns the name that the folder of its results gets."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", word(spec.get("name", "sweep"), "name"))[:60].lstrip(".") or "sweep"


def seed_of(spec: dict[str, Any]) -> int:
    return positive(spec.get("seed", 1), "seed")


def with_known_keys(table: Any, keys: set[str], where: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise SpecError(f"{where}: {shown(table)} (not a table of keys): see quartet sweep --help")
    unknown = sorted(table.keys() - keys)
    if unknown:
        raise SpecError(f"{where}: unknown key '{unknown[0]:.60}' (known: {', '.join(sorted(keys))})"
                        f"{near(unknown[0], keys)}: correct its name")
    return table


def words(block: dict[str, Any], key: str, default: Any, where: str) -> list[str]:
    values = listed(block.get(key), f"{where}: {key}", default)
    if not values:
        raise SpecError(f"{where}: no {key} (nothing would be measured): give a list of them")
    return [word(value, f"{where}: {key}") for value in values]


def word(value: Any, what: str) -> str:
    """A member of a list, as a program's flag has it."""
    is_word = isinstance(value, (str, int)) and not isinstance(value, bool)
    if not is_word or not 0 < len(str(value)) <= LONGEST_WORD or printable(str(value)) != str(value):
        raise SpecError(f"{what}: {shown(value)} (not a word or a number): correct it")
    return str(value)


def argument(value: Any, what: str) -> str:
    """The argument of a program. No shell reads it, so that it may hold anything but a zero byte."""
    is_one = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if not is_one or "\0" in str(value) or len(str(value)) > LONGEST_ARGUMENT:
        raise SpecError(f"{what}: {shown(value)} (no argument of a program): correct it")
    return str(value)


def shown(value: Any) -> str:
    return f"{value!r:.60}" if isinstance(value, str) else f"{str(value):.60}"


def listed(value: Any, what: str, default: Any) -> list[Any]:
    if value is None:
        return list(default)
    if not isinstance(value, list):
        raise SpecError(f"{what}: {shown(value)} (not a list): put it in brackets")
    if len(value) > MOST_MEMBERS:
        raise SpecError(f"{what}: {len(value)} members (at most {MOST_MEMBERS}): give fewer")
    return list(value)


def positive(value: Any, what: str, most: int = 10**6) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise SpecError(f"{what}: {shown(value)} (not a whole number from 1 to {most})")
    return int(value)


def counts_of(values: Any, known: dict[str, int], where: str, what: str = "ranks") -> list[int]:
    """Counts of ranks or nodes: numbers, and "a:b", which doubles from a and ends with b; either may be one of the
    `known` words, as "cores". If a exceeds b, a is the only count: a data flow needs two ranks even on one core."""
    counts: list[int] = []
    for value in listed(values, f"{where}: {what}", []):
        ends = [known.get(part, whole_number(part) or 0) for part in str(value).split(":")]
        if isinstance(value, bool) or len(ends) > 2 or min(ends) < 1 or max(ends) > MOST_RANKS:
            words = "".join(f', "{word}"' for word, count in known.items() if count)
            raise SpecError(f"{where}: {what} '{str(value):.60}': write a number{words} or \"1:8\"")
        first, last = ends[0], ends[-1]
        counts += [first * 2**power for power in range(64) if first * 2**power < last]
        counts.append(max(first, last))
    if not counts:
        raise SpecError(f"{where}: no {what} (nothing would be measured): give a list of them")
    return list(dict.fromkeys(counts))

"""What tells cases apart: the factors in their names, and what is alike in all of a chart."""

import re
from typing import Any, Callable, Collection, Hashable, Iterable, TypeVar

from quartet.kernels import NAMES
from quartet.text import size, size_in_bytes

from .cases import Result
from .charts.style import FORMULATIONS

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def factors(result: Result) -> dict[str, str]:
    """Every factor by its name, in the name's order; words without one are numbered. Before them
    folder and machine, where there are several."""
    name = result.name
    words = {f"word {index}": word for index, word in enumerate(name.words)}
    places = {"folder": result.series * result.told_by_folder, "machine": result.machine * result.told_by_machine}
    return {**places, "formulation": name.formulation, "device": name.device, "transport": name.transport,
            **words, **name.values, "nodes": str(result.nodes)}


def shown(key: str, value: str) -> str:
    """A factor in words: "512 tiles", "laplace", "n 4096"."""
    if key in ("folder", "machine", "formulation", "device", "transport") or key.startswith("word "):
        return value
    if key in ("n", "size"):
        return f"N = {size(value)}" if key == "n" else size(value)
    if key in ("ranks", "threads", "nodes", "workers", "pushes", "tiles", "iterations", "reducers"):
        return f"{value} {key[:-1] if value == '1' else key}"
    return f"{key} {value}"


def alike(results: list[Result], apart_from: Collection[str] = ()) -> dict[str, str]:
    """The factors that all results share."""
    common = factors(results[0])
    for result in results[1:]:
        own = factors(result)
        common = {key: value for key, value in common.items() if own.get(key) == value}
    return {key: value for key, value in common.items() if key not in apart_from}


def label(result: Result, leave_out: Collection[str] = ()) -> str:
    """The factors in words, but for those left out."""
    own = {key: value for key, value in factors(result).items() if _tells(key, value, leave_out)}
    where = ", ".join(own.pop(key) for key in ("folder", "machine") if key in own)
    way = " ".join(own.pop(key) for key in ("formulation", "device", "transport") if key in own)
    way = ": ".join(filter(None, (where, way)))
    return ", ".join(filter(None, (way, *(shown(key, value) for key, value in own.items())))) or result.name.kernel


def plain_names(results: list[Result]) -> list[str]:
    """A name for each result: its kernel, way and size, and what else tells it from the kernel's others: "cg library
    mpi, N = 8192"."""
    common = {kernel: alike(members) for kernel, members in grouped(results, lambda item: item.name.kernel).items()}
    return [_plain_name(result, common[result.name.kernel]) for result in results]


def _plain_name(result: Result, common: dict[str, str]) -> str:
    own = factors(result)
    kept = {key for key in own if key in ("formulation", "transport", "n", "size") or (
        key not in common and (key in ("device", "ranks", "nodes", "pair") or key.startswith("word ")))}
    where = ", ".join(filter(None, (own["folder"], own["machine"])))
    return f"{result.name.kernel} {label(result, own.keys() - kept)}" + f" on {where}" * bool(where)


def counted(number: float, noun: str) -> str:
    """ "1 worker", "2 workers"."""
    return f"{number:g} {noun}{'' if number == 1 else 's'}"


def in_words(common: dict[str, str], leave_out: Collection[str] = ()) -> str:
    return ", ".join(shown(key, value) for key, value in common.items() if _tells(key, value, leave_out))


def _tells(key: str, value: str, leave_out: Collection[str]) -> bool:
    """One node goes without saying."""
    return bool(value) and key not in leave_out and (key, value) != ("nodes", "1")


def size_of(result: Result) -> float:
    """Bytes of a stream vector, N of the others."""
    return size_in_bytes(result.name.size)


def natural(text: str) -> list[Any]:
    """A key that sorts 2 before 10."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split("([0-9]{1,18})", text))]


def is_pair(result: Result) -> bool:
    return result.name.pair is not None


def by_kernel(result: Result) -> int:
    """A key that sorts by the list of kernels; those that are not in it come last."""
    name = result.name.kernel
    return NAMES.index(name) if name in NAMES else len(NAMES)


def fastest_of_each(results: list[Result], key: Callable[[Result], Any] = lambda result: result.rate) -> list[Result]:
    """Returns each formulation's result with the greatest key."""
    best = {result.name.formulation: result for result in sorted(results, key=key)}
    return [best[name] for name in FORMULATIONS if name in best]


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def usable(results: list[Result]) -> list[Result]:
    """Leaves out wrong results: their rates are in the table alone."""
    return [result for result in results if result.verified is not False]

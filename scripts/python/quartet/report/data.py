"""The data of the page: the documents, and their rows, joined over the launches of each case."""

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from quartet.kernels import NAMES
from quartet.results import Launches, Name, Row, collect, grouped, identity, judged
from quartet.tables.verdict import few_runs, library_drawback
from quartet.terminal import printable
from quartet.text import counted, plain_versions, shown, size_in_bytes

Key = TypeVar("Key", bound=Hashable)
NATIVE, LIBRARY = "native", "library"


@dataclass(frozen=True)
class Result(Launches):
    """One case on one kind of machine and number of nodes, over all launches."""

    machine: str = ""
    paths: tuple[str, ...] = ()  # of its documents

    @property
    def why_marked(self) -> str:
        """Why it is marked; empty if it has no mark."""
        if not self.mark:
            return ""
        texts = dict.fromkeys(text for row in self.rows_that_count for text in row.flags.values() if text)
        return plain_versions("; ".join(texts)) or self.disturbance or "above its limit"

    @property
    def rate_mark(self) -> str:
        return "?" if self.mark == "?" else ""

    @property
    def runs(self) -> int:
        return sum(len(row.rates) for row in self.rows_that_count)


@dataclass
class Material:
    """All that the page is made from."""

    documents: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    failed: list[tuple[str, Row]] = field(default_factory=list)  # with the document's path; also rows that were not run
    skipped: list[str] = field(default_factory=list)  # documents that cannot be used, with the reason


def gather(paths: Iterable[Path]) -> Material:
    """Reads all documents at the paths. A row that got no time is left out if another document has it."""
    found = collect(paths)
    material = Material(skipped=found.skipped)
    documents = [document for _, document in found.documents]
    groups: dict[tuple[Any, ...], list[tuple[str, Row]]] = {}
    for (path, document), rows, machine in zip(found.documents, judged(documents), identity.names(documents)):
        place = printable(shown(path))
        material.documents.append((place, document))
        for row in rows:
            if row.error:
                material.failed.append((place, row))
            else:
                groups.setdefault((machine, row.nodes, row.text), []).append((place, row))
    run = {(row.machine, row.nodes, row.text) for members in groups.values() for _, row in members}
    material.failed = [(place, row) for place, row in material.failed
                       if not (row.is_not_run and (row.machine, row.nodes, row.text) in run)]
    material.results = [Result(tuple(row for _, row in members), machine, tuple(path for path, _ in members))
                        for (machine, _, _), members in groups.items()]
    order = list(dict.fromkeys(result.machine for result in material.results))
    material.results.sort(key=lambda result: (order.index(result.machine), by_kernel(result)))
    return material


def by_kernel(result: Result) -> int:
    """A sort key: the order of the list of kernels, unknown kernels last."""
    return NAMES.index(result.name.kernel) if result.name.kernel in NAMES else len(NAMES)


def usable(results: list[Result]) -> list[Result]:
    """The results without wrong ones and those of pairs of ranks, which only the table of every row has."""
    return [result for result in results if result.verified is not False and not result.name.pair]


def trusted_rate(result: Result) -> tuple[bool, float]:
    """A sort key, greatest for the best: rows in doubt come after all others. A row above its limit is not in doubt."""
    return result.mark != "?", result.rate


def best_by(results: list[Result], key: Callable[[Result], Key]) -> dict[Key, Result]:
    return {group: max(members, key=trusted_rate) for group, members in grouped(results, key).items()}


def size_of(result: Result) -> int:
    """Bytes of a vector of stream, N of other kernels."""
    return size_in_bytes(result.name.size)


def natural(text: str) -> list[Any]:
    """A key that sorts 2 before 10."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split("([0-9]{1,18})", text))]


def way(result: Result, usual: tuple[str, ...] = ()) -> str:
    """ "native shm, symmetric": formulation, transport, and what is not in the usual variant."""
    name = result.name
    more = [word for word in name.variant if word not in usual]
    return ", ".join([f"{name.formulation} {name.transport}", *more])


def factor(name: Name, key: str) -> str:
    """A factor of a name in words: "512 tiles", "N = 4096", "queue 16"."""
    value = name.values.get(key, "")
    if key == "n":
        return f"N = {name.plain_size}"
    if key in ("ranks", "threads", "workers", "pushes", "tiles", "iterations", "reducers"):
        return f"{value} {key[:-1] if value == '1' else key}"
    return name.plain_size if key == "size" else f"{key} {value}"


def problem(result: Result) -> str:
    """ "N = 8192, 2 ranks"; "2 MiB, 4 ranks, pair 0-1"."""
    name = result.name
    parts = [factor(name, key) for key in ("n", "size", "ranks") if key in name.values]
    nodes = [counted(result.nodes, "node")] if result.nodes > 1 else []
    pair = [factor(name, "pair")] if name.pair else []
    return ", ".join([*parts, *nodes, *pair])


def plain_name(result: Result) -> str:
    return f"{result.name.kernel} {way(result)}, {problem(result)}"


def library_of(result: Result, others: list[Result]) -> tuple[Optional[Result], str]:
    """The library's best row of the same work, and why their ratio means less; none for the library itself."""
    found = [other for other in others if other.name.formulation == LIBRARY != result.name.formulation
             and other.name.variant == result.name.variant and other.mark != "?"]
    best = max(found, key=trusted_rate, default=None)
    few = few_runs(min(result.runs, best.runs)) if best else ""
    return best, ", ".join(filter(None, (few, library_drawback(best.row)))) if best else ""

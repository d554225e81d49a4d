"""What the page is made from: the documents, and their cases with the launches of each joined."""

import os
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from quartet.kernels import NAMES
from quartet.results import Launches, Row, collect, commit, grouped, identity, judged
from quartet.tables.verdict import handicap
from quartet.terminal import printable
from quartet.text import fraction_cell, plain_versions, size, size_in_bytes

Key = TypeVar("Key", bound=Hashable)
NATIVE, LIBRARY = "native", "library"


@dataclass(frozen=True)
class Result(Launches):
    """One case on one kind of machine and number of nodes, over all its launches."""

    machine: str = ""
    paths: tuple[str, ...] = ()  # of its documents

    @property
    def commits(self) -> set[str]:
        return {commit({"context": row.context}) for row in self.rows}

    @property
    def doubts(self) -> str:
        """The reason why it is marked, in plain words."""
        if not self.mark:
            return ""
        texts = dict.fromkeys(text for row in self.counting for text in row.flags.values() if text)
        return plain_versions("; ".join(texts)) or self.disturbance or "above its limit"

    @property
    def share_text(self) -> str:
        """ "87%", of a row above its limit "114%!"; empty without a limit, and in doubt."""
        return fraction_cell(self.fraction, self.mark)

    @property
    def rate_mark(self) -> str:
        return "?" if self.mark == "?" else ""


@dataclass
class Material:
    documents: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    failed: list[tuple[str, Row]] = field(default_factory=list)  # or not run
    skipped: list[str] = field(default_factory=list)  # documents that cannot be used, with the reason


def gather(paths: Iterable[Path]) -> Material:
    """Reads all documents at the paths."""
    found = collect(paths)
    material = Material(skipped=found.skipped)
    documents = [document for _, document in found.documents]
    groups: dict[tuple[Any, ...], list[tuple[str, Row]]] = {}
    for (path, document), rows, machine in zip(found.documents, judged(documents), identity.names(documents)):
        shown = printable(os.path.relpath(path))
        material.documents.append((shown, document))
        for row in rows:
            if row.error:
                material.failed.append((shown, row))
            else:
                groups.setdefault((machine, row.nodes, row.text), []).append((shown, row))
    material.results = [Result(tuple(row for _, row in members), machine, tuple(path for path, _ in members))
                        for (machine, _, _), members in groups.items()]
    order = list(dict.fromkeys(result.machine for result in material.results))
    material.results.sort(key=lambda result: (order.index(result.machine), by_kernel(result)))
    return material


def by_kernel(result: Result) -> int:
    """A key that sorts by the list of kernels; those that are not in it come last."""
    return NAMES.index(result.name.kernel) if result.name.kernel in NAMES else len(NAMES)


def usable(results: list[Result]) -> list[Result]:
    """Leaves out wrong results, and pairs of ranks: the table has them."""
    return [result for result in results if result.verified is not False and not result.name.pair]


def trusted_rate(result: Result) -> tuple[bool, float]:
    """A key whose greatest is the best: in doubt only where nothing else is there. A row above its limit is in no
    doubt."""
    return result.mark != "?", result.rate


def best_of_each(results: list[Result], key: Callable[[Result], Key]) -> dict[Key, Result]:
    return {group: max(members, key=trusted_rate) for group, members in grouped(results, key).items()}


def size_of(result: Result) -> int:
    """Bytes of a stream vector, N of the others."""
    return size_in_bytes(result.name.size)


def natural(text: str) -> list[Any]:
    """A key that sorts 2 before 10."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split("([0-9]{1,18})", text))]


def way(result: Result, usual: tuple[str, ...] = ()) -> str:
    """ "native shm, symmetric": formulation, transport, and how it differs from the usual variant."""
    name = result.name
    more = [word for word in name.variant if word not in usual]
    return ", ".join([f"{name.formulation} {name.transport}", *more])


def factor(key: str, value: str) -> str:
    """A factor in words: "512 tiles", "N = 4096", "queue 16"."""
    if key == "n":
        return f"N = {size(value)}"
    if key in ("ranks", "threads", "nodes", "workers", "pushes", "tiles", "iterations", "reducers"):
        return f"{value} {key[:-1] if value == '1' else key}"
    return size(value) if key == "size" else f"{key} {value}"


def problem(result: Result) -> str:
    """ "N = 8192, 2 ranks"."""
    name = result.name
    key = "n" if "n" in name.values else "size"
    ranks = [factor("ranks", str(name.ranks))] if name.ranks else []
    nodes = [factor("nodes", str(result.nodes))] if result.nodes > 1 else []
    return ", ".join([factor(key, name.size), *ranks, *nodes])


def plain_name(result: Result) -> str:
    return f"{result.name.kernel} {way(result)}, {problem(result)}"


def library_of(result: Result, others: list[Result]) -> tuple[Optional[Result], str]:
    """The library's row of the same work, and what the library lacks here."""
    found = [other for other in others if other.name.formulation == LIBRARY and other is not result
             and other.name.variant == result.name.variant and other.mark != "?"]
    best = max(found, key=trusted_rate, default=None)
    return best, handicap(best.row) if best else ""

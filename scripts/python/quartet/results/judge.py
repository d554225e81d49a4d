"""Flags that need several rows, over all documents that a command is given; programs flag single rows.

- below_library: native has less than half of the rate of the library formulation in the same work;
- below_neighbours: a row has less than half of the fraction of the limit of the next smaller size;
- slow_network_path: its bytes went by TCP/IP although there was a faster way.

Such a row gets a flag like those of programs, and is distrusted. docs/reading-the-numbers.md explains all flags."""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Optional

from quartet.kernels import KERNELS
from quartet.results.network_path import BY_TCP
from quartet.results.row import Row, grouped, rows_of
from quartet.results.statistics import LEAST_VALUES
from quartet.text import rate, size_in_bytes

BELOW_LIBRARY, BELOW_NEIGHBOURS, SLOW_PATH = KINDS = ("below_library", "below_neighbours", "slow_network_path")
FAR_BELOW = 0.5
SIZES = {"size", "n"}
WORK_SHARING = {"queue", "reducers", "tile", "tiles", "plan", "pushes", "iterations"}  # ways to do the same work


def judged(documents: Iterable[dict[str, Any]]) -> list[list[Row]]:
    """The rows of each document, with the flags that need other rows, and one limit for equal work."""
    by_document = [[_with_drift(row) for row in rows_of(document)] for document in documents]
    every = [row for members in by_document for row in members]
    limited = _with_one_limit(every)  # a fraction is said as tables have it
    own = {id(one): row for one, row in zip(limited, every)}
    neighbours = [(own[id(one)], kind, text) for one, kind, text in _below_neighbours(limited)]
    flags = grouped([*_below_library(every), *neighbours,
                     *((row, SLOW_PATH, row.network_path.warning) for row in every if row.network_path.warning)],
                    lambda flag: id(flag[0]))
    flagged = iter(_with_one_limit([_flagged(row, [flag[1:] for flag in flags.get(id(row), [])]) for row in every]))
    return [[next(flagged) for _ in members] for members in by_document]


def judged_rows(documents: Iterable[dict[str, Any]]) -> list[Row]:
    """judged(), but the rows of all documents in one list."""
    return [row for members in judged(documents) for row in members]


def _flagged(row: Row, more: list[tuple[str, str]]) -> Row:
    flags = [*(row.median.get("flags") or []), *({"kind": kind, "text": text} for kind, text in more)]
    return row.with_keys(flags=flags, distrusted=True) if more else row


def _with_drift(row: Row) -> Row:
    """The row with a flag if a warning "~ ROW drifted: .." is about it: older programs wrote that, and no flag."""
    drifted = f"~ {row.text} drifted: "
    return _flagged(row, [("unsteady", text.removeprefix(drifted))
                          for text in row.context["quartet"].get("warnings", []) if text.startswith(drifted)])


def is_alike(one: Row, other: Row) -> bool:
    """True if both did the same work on the same kind of machine: variants and all common factors are equal."""
    first, second = one.name, other.name
    return (not one.error and not other.error and one.unit == other.unit
            and (first.kernel, first.device, first.variant) == (second.kernel, second.device, second.variant)
            and (first.transport in BY_TCP) == (second.transport in BY_TCP)
            and all(second.values[key] == value for key, value in first.values.items() if key in second.values)
            and one.place == other.place)


def library_rows(native: Row, rows: Iterable[Row]) -> list[Row]:
    """The sound rows of the library formulation for the same work as `native`, with the same transport if there are
    any, the nearest in time first. A row above its limit is sound: its limit is wrong, not its rate."""
    alike = [row for row in rows if row.name.formulation == "library" and row.mark != "?" and row.verified is not False
             and is_alike(native, row)]
    alike.sort(key=lambda row: abs(row.time - native.time))
    return [row for row in alike if row.name.transport == native.name.transport] or alike


def _work(row: Row) -> tuple[object, ...]:
    """The key of rows that have one limit: equal work, ranks and kind of machine."""
    name = row.name
    values = sorted((key, value) for key, value in name.values.items() if key not in WORK_SHARING)
    # fft's data flow ends in natural order but, as transposed order, passes its data on once.
    words = ("transposed",) if name.kernel == "fft" and row.has_roles else name.words
    return (row.place, row.unit, name.kernel, name.device, words, *values)


def _with_one_limit(rows: list[Row]) -> list[Row]:
    """Gives all rows of equal work one limit: the largest that was measured on all ranks, beside a row without `?`,
    since the machine has been seen to allow it, and in six runs, if there is such a row: the first probe is the
    fastest."""
    largest = {work: max(members, key=lambda row: (not row.has_roles, row.mark != "?",
                                                   len(row.rates) >= LEAST_VALUES, row.limit_rate))
               for work, members in grouped((row for row in rows if row.limit_rate), _work).items()}
    return [replace(row, shared_limit={**(best.limit or {}), "is_in_doubt": best.mark == "?",
                                       "is_scaled": best.has_roles})
            .with_keys(limit_decided_by=best.median.get("limit_decided_by", ""))
            if best and row.median.get("limit") else row for row in rows for best in [largest.get(_work(row))]]


def library_name(row: Row) -> str:
    """The name of the library that the library formulation of a row's kernel runs."""
    kernel = KERNELS.get(row.name.kernel)
    if not kernel or row.name.device != "host":
        return "the library"
    blas = str(row.context.get("quartet", {}).get("build", {}).get("cblas") or "the BLAS")
    return kernel.library or blas.partition(" (")[0]


def slower_than(library: Row, of_library: float, native: Row) -> str:
    """ "native is slower than OpenBLAS here (4.10 against 7.40)"."""
    return f"native is slower than {library_name(library)} here ({rate(native.rate)} against {rate(of_library)})"


Flags = Iterator[tuple[Row, str, str]]  # a row, the flag's kind, and its text


def _below_library(rows: list[Row]) -> Flags:
    libraries = [row for row in rows if row.name.formulation == "library" and not row.error]
    for row in rows:
        # Native rows only: the queue of a data flow has a cost. Of a row that is in doubt the cause is known.
        if row.name.formulation == "native" and not row.error and not row.is_distrusted:
            peers = library_rows(row, libraries)
            middle = statistics.median(peer.rate for peer in peers) if peers else 0
            if row.rate < FAR_BELOW * middle:
                yield row, BELOW_LIBRARY, slower_than(peers[0], middle, row)


def _below_neighbours(rows: list[Row]) -> Flags:
    """Compares each size with the next smaller one that has a row without `?`. The smallest size is never flagged: its
    runs are short. A size that was flagged here is not compared with."""
    def work(row: Row) -> tuple[object, ...]:
        name = row.name
        others = tuple(item for item in name.values.items() if item[0] not in SIZES)
        return name.kernel, name.formulation, name.device, name.transport, name.words, others, row.place

    for members in grouped((row for row in rows if row.fraction_of_limit and not row.is_above_limit), work).values():
        sound: Optional[tuple[str, float]] = None  # the next smaller size that fits, and its fraction
        for _, launches in sorted(grouped(members, lambda row: size_in_bytes(row.name.size)).items()):
            for row in launches:
                if sound and (row.fraction_of_limit or 0) < FAR_BELOW * sound[1]:
                    yield row, BELOW_NEIGHBOURS, (f"it reached {row.fraction_of_limit:.0%} of its limit, and the "
                                                  f"smaller size {sound[0]} {sound[1]:.0%}")
            trusted = [row.fraction_of_limit or 0 for row in launches if not row.is_distrusted]
            if trusted and (not sound or statistics.median(trusted) >= FAR_BELOW * sound[1]):
                sound = launches[0].name.plain_size, statistics.median(trusted)

"""The rows of a document. A Row is the result of one case, from the entries of its runs and aggregates, in Google
Benchmark's schema with the keys that Quartet adds."""

import contextlib
import statistics
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Optional, TypeVar

from quartet.kernels import KERNELS, Reducers
from quartet.results import document as documents
from quartet.results import identity, published
from quartet.results.network_path import NetworkPath, network_path
from quartet.text import counted, size
from quartet.units import SECONDS

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
OWN_FORMULATIONS = ("native", "dataflow", "library")  # of the programs
TENSORFLOW = "tensorflow"  # the paper's data flow as a TensorFlow program (quartet peers)
# How the errors of rows begin that got no time.
NOT_RUN = ("no time was left", "stopped on request", "the job ended before a run of it was kept")
PAPER = "/paper"  # ends the name of an entry that the paper's own clock timed
RATE_UNITS = ("MiB/s", "GFLOP/s")
MOST_DIGITS = 18
# Flags of a disturbed launch. A program that is slow for a reason has other flags, in every launch.
DISTURBANCE_FLAGS = {"disturbed", "unsteady"}
PLAUSIBLE = 1.05  # fraction of the limit, above which the limit is too low


def whole_number(text: str) -> Optional[int]:
    """Reads a whole number in a name; None if it is none, or has more than MOST_DIGITS."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """The items by their key, in order of appearance."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


@dataclass(frozen=True)
class Name:
    """A row's name, "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1", in parts."""

    kernel: str
    formulation: str = ""
    device: str = ""
    transport: str = ""
    words: tuple[str, ...] = ()  # factors without a key, as "laplace"
    values: dict[str, str] = field(default_factory=dict)  # factors with a key, in the name's order

    @staticmethod
    def parse(text: str) -> "Name":
        parts = text.split("/")
        plain = [part for part in parts if ":" not in part]
        values = dict(part.split(":", 1) for part in parts if ":" in part)
        kernel, formulation, device, transport = (plain + [""] * 4)[:4]
        return Name(kernel, formulation, device, transport, tuple(plain[4:]), values)

    @property
    def size(self) -> str:
        return self.values.get("size", self.values.get("n", ""))

    @property
    def plain_size(self) -> str:
        """The size for reading."""
        return size(self.size, self.kernel)

    @property
    def short(self) -> str:
        """ "cg native shm full 4096": the name without its other values."""
        return " ".join((self.kernel, self.formulation, self.transport, *self.words, self.plain_size))

    @property
    def math(self) -> str:
        """The arithmetic of float32 products, as "tf32"; empty if it is float32 itself, or the kernel has no choice."""
        return self.values.get("math", "")

    @property
    def variant(self) -> tuple[str, ...]:
        """Storage, order, arithmetic and the like: rates of different variants of a kernel do not compare."""
        return (*self.words, *([self.math] if self.math else []))

    @property
    def ranks(self) -> int:
        """0 if the name does not say."""
        return whole_number(self.values.get("ranks", "")) or 0

    @property
    def pair(self) -> Optional[tuple[int, int]]:
        """Sender and receiver, if only these two took part."""
        first, second = (whole_number(part) for part in (self.values.get("pair", "").split("-") + [""])[:2])
        return None if first is None or second is None else (first, second)


@dataclass(frozen=True)
class Row:
    """The result of one case in one launch: a rate, or an error."""

    name: Name
    text: str = ""  # its name as written
    error: str = ""
    unit: str = ""
    rate: float = 0  # median
    interval: Optional[tuple[float, float]] = None  # 95% of the median, as rates
    median: dict[str, Any] = field(default_factory=dict)  # its median entry, as written
    rates: tuple[float, ...] = ()  # of each run
    paper_rate: Optional[float] = None  # median rate by the paper's own clock
    shared_limit: Optional[dict[str, Any]] = None  # the largest limit beside any row of this work
    context: dict[str, Any] = field(default_factory=dict, repr=False)  # its document's

    def with_keys(self, **keys: object) -> "Row":
        """Returns a copy with these keys of its median entry replaced."""
        return replace(self, median={**self.median, **keys})

    @cached_property
    def limit(self) -> Optional[dict[str, Any]]:
        """What this machine allows for this work if all ranks of the job compute: the rate, and what it measures. A
        document has the limit of the ranks that compute, and the fraction of what all ranks would allow."""
        own = self.shared_limit or self.median.get("limit")
        if not own or self.shared_limit or not self.has_roles:
            return own
        whole = self.median.get("fraction_of_all_ranks")
        scale = whole and whole / self.median["fraction_of_limit"]
        return {**own, "rate": own["rate"] / scale, "seconds": own["seconds"] * scale} if scale else None

    @property
    def limit_rate(self) -> Optional[float]:
        return self.limit["rate"] if self.limit else None

    @property
    def fraction_of_limit(self) -> Optional[float]:
        """None if the limit is in doubt."""
        return self.rate / self.limit_rate if self.limit_rate and not (self.limit or {}).get("is_in_doubt") else None

    @property
    def has_roles(self) -> bool:
        """True if some ranks alone compute, so that no limit was measured on all of them."""
        kernel = KERNELS.get(self.name.kernel)
        return bool(kernel and kernel.reducers is not Reducers.NONE) and self.name.formulation == "dataflow"

    @property
    def is_not_run(self) -> bool:
        """True if it got no time: the budget was over, or the job was stopped, before its first run had ended."""
        return self.error.startswith(NOT_RUN)

    @property
    def verified(self) -> Optional[bool]:
        return self.median.get("verified")

    @property
    def workers(self) -> int:
        """Computing devices."""
        return int(self.median.get("workers", 0))

    @property
    def note(self) -> str:
        """Without the second fraction that older programs wrote."""
        parts = str(self.median.get("note", "")).split("; ")
        return "; ".join(part for part in parts if "would allow" not in part)

    @cached_property
    def network_path(self) -> NetworkPath:
        """The network path that its bytes took."""
        return network_path(self.median.get("network_path") or [], self.name.transport)

    @property
    def seconds(self) -> float:
        """The seconds of the median run."""
        return float(self.median["real_time"]) * SECONDS[self.median["time_unit"]]

    @property
    def push_microseconds(self) -> float:
        """The time of one push of stream; 0 for other kernels."""
        pushes = float(self.name.values.get("pushes") or self.median.get("pushes") or 0)
        return 1e6 * self.seconds / pushes if pushes else 0.0

    @property
    def time(self) -> float:
        """When its document was written, in seconds since 1970; 0 if that is not known."""
        with contextlib.suppress(KeyError, ValueError, OverflowError):
            return documents.written({"context": self.context})
        return 0.0

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the slowest rank by phase; they overlap."""
        return dict(self.median.get("phases", {}))

    @property
    def nodes(self) -> int:
        return documents.nodes({"context": self.context}) if self.context else 1

    @property
    def hosts(self) -> str:
        return identity.hosts({"context": self.context}) if self.context else ""

    @property
    def gpus(self) -> tuple[str, ...]:
        """The models of the GPUs; none on the host."""
        return documents.models_of_gpus({"context": self.context}) if self.context else ()

    @property
    def machine(self) -> str:
        """The device that computed, as text."""
        return documents.device({"context": self.context}) if self.context else ""

    @property
    def isa(self) -> str:
        """The vector instructions of the host's loops; empty if its document does not say."""
        return documents.isa({"context": self.context}) if self.context else ""

    @cached_property
    def place(self) -> tuple[object, ...]:
        """Rates of equal places may be compared: the kind of machine, and how many nodes of it."""
        return (*identity.processor({"context": self.context}), self.nodes) if self.context else ()

    @property
    def flags(self) -> dict[str, str]:
        """The texts of the row's flags, by kind. A row above its own limit, but below that of all, is not flagged."""
        return {str(flag["kind"]): str(flag["text"]) for flag in self.median.get("flags") or []
                if self.is_above_limit or flag["kind"] != "above_limit"}

    @property
    def doubts(self) -> list[str]:
        """Why it is distrusted."""
        return [text for kind, text in self.flags.items() if kind != "above_limit" and text]

    @property
    def is_above_limit(self) -> bool:
        """True if it is above its limit: its rate may be quoted, but not its fraction."""
        return (self.fraction_of_limit or 0) > PLAUSIBLE

    @property
    def is_distrusted(self) -> bool:
        """True if it has a flag other than above_limit: never quote it without `?`."""
        return self.median.get("distrusted") is True

    @property
    def mark(self) -> str:
        """The mark behind its rate or fraction in all tables."""
        return "?" if self.is_distrusted else "!" if self.is_above_limit else ""

    @cached_property
    def published(self) -> Optional[dict[str, Any]]:
        """The nearest published number and the ratio of our rate to it; None if no number compares. The rate by the
        paper's own clock is used if it was measured. There are no published numbers of single pairs."""
        if self.error or self.name.pair:
            return None
        return published.comparison(self, self.paper_rate or self.rate)


def is_disturbed(row: Row) -> bool:
    return row.is_distrusted and (not row.flags or bool(DISTURBANCE_FLAGS & set(row.flags)))


@dataclass(frozen=True)
class Launches:
    """Several launches of one case, summed up. Runs of a launch share placement, pages and time, so each launch gives
    one value: its median. Disturbed launches do not count if there are others."""

    rows: tuple[Row, ...]  # one a launch

    @property
    def undisturbed(self) -> list[Row]:
        return [row for row in self.rows if not is_disturbed(row)]

    @property
    def rows_that_count(self) -> list[Row]:
        """The undisturbed rows; all rows if none is undisturbed."""
        return self.undisturbed or list(self.rows)

    @property
    def row(self) -> Row:
        """The row of the first launch that counts."""
        return self.rows_that_count[0]

    @property
    def name(self) -> Name:
        return self.rows[0].name

    @property
    def unit(self) -> str:
        return self.row.unit

    @property
    def workers(self) -> int:
        return self.row.workers

    @property
    def nodes(self) -> int:
        return self.row.nodes

    @property
    def gpus(self) -> tuple[str, ...]:
        return self.row.gpus

    @property
    def disturbance(self) -> str:
        """Says how many launches do not count, since they are in doubt, and why; empty if all count."""
        disturbed = [row for row in self.rows if is_disturbed(row)]
        causes = [text for row in disturbed for kind, text in row.flags.items() if kind in DISTURBANCE_FLAGS and text]
        cause = "the first of them: " * bool(disturbed[1:]) + causes[0] if causes else "no reason is recorded"
        return f"{len(disturbed)} of {counted(len(self.rows), 'launch')} in doubt ({cause})" if disturbed else ""

    @property
    def medians(self) -> list[float]:
        """The median rates of the launches that count, as documents have them: the rate of the median time."""
        return [row.rate for row in self.rows_that_count]

    @property
    def rate(self) -> float:
        return statistics.median(self.medians)

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """One launch: the 95% interval of its median. Several: the range of their medians."""
        if len(self.rows_that_count) == 1:
            return self.row.interval
        return min(self.medians), max(self.medians)

    @property
    def limit(self) -> Optional[dict[str, Any]]:
        """What 100% is; judged rows of all launches that have a limit have the same."""
        return next((row.limit for row in self.rows_that_count if row.limit), None)

    @property
    def fraction(self) -> Optional[float]:
        return self.rate / self.limit["rate"] if self.limit else None

    @property
    def quotable_fraction(self) -> Optional[float]:
        """The fraction of the limit; None if it must not be quoted, because a row is wrong or there is a mark."""
        return None if self.mark or self.verified is False else self.fraction

    @property
    def verified(self) -> Optional[bool]:
        """False if a launch is wrong, None if one was not checked, else True."""
        checks = {row.verified for row in self.rows}
        return False if False in checks else None if None in checks else True

    @property
    def mark(self) -> str:
        """`?` if a launch that counts is distrusted, or under half count; `!` if most of them exceed their limit."""
        if any(row.is_distrusted for row in self.rows_that_count) or 2 * len(self.rows_that_count) < len(self.rows):
            return "?"
        above = sum(row.is_above_limit for row in self.rows_that_count)
        return "!" if 2 * above > len(self.rows_that_count) and (self.fraction or 0) > PLAUSIBLE else ""


def rows_of(document: dict[str, Any]) -> list[Row]:
    """The rows of a document, in its order. Entries that the paper's own clock timed (".../paper") are not rows."""
    aggregates: dict[str, dict[str, dict[str, Any]]] = {}
    runs: dict[str, list[dict[str, Any]]] = {}
    found = []
    for entry in document["benchmarks"]:
        if entry.get("error_occurred"):
            text = entry["name"][: -len("/error")]
            found.append(Row(Name.parse(text), text, entry["error_message"], context=document["context"]))
        elif entry["run_type"] == "aggregate":
            aggregates.setdefault(entry["run_name"], {})[entry["aggregate_name"]] = entry
        else:
            runs.setdefault(entry["run_name"], []).append(entry)
    for run_name, entries in aggregates.items():
        if "median" in entries and not run_name.endswith(PAPER):
            median, paper = entries["median"], aggregates.get(run_name + PAPER, {}).get("median", {})
            unit = next(unit for unit in RATE_UNITS if unit in median)
            bounds = sorted(entries[key][unit] for key in ("ci95_low", "ci95_high") if key in entries)
            found.append(Row(Name.parse(run_name), run_name, unit=unit, rate=median[unit],
                interval=(bounds[0], bounds[1]) if len(bounds) == 2 else None, median=median,
                rates=tuple(entry[unit] for entry in runs.get(run_name, []) if unit in entry),
                paper_rate=paper.get(unit), context=document["context"]))
    return found

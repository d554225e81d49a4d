"""The figures that a goal compares, from the documents of one round of launches."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Callable, Iterable, Protocol

from quartet.launch import Outcome
from quartet.results import Case
from quartet.text import size_in_bytes

MOVED = 2.0  # distances of cores: 30 to 60 ns within a cache, 160 to 300 ns across, of several makes
DAMAGE = (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError)  # what it leads to


class Missing(Exception):
    """A figure that is not there, and why."""


@dataclass(frozen=True)
class Result:
    """What a launch left."""

    outcome: Outcome
    cases: list[Case] = field(default_factory=list)
    core_distances: tuple[float, ...] = ()  # seconds, before and after it


Round = dict[str, Result]  # by the side's name


class Take(Enum):
    """Which of several rows counts."""

    ONLY = "there must be one"
    LARGEST = "that of the largest size"


@dataclass(frozen=True)
class Row:
    """The row of a side's document whose name has these parts."""

    side: str
    factors: tuple[str, ...] = ()
    takes: Take = Take.ONLY

    def of(self, results: Round) -> Case:
        """Raises Missing."""
        if self.side not in results:
            raise Missing("not measured")
        result = results[self.side]
        found = [case for case in result.cases if set(self.factors) <= set(case.text.split("/"))]
        errors = [case.error for case in found or result.cases if case.error]
        if errors:
            raise Missing(errors[0])
        if not found:
            raise Missing(result.outcome.message or "no such row")
        if any(case.verified is False for case in found):
            raise Missing("a wrong result")
        if self.takes is Take.LARGEST:
            return max(found, key=lambda case: size_in_bytes(case.name.size))
        if len(found) > 1:
            raise Missing(f"{len(found)} rows where there should be one")
        return found[0]


def moved(distances: Iterable[float]) -> bool:
    """True if the host has moved the cores between these measurements: the machine is another one then."""
    known = list(distances)
    return bool(known) and max(known) > MOVED * min(known)


def require_same_cores(results: Round, *rows: Row) -> None:
    """Raises Missing if the launches cannot be compared."""
    if moved(distance for row in rows for distance in results[row.side].core_distances):
        raise Missing("the host moved the cores between or during the launches")


def rate(case: Case) -> float:
    return case.rate


def nanoseconds_per_point(case: Case) -> float:
    return 1e9 * case.seconds / int(case.name.size)


@dataclass(frozen=True)
class Figures:
    """What one round measured, and what that is compared with."""

    measured: float
    against: float
    ratio: float
    unit: str
    note: str = ""  # of a library that is measured against; with a limit, of the row itself
    isa: str = ""  # of the row
    is_above_limit: bool = False  # its own, by more than chance, as its program judges


class Comparison(Protocol):
    @property
    def label(self) -> str:
        """The name of what it is measured against."""

    def of(self, results: Round) -> Figures:
        """Raises Missing."""


@dataclass(frozen=True)
class OfLimit:
    """A row's fraction of the limit of its own roles."""

    row: Row
    label: str = "limit"

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        limit, fraction = (case.median.get(key) for key in ("limit", "fraction_of_limit"))
        if not limit or not fraction:
            raise Missing("no limit was measured")
        return Figures(case.rate, limit["rate"], fraction, case.unit, case.note, case.isa,
                       case.is_suspicious)


@dataclass(frozen=True)
class OverPeer:
    """A row over another one, or over the best of several."""

    row: Row
    peers: tuple[Row, ...]
    label: str
    figure: Callable[[Case], float] = rate
    unit: str = ""  # of the figure, where it is not the rate's

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        peers = {peer: peer.of(results) for peer in self.peers}
        chosen = max(peers, key=lambda peer: peers[peer].rate)
        require_same_cores(results, self.row, chosen)
        best = peers[chosen]
        ours, theirs = self.figure(case), self.figure(best)
        note = best.note if best.name.formulation == "library" else ""
        return Figures(ours, theirs, ours / theirs, self.unit or case.unit, note, case.isa)


@dataclass(frozen=True)
class BytesRead:
    """Bytes read from files over the bytes that the best whole-tile blocking reads."""

    row: Row
    label: str = "best blocking"

    def of(self, results: Round) -> Figures:
        row = self.row.of(results).median
        if "bytes_read" not in row:
            raise Missing("the row does not say what was read")
        # The best blocking counts written bytes as well; all blockings write the same.
        read, best = row["bytes_read"], row["bytes_best_whole_tiles"] - row["bytes_written"]
        return Figures(read / 2**20, best / 2**20, read / best, "MiB")


@dataclass(frozen=True)
class LimitOverLoop:
    """A component of a row's limit over the rate of a loop that shares nothing with the suite's."""

    row: Row
    loop: Row
    component: str
    label: str = "loop"
    hardware: bool = False  # what the processor itself allows of the component
    factor: float = 1  # of the loop's rate

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        parts = {part["name"]: part for part in case.median.get("limit_components") or []}
        seconds = parts.get(self.component, {}).get("hardware_seconds" if self.hardware else "seconds")
        if not case.limit or not seconds:
            raise Missing("no limit was measured")
        found = case.limit["rate"] * case.limit["seconds"] / seconds
        against = self.factor * self.loop.of(results).rate
        require_same_cores(results, self.row, self.loop)
        return Figures(found, against, found / against, case.unit)

"""The cases of result documents as the report needs them: launches of one case joined."""

import statistics
from dataclasses import dataclass
from typing import Optional

from quartet.results import (SUSPICIOUS_FRACTION, Case, Name, checked_cases, commit, device,
                             nodes)


@dataclass(frozen=True)
class Launch:
    """One case in one document."""

    path: str
    case: Case
    machine: str
    nodes: int
    commit: str
    date: str


@dataclass(frozen=True)
class Limit:
    what: str
    rate: float  # in the case's unit


def read(path: str, document: dict) -> list[Launch]:
    """The cases of a document, the failed ones too. Raises ValueError, with the reason, where a row
    is not as the schema has it."""
    date = str(document["context"].get("date", ""))[:10]
    return [Launch(path, case, device(document), nodes(document), commit(document), date)
            for case in checked_cases(path, document)]


@dataclass(frozen=True)
class Result:
    """One case on one kind of machine, over all its launches."""

    launches: tuple[Launch, ...]

    @property
    def _cases(self) -> list[Case]:
        return [launch.case for launch in self.launches]

    @property
    def case(self) -> Case:
        """Of the first launch."""
        return self.launches[0].case

    @property
    def name(self) -> Name:
        return self.case.name

    @property
    def unit(self) -> str:
        return self.case.unit

    @property
    def workers(self) -> int:
        return self.case.workers

    @property
    def machine(self) -> str:
        return self.launches[0].machine

    @property
    def nodes(self) -> int:
        return self.launches[0].nodes

    @property
    def rate(self) -> float:
        """The median of the launches' medians."""
        return statistics.median(case.rate for case in self._cases)

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """Of one launch the 95% interval of its median; of several their range."""
        if len(self.launches) == 1:
            return self.case.interval
        rates = [case.rate for case in self._cases]
        return min(rates), max(rates)

    @property
    def limit(self) -> Optional[Limit]:
        limits = [case.limit for case in self._cases if case.limit]
        if not limits:
            return None
        return Limit(str(limits[0]["what"]), statistics.median(limit["rate"] for limit in limits))

    @property
    def fraction(self) -> Optional[float]:
        known = [case.fraction_of_limit for case in self._cases
                 if case.fraction_of_limit is not None]
        return statistics.median(known) if known else None

    @property
    def is_suspicious(self) -> bool:
        return (self.fraction or 0) > SUSPICIOUS_FRACTION

    @property
    def verified(self) -> Optional[bool]:
        """Of all launches; None where one was not checked."""
        checks = {case.verified for case in self._cases}
        return False if False in checks else None if None in checks else True

    @property
    def total_seconds(self) -> Optional[float]:
        """With input and output."""
        known = [case.total_seconds for case in self._cases if case.total_seconds]
        return statistics.median(known) if known else None

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the first launch's phases, which overlap."""
        return self.case.phases

    @property
    def published(self) -> Optional[dict]:
        return next((case.published for case in self._cases if case.published), None)


def joined(launches: list[Launch]) -> list[Result]:
    """Launches of the same case on the same kind and number of nodes, in order of appearance."""
    groups: dict[tuple, list[Launch]] = {}
    for item in launches:
        groups.setdefault((item.case.text, item.machine, item.nodes), []).append(item)
    return [Result(tuple(group)) for group in groups.values()]

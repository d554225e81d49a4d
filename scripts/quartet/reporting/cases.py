"""The cases of result documents as the report needs them: launches of one case joined."""

import math
import statistics
from dataclasses import dataclass
from typing import Optional

from quartet.results import SUSPICIOUS_FRACTION, Case, Name, cases, device


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
    context = document["context"]
    quartet = context["quartet"]
    try:
        nodes = int(_number(quartet.get("nodes", 1), "nodes"))
        found = [Launch(path, case, device(document), nodes, str(quartet.get("commit", "")),
                        str(context.get("date", ""))[:10]) for case in cases(document)]
        for launch in found:
            if not launch.case.error:
                _check(launch.case)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{path}: a row is not as the schema has it "
                         f"({type(error).__name__}: {error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return found


def _number(value, key: str) -> float:
    """Raises ValueError where the value is no finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{key} is not a number: {value!r:.40}")
    return value


def _check(case: Case) -> None:
    """Raises ValueError, KeyError or TypeError where a number is none, or not positive."""
    median = case.median
    positive = {case.unit: case.rate, "real_time": median["real_time"], "workers": case.workers}
    if case.limit:
        positive["limit"] = case.limit["rate"]
    if case.published:
        positive.update({key: case.published[key] for key in ("value", "ratio")})
    for key, value in positive.items():
        if _number(value, key) <= 0:
            raise ValueError(f"{key} is not positive: {value:g}")
    for bound in case.interval or ():
        _number(bound, f"{case.unit} of ci95")
    for key in ("fraction_of_limit", "total_seconds", "iterations"):
        _number(median.get(key, 0), key)
    for phase, seconds in median.get("phases", {}).items():
        _number(seconds, phase)
    case.seconds  # of a known time unit


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
        known = [case.median["total_seconds"] for case in self._cases
                 if case.median.get("total_seconds")]
        return statistics.median(known) if known else None

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the first launch's phases, which overlap."""
        return self.case.median.get("phases", {})

    @property
    def published(self) -> Optional[dict]:
        return next((case.published for case in self._cases if case.published), None)


def joined(launches: list[Launch]) -> list[Result]:
    """Launches of the same case on the same kind and number of nodes, in order of appearance."""
    groups: dict[tuple, list[Launch]] = {}
    for item in launches:
        groups.setdefault((item.case.text, item.machine, item.nodes), []).append(item)
    return [Result(tuple(group)) for group in groups.values()]

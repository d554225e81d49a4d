"""The cases of result documents as the report needs them: launches of one case joined."""

import statistics
from dataclasses import dataclass
from typing import Any, Optional

from quartet.misfits import judged
from quartet.results import Case, Name, are_suspicious, cases, commit, nodes


@dataclass(frozen=True)
class Launch:
    """One case in one document."""

    path: str
    case: Case
    machine: str
    nodes: int
    commit: str
    date: str
    series: str = ""  # the folder that it is in, where there are several
    role: str = ""  # of its slowest rank, where ranks have several


@dataclass(frozen=True)
class Limit:
    what: str
    rate: float  # in the case's unit
    decided_by: str = ""  # of several parts


@dataclass(frozen=True)
class Source:
    """A document, where it lies and where it was made."""

    path: str
    document: dict[str, Any]
    machine: str
    series: str = ""


def read(sources: list[Source]) -> list[Launch]:
    """The cases of documents, the failed ones too. Rows of one machine and folder are judged together, whichever
    documents they stand in, as `quartet table` judges them."""
    groups: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        groups.setdefault((source.machine, source.series), []).append(source)
    launches: list[Launch] = []
    for members in groups.values():
        pairs = [(source, case) for source in members for case in cases(source.document)]
        launches += [_launch(source, case) for (source, _), case in zip(pairs, judged([case for _, case in pairs]))]
    return launches


def _launch(source: Source, case: Case) -> Launch:
    document = source.document
    return Launch(source.path, case, source.machine, nodes(document), commit(document),
                  str(document["context"].get("date", ""))[:10], source.series, _role(document, case))


def _role(document: dict[str, Any], case: Case) -> str:
    """Of the slowest rank, where ranks have several."""
    seconds, places = case.median.get("rank_seconds") or [], document["context"]["quartet"].get("placement") or []
    roles = {place["rank"]: str(place.get("role", "")) for place in places}
    if not seconds or None in seconds or len(set(roles.values())) < 2:
        return ""
    return roles.get(seconds.index(max(seconds)), "")


@dataclass(frozen=True)
class Result:
    """One case on one machine and in one folder, over all its launches. Distrusted launches count
    only where there are no others."""

    launches: tuple[Launch, ...]
    told_by_machine: bool = False  # whether there are several
    told_by_folder: bool = False  # whether one machine has several

    @property
    def _cases(self) -> list[Case]:
        every = [launch.case for launch in self.launches]
        return [case for case in every if not case.is_distrusted] or every

    @property
    def case(self) -> Case:
        """Of the first launch that counts."""
        return self._cases[0]

    @property
    def name(self) -> Name:
        return self.case.name

    @property
    def share(self) -> float:
        """Of its limit; 0 where it has none."""
        return self.fraction or 0.0

    @property
    def mark(self) -> str:
        """That stands behind its rate everywhere."""
        return "?" if self.case.is_distrusted else "!" if self.is_suspicious else ""

    @property
    def doubts(self) -> str:
        """Why it is marked, in plain words."""
        if not self.mark:
            return ""
        texts = dict.fromkeys(text for case in self._cases for text in case.flags.values() if text)
        return "; ".join(texts) or f"{self.fraction:.0%} of its limit"

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
    def series(self) -> str:
        return self.launches[0].series

    @property
    def nodes(self) -> int:
        return self.launches[0].nodes

    @property
    def role(self) -> str:
        return self.launches[0].role

    @property
    def rate(self) -> float:
        """The median of the launches' medians."""
        return statistics.median(case.rate for case in self._cases)

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """Of one launch the 95% interval of its median; of several their range."""
        if len(self._cases) == 1:
            return self.case.interval
        rates = [case.rate for case in self._cases]
        return min(rates), max(rates)

    @property
    def limit(self) -> Optional[Limit]:
        limits = [case.limit for case in self._cases if case.limit]
        if not limits:
            return None
        parts = self.case.median.get("limit_components") or []
        decided = str(self.case.median.get("limit_decided_by", "")) if len(parts) > 1 else ""
        return Limit(str(limits[0]["what"]), statistics.median(limit["rate"] for limit in limits), decided)

    @property
    def fraction(self) -> Optional[float]:
        known = [case.fraction_of_limit for case in self._cases if case.fraction_of_limit is not None]
        return statistics.median(known) if known else None

    @property
    def fraction_text(self) -> str:
        """ "57%", with its mark; empty without a limit."""
        return f"{self.fraction:.0%}{self.mark}" if self.fraction else ""

    @property
    def is_suspicious(self) -> bool:
        """Whether it was above its limit in most launches."""
        return are_suspicious(self._cases)

    @property
    def verified(self) -> Optional[bool]:
        """Of all launches; None where one was not checked."""
        checks = {case.verified for case in self._cases}
        return False if False in checks else None if None in checks else True

    @property
    def whole_task(self) -> dict[str, float]:
        """Seconds of its stages, each the median of the launches; empty where not measured."""
        known = [case.whole_task for case in self._cases if case.whole_task]
        stages = dict.fromkeys(stage for task in known for stage in task)
        return {stage: statistics.median(task.get(stage, 0) for task in known) for stage in stages}

    @property
    def whole_task_seconds(self) -> Optional[float]:
        """From the launch to the results in files."""
        return sum(self.whole_task.values()) or None

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the first launch's phases, which overlap."""
        return self.case.phases

    @property
    def published(self) -> Optional[dict[str, Any]]:
        return next((case.published for case in self._cases if case.published), None)


def joined(launches: list[Launch]) -> list[Result]:
    """Launches of the same case on the same machine and number of nodes, in the same folder; in order
    of appearance."""
    groups: dict[tuple[Any, ...], list[Launch]] = {}
    for item in launches:
        groups.setdefault((item.case.text, item.machine, item.series, item.nodes), []).append(item)
    several_machines = len({item.machine for item in launches}) > 1
    places = {(item.machine, item.series) for item in launches}
    several_folders = len(places) > len({machine for machine, _ in places})
    return [Result(tuple(group), several_machines, several_folders) for group in groups.values()]

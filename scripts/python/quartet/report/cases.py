"""The cases of result documents as the report needs them: launches of one case joined."""

import statistics
from dataclasses import dataclass, field
from typing import Any, Optional

from quartet.results import Case, Launches, commit

ALL_WORK = ("native", "library")  # formulations without reducers


@dataclass(frozen=True)
class Launch:
    """One case in one document."""

    path: str
    case: Case
    machine: str
    commit: str
    date: str
    series: str = ""  # the folder that it is in, where there are several
    role: str = ""  # of its slowest rank, where ranks have several
    hosts: dict[int, str] = field(default_factory=dict)  # by rank


@dataclass(frozen=True)
class Limit:
    what: str
    rate: float  # in the case's unit
    decided_by: str = ""  # of several parts


def _role(case: Case, roles: dict[int, str]) -> str:
    """The slowest rank's role, if ranks have several."""
    seconds = case.median.get("rank_seconds") or []
    if not seconds or None in seconds or len(set(roles.values())) < 2:
        return ""
    return roles.get(seconds.index(max(seconds)), "")


def read(path: str, document: dict[str, Any], cases: list[Case], machine: str, series: str = "") -> list[Launch]:
    """The (judged) cases of a document, the failed ones too."""
    date = str(document["context"].get("date", ""))[:10]
    places = document["context"]["quartet"].get("placement") or []
    roles = {place["rank"]: str(place.get("role", "")) for place in places}
    hosts = {place["rank"]: str(place["host"]) for place in places}
    return [Launch(path, case, machine, commit(document), date, series, _role(case, roles), hosts) for case in cases]


@dataclass(frozen=True)
class Result(Launches):
    """One case on one machine and in one folder, over all its launches."""

    launches: tuple[Launch, ...] = ()
    told_by_machine: bool = False  # whether there are several
    told_by_folder: bool = False  # whether one machine has several

    @property
    def share(self) -> float:
        """The share of its limit; 0 if it has none."""
        return self.fraction or 0.0

    @property
    def share_of_all(self) -> float:
        """The share of what all ranks of the job would allow; 0 without a limit."""
        return self.share

    @property
    def doubts(self) -> str:
        """The reason why it is marked, in plain words."""
        if not self.mark:
            return ""
        texts = dict.fromkeys(text for case in self.counting for text in case.flags.values() if text)
        return "; ".join(texts) or f"{self.fraction:.0%} of its limit"

    @property
    def machine(self) -> str:
        return self.launches[0].machine

    @property
    def series(self) -> str:
        return self.launches[0].series

    @property
    def role(self) -> str:
        return self.launches[0].role

    def rank_named(self, rank: int) -> str:
        """Names a rank by its number, with its host if there are several."""
        hosts = self.launches[0].hosts
        return f"{rank} {hosts[rank]}" if rank in hosts and len(set(hosts.values())) > 1 else str(rank)

    @property
    def limit(self) -> Optional[Limit]:
        first = next((case for case in self.counting if case.limit), None)
        if not first or not first.limit or not self.limit_rate:
            return None
        parts = first.median.get("limit_components") or []
        decided = str(first.median.get("limit_decided_by", "")) if len(parts) > 1 else ""
        return Limit(str(first.limit["what"]), self.limit_rate, decided)

    @property
    def fraction_text(self) -> str:
        """ "57%", with its mark; empty without a limit."""
        return f"{self.fraction:.0%}{self.mark}" if self.fraction else ""

    @property
    def whole_task(self) -> dict[str, float]:
        """Seconds of its stages, each the median of the launches; empty if not measured."""
        known = [case.whole_task for case in self.counting if case.whole_task]
        stages = dict.fromkeys(stage for task in known for stage in task)
        return {stage: statistics.median(task.get(stage, 0) for task in known) for stage in stages}

    @property
    def whole_task_seconds(self) -> Optional[float]:
        """The seconds from the launch to the results in files."""
        return sum(self.whole_task.values()) or None

    @property
    def phases(self) -> dict[str, dict[str, float]]:
        """Busy seconds of the first launch's phases, which overlap, by the role whose slowest rank had them; of a
        document that does not tell roles apart the slowest rank's alone. "" if all ranks do the same."""
        # A rank that reduces in a data flow may work in the document's other formulations.
        role = self.role.split(" or ")[-1] if self.name.formulation not in ALL_WORK else ""
        return self.case.phases_by_role or {role: self.case.phases}


def joined(launches: list[Launch]) -> list[Result]:
    """Launches of the same case on the same machine and number of nodes, in the same folder; in order
    of appearance."""
    groups: dict[tuple[Any, ...], list[Launch]] = {}
    for item in launches:
        groups.setdefault((item.case.text, item.machine, item.series, item.case.nodes), []).append(item)
    several_machines = len({item.machine for item in launches}) > 1
    places = {(item.machine, item.series) for item in launches}
    several_folders = len(places) > len({machine for machine, _ in places})
    return [Result(tuple(item.case for item in group), tuple(group), several_machines, several_folders)
            for group in groups.values()]

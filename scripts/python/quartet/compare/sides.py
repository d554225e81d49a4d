"""The two sides of a comparison: for each case what every run of every launch reached."""

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.documents import collect
from quartet.misfits import judged
from quartet.results import Case, Name, cases, device, models_of_gpus, nodes
from quartet.statistics import variation
from quartet.text import counted

PAPER = "/paper"
# Flags that say that a launch was disturbed. The others are about what it reached: a side that is
# slower for a reason has them in every launch.
DISTURBING = {"disturbed", "drift", "step", "two_speeds", "limit_moved"}


@dataclass
class Sample:
    """A case on one side. Runs of a launch share placement, pages and the minute, so a launch is one
    value: its median. Disturbed launches do not count where others are left."""

    name: Name
    unit: str
    launches: list[list[float]] = field(default_factory=list)  # rates of the runs of each
    cases: list[Case] = field(default_factory=list)  # one a launch
    nodes: int = 1
    gpus: tuple[str, ...] = ()  # models

    @property
    def counting(self) -> list[int]:
        """The launches that were not disturbed."""
        return [index for index, case in enumerate(self.cases) if not _is_disturbed(case)]

    @property
    def _used(self) -> list[int]:
        return self.counting or list(range(len(self.launches)))

    @property
    def medians(self) -> list[float]:
        """Of the launches that count; of all where none does."""
        return [statistics.median(self.launches[index]) for index in self._used]

    @property
    def median(self) -> float:
        return statistics.median(self.medians)

    @property
    def mark(self) -> str:
        """The gravest of the launches whose medians are shown."""
        marks = {self.cases[index].mark for index in self._used}
        return next((mark for mark in "?!" if mark in marks), "")

    @property
    def limit(self) -> Optional[float]:
        """The median rate of the launches' limits."""
        rates = [case.limit["rate"] for case in self.cases if case.limit]
        return statistics.median(rates) if rates else None

    @property
    def disturbance(self) -> str:
        """How many launches do not count, and why; empty where all do."""
        disturbed = [case for case in self.cases if _is_disturbed(case)]
        if not disturbed:
            return ""
        causes = dict.fromkeys(text for case in disturbed for kind, text in case.flags.items()
                               if kind in DISTURBING and text)
        cause = f" ({next(iter(causes))})" if causes else ""
        return f"{len(disturbed)} of {counted(len(self.cases), 'launch')} disturbed{cause}"

    @property
    def within(self) -> Optional[float]:
        """The median launch's coefficient of variation over its runs."""
        spreads = [variation(runs) for runs in self.launches if len(runs) > 1]
        return statistics.median(spreads) if spreads else None

    @property
    def between(self) -> Optional[float]:
        """The variation of the launches' medians."""
        return variation(self.medians) if len(self.medians) > 1 else None

    @property
    def is_wrong(self) -> bool:
        return any(case.verified is False for case in self.cases)

    def problem(self) -> str:
        """Why it cannot be compared; empty where it can be."""
        if self.is_wrong:
            return "wrong result"
        return "not verified" if any(case.verified is None for case in self.cases) else ""


def _is_disturbed(case: Case) -> bool:
    return case.is_distrusted and (not case.flags or bool(DISTURBING & set(case.flags)))


@dataclass
class Side:
    """A set of documents."""

    label: str
    documents: list[tuple[Path, dict]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    samples: dict[str, Sample] = field(default_factory=dict)  # by the case's name
    papers: dict[str, Sample] = field(default_factory=dict)  # by the paper's own clock
    errors: dict[str, str] = field(default_factory=dict)

    def settings(self) -> dict[str, str]:
        """Machine and build of the documents by key; different values are joined."""
        found: dict[str, dict[str, None]] = {}
        for _, document in self.documents:
            for key, value in _settings(document).items():
                found.setdefault(key, {})[value] = None
        return {key: ", ".join(values) for key, values in found.items()}


def read_side(label: str, paths: list[Path]) -> Side:
    """All documents at the paths; what cannot be used is named in `skipped`."""
    found = collect(paths)
    side = Side(label, found.documents, found.skipped)
    for _, document in found.documents:
        _add(side, document)
    return side


def _add(side: Side, document: dict) -> None:
    runs: dict[str, list[dict]] = {}
    for row in document["benchmarks"]:
        if row.get("run_type") == "iteration" and not row.get("error_occurred"):
            runs.setdefault(row["run_name"], []).append(row)
    for case in judged(cases(document)):
        if case.error:
            side.errors[case.text] = case.error
            continue
        for samples, clock in ((side.samples, ""), (side.papers, PAPER)):
            rates = [row[case.unit] for row in runs.get(case.text + clock, [])]
            if rates:
                sample = samples.setdefault(case.text, Sample(case.name, case.unit,
                                                               nodes=nodes(document),
                                                               gpus=models_of_gpus(document)))
                sample.launches.append(rates)
                sample.cases.append(case)


def _settings(document: dict) -> dict[str, str]:
    context, quartet = document["context"], document["context"]["quartet"]
    build = quartet.get("build", {})
    values = {"device": device(document), "host": context.get("host_name"),
              "nodes": quartet.get("nodes"), "commit": quartet.get("commit"),
              "compiler": build.get("compiler"), "flags": build.get("flags"),
              "build type": build.get("type"), "BLAS": build.get("cblas"),
              "MPI": quartet.get("mpi")}
    return {key: str(value) for key, value in values.items() if value is not None}

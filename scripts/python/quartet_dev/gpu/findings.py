"""What the documents of quartet gpu say: each promise with its verdict, each row with what was expected of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from quartet.files import FileProblem
from quartet.results import Case, cases, load
from quartet.text import slug
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.promise import Promise, judged
from quartet_dev.gpu.record import PartRecord
from quartet_dev.limits.goals import GoalResult, Verdict

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Kept:
    """A promise, and what became of it."""

    kernel: str
    promise: Promise
    result: Optional[GoalResult]
    why_not: str = ""

    @property
    def verdict(self) -> str:
        if not self.result or not self.result.rounds:
            return NOT_MEASURED
        if self.result.verdict is Verdict.MISSED:
            return "MISSED"
        return self.result.verdict.value or "only shown"


@dataclass(frozen=True)
class RowFound:
    case: Case
    expected: Optional[float]  # rate, in its unit


@dataclass
class Findings:
    kept: list[Kept] = field(default_factory=list)
    rows: list[RowFound] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)

    @property
    def gpus(self) -> list[dict[str, Any]]:
        """Each once, as the documents have them."""
        found = {gpu["uuid"]: gpu for document in self.documents
                 for gpu in document["context"]["quartet"].get("gpus", [])}
        return list(found.values())


def findings(records: dict[str, PartRecord], documents: Path) -> Findings:
    """The findings of the parts that have run; of a launch that failed, what is said instead."""
    found = Findings()
    for name, kernel in ON_GPU.items():
        for benchmark in kernel.benchmarks:
            document, why_not = _document(records.get(name), benchmark.title, documents)
            rows = cases(document) if document else []
            if document:
                found.documents.append(document)
                ceilings = _ceilings(document)
                found.rows += [RowFound(case, None if case.error else
                                        benchmark.expected(case, ceilings)) for case in rows]
            found.kept += [Kept(name, promise, judged(promise, benchmark.title, rows) if document
                                else None, why_not) for promise in benchmark.promises]
    return found


def _ceilings(document: dict[str, Any]) -> Ceilings:
    """The ceilings of the first GPU; others of the job are mostly like it."""
    gpus = document["context"]["quartet"].get("gpus", [])
    return Ceilings.of(gpus[0]) if gpus else Ceilings()


def _document(record: Optional[PartRecord], title: str, folder: Path) -> tuple[Optional[dict[str, Any]], str]:
    if record is None:
        return None, "this part has not run"
    step = next((step for step in record.steps if step.title == title), None)
    if step is None or not step.document:
        reasons = [each.reason for each in [step] if each] or [each.reason for each in record.steps if each.reason]
        return None, (reasons or ["no such launch"])[0] or "no document"
    try:
        return load(folder / f"{slug(title)}.json"), ""
    except (FileProblem, OSError) as problem:
        return None, str(problem)

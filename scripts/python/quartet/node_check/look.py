"""One look at a node: a launch that is ended in time, and what its rows say beside the reference."""

import shutil
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import VERIFIED, WRONG_RESULT
from quartet.files import FileProblem
from quartet.launch import Files, LocalLauncher, Outcome
from quartet.node_check.plan import Launch
from quartet.results import Case, cases, load
from quartet.results.reference import Known, Reference
from quartet.text import counted, fraction, rate

MAKE_REFERENCE = "quartet node-check --results FOLDER on sound nodes, then --reference FOLDER"


class State(Enum):
    FINE = "fine"
    UNSURE = "unsure"
    SUSPECT = "suspect"  # sick, if a second look says so, too


@dataclass(frozen=True)
class Row:
    case: Case
    known: Optional[Known]

    @property
    def of_reference(self) -> Optional[float]:
        return self.case.rate / self.known.rate if self.known else None

    def as_json(self) -> dict[str, Any]:
        return {"name": self.case.text, "rate": self.case.rate, "unit": self.case.unit,
                "fraction_of_limit": self.case.fraction_of_limit, "reference": self.known and self.known.rate,
                "fraction_of_reference": self.of_reference}


@dataclass(frozen=True)
class Seen:
    """What a launch showed; of two looks, what both did."""

    state: State
    reason: str = ""
    next: str = ""  # what to run
    rows: tuple[Row, ...] = ()
    is_wrong: bool = False  # a result was
    is_final: bool = False  # looking again would show the same


class Killing(LocalLauncher):
    """Ends a job at once: who waits for a node does not wait for a program that does not end."""

    ENDING = ()


def look(launch: Launch, launcher: LocalLauncher, budget: int, limit: float, is_patient: bool, folder: Path,
         reference: Reference) -> Optional[Seen]:
    """`budget` is what the program is told, `limit` when it is killed: where `is_patient`, it then hangs; else None.
    The document goes to `folder`."""
    if not shutil.which(launch.program):
        return Seen(State.UNSURE, f"there is no program {launch.program}", "make build", is_final=True)
    files = Files(folder / f"{launch.program.name}-{launch.device}.json", folder / "log")
    files.document.unlink(missing_ok=True)
    outcome = launcher.complete(launch.job(budget, files.document), files, limit)
    if (outcome.seconds or 0) >= limit:
        return Seen(State.SUSPECT, f"{launch.title} hangs (killed after {limit:.0f} s)",
                    "quartet check-machine") if is_patient else None
    return _judged(launch, files, outcome, reference)


def _judged(launch: Launch, files: Files, outcome: Outcome, reference: Reference) -> Seen:
    if outcome.exit_code == WRONG_RESULT:
        return Seen(State.SUSPECT, f"{launch.title} gives a wrong result", "quartet check-machine", is_wrong=True)
    failed = f"quartet launch {launch.ranks} {launch.program.name} --list"
    if outcome.exit_code != VERIFIED:
        return Seen(State.UNSURE, f"{launch.title} could not run ({outcome.message})", failed)
    try:
        measured = [case for case in cases(load(files.document)) if not case.error and case.rate > 0]
    except (FileProblem, OSError) as error:
        return Seen(State.UNSURE, f"{launch.title} left no document ({error})", failed)
    rows = tuple(Row(case, reference.of(case)) for case in measured)
    unknown = [row.case for row in rows if not row.known]
    if unknown or not rows:
        why = reference.why_not(unknown[0]) if unknown else f"{launch.title} measured nothing"
        return Seen(State.UNSURE, why, MAKE_REFERENCE, rows, is_final=True)
    slow = [row for row in rows if row.known and row.case.rate < row.known.bound]
    if not slow:
        return Seen(State.FINE, rows=rows)
    texts = [_how_slow(launch, row, row.known) for row in slow if row.known]
    disturbed = [row.case.flags["disturbed"] for row in slow if "disturbed" in row.case.flags]
    if disturbed:
        return Seen(State.UNSURE, f"{texts[0]}, but disturbed: {disturbed[0]}", "quartet check-machine --quick", rows)
    return Seen(State.SUSPECT, "; ".join(texts), "quartet check-machine", rows)


def _how_slow(launch: Launch, row: Row, known: Known) -> str:
    """And whether what limits it is slow as well, which the limit tells that was measured beside it."""
    case = row.case
    text = (f"{launch.title} {rate(case.rate)} {case.unit} is {row.of_reference:.0%} of the reference "
            f"({rate(known.rate)}, {counted(known.launches, 'launch')})")
    if case.fraction_of_limit:
        text += f" and {fraction(case.fraction_of_limit)} of its limit"
        text += f" ({fraction(known.fraction)} there)" if known.fraction else ""
    held_back = case.flags.get("held_back")
    return f"{text}, {held_back}" if held_back else text


def both(first: Seen, second: Seen) -> Seen:
    """Sick are who was suspect twice; a wrong result is not forgotten, though a right one came after it."""
    if first.state is second.state is State.SUSPECT:
        return Seen(State.SUSPECT, f"{second.reason}, in both looks", second.next, second.rows or first.rows)
    wrong = next((one for one in (first, second) if one.is_wrong), None)
    if wrong:
        return Seen(State.UNSURE, f"{wrong.reason} in one look of two", wrong.next, second.rows)
    if State.FINE in (first.state, second.state):
        fine = first if first.state is State.FINE else second
        return Seen(State.FINE, rows=fine.rows)
    unsure = first if first.state is State.UNSURE else second
    return Seen(State.UNSURE, unsure.reason, unsure.next, second.rows or first.rows)

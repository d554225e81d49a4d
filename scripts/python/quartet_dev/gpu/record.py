"""What each part of quartet gpu left: a file for each in parts/, so that parts that ran at different
times, or were brought together from several folders, make one page."""

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, worst
from quartet.files import FileProblem, read_json
from quartet_dev.gpu.steps import Gpu, Place, Step


@dataclass(frozen=True)
class StepRecord:
    title: str
    state: str  # ok, FAILED, left out, not here
    seconds: float
    reason: str
    log: str = ""
    document: str = ""


@dataclass(frozen=True)
class PartRecord:
    name: str
    when: str
    seconds: float
    small: bool
    steps: list[StepRecord] = field(default_factory=list)
    gpu: dict[str, str] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """The worst of its steps; what is not here hides nothing that is."""
        states = [step.state for step in self.steps]
        order = ("FAILED", "left out", "ok", "not here")
        return next((state for state in order if state in states), "nothing to do")

    def restore(self, step: Step) -> bool:
        """If a step of this title passed, copies how it went into `step`. Returns whether one did."""
        mine = next((each for each in self.steps if each.title == step.title and each.state == "ok"), None)
        if mine:
            step.code, step.took, step.reason = VERIFIED, mine.seconds, mine.reason
            step.has_result = bool(mine.document)
        return mine is not None


def code_of(steps: list[Step]) -> int:
    """The worst exit code. A step left out counts as failed; one not available here does not."""
    codes = [FAILED if step.code is None else step.code for step in steps]
    return worst([code for code in codes if code != UNAVAILABLE] or codes or [VERIFIED])


def save(part: str, steps: list[Step], place: Place, gpu: Gpu, seconds: float) -> None:
    record = PartRecord(part, time.strftime("%Y-%m-%d %H:%M:%S %z"), seconds, place.small, [
        StepRecord(step.title, step.state, step.took, step.reason,
                   step.log if (place.logs / step.log).exists() else "",
                   step.result.name if step.result and step.has_result else "")
        for step in steps], asdict(gpu))
    place.parts.mkdir(parents=True, exist_ok=True)
    (place.parts / f"{part}.json").write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")


def load(folder: Path, part: str) -> Optional[PartRecord]:
    """None if the part has not run, or its file is none of save()'s."""
    try:
        content = read_json(folder / f"{part}.json")
        steps = [StepRecord(**step) for step in content.pop("steps")]
        return PartRecord(**content, steps=steps)
    except (FileProblem, OSError, TypeError, KeyError, AttributeError):
        return None

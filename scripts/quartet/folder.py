"""A folder of launches: what each left, so that a table can be made again and a run resumed.

    NAME.json       results, written by the program, whole or not at all
    NAME.outcome    how the launch ended
    NAME.log        what it wrote to standard error"""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED
from quartet.launch import Files, Outcome

OUTCOME = "outcome"


class LaunchFolder:
    def __init__(self, path: Path):
        self.path = path

    def file(self, name: str, kind: str) -> Path:
        return self.path / f"{name}.{kind}"

    def files(self, name: str, kind: str = "json") -> Files:
        """What a launch writes; `kind` is the ending of its results."""
        return Files(self.file(name, kind), self.file(name, "log"))

    def record(self, name: str, outcome: Outcome) -> None:
        write_json(self.file(name, OUTCOME), asdict(outcome))

    def recorded(self, name: str) -> Optional[Outcome]:
        """None where the launch has not ended; a damaged record is a failure."""
        try:
            text = self.file(name, OUTCOME).read_text(encoding="utf-8")
        except OSError:
            return None
        try:
            return Outcome(**json.loads(text))
        except (ValueError, TypeError):
            return Outcome(FAILED, None, "a damaged record of how it ended")


def write_json(file: Path, data: object) -> None:
    """Whole or not at all."""
    aside = file.with_name(file.name + ".tmp")
    aside.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(aside, file)

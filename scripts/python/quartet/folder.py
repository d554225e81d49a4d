"""A folder of launches: what each left, so that a table can be made again and a run resumed.

    NAME.json       results, written by the program, whole or not at all
    NAME.outcome    how the launch ended
    NAME.log        what it wrote to standard error"""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Optional

from quartet.files import FileProblem, read_json, write_json
from quartet.launch import Files, Outcome
from quartet.schema import problem as problem_of
from quartet.terminal import printable
from quartet.units import MIB

OUTCOME = "outcome"
MOST_BYTES = MIB  # of a record


class LaunchFolder:
    def __init__(self, path: Path):
        self.path = path

    def file(self, name: str, kind: str) -> Path:
        return self.path / f"{name}.{kind}"

    def files(self, name: str, kind: str = "json") -> Files:
        """Names the files that a launch writes; `kind` is the ending of its results."""
        return Files(self.file(name, kind), self.file(name, "log"))

    def record(self, name: str, outcome: Outcome) -> None:
        write_json(self.file(name, OUTCOME), asdict(outcome))

    def recorded(self, name: str) -> Optional[Outcome]:
        """None if the launch has not ended. Raises FileProblem if the record is damaged."""
        file = self.file(name, OUTCOME)
        try:
            record = read_json(file, MOST_BYTES)
        except FileNotFoundError:
            return None
        except FileProblem:
            if os.path.lexists(file):
                raise
            return None  # nor can there be any: the folder is none, or closed to us
        problem = problem_of("outcome", record)
        if problem:
            raise FileProblem(f"{file}: a damaged record of how a launch ended ({problem})")
        return Outcome(record["exit_code"], record["seconds"], printable(record["message"]))

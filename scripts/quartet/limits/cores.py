"""How far apart this machine's first two cores are. The host of a virtual machine may move them: at one time they
share a cache, at another they do not, and the rate of memory, of messages and of limits is another one."""

import subprocess
from pathlib import Path
from typing import Optional

from quartet.files import FileProblem, read_json

MESSAGES = 5000  # of one measurement: some milliseconds
TIMEOUT = 10  # seconds: two cores that something else keeps busy hand on a word for each of its turns


class Cores:
    def __init__(self, programs: Path, file: Path):
        self._program = programs / "limit_loops"
        self._file = file  # where it leaves what it found

    def distance(self) -> Optional[float]:
        """Seconds that a word takes from one to the other; None where that cannot be told."""
        command = [self._program, "messages", str(MESSAGES), "2", self._file]
        try:
            subprocess.run(command, check=True, timeout=TIMEOUT, capture_output=True)
            return 1 / read_json(self._file)["per_second"]
        except (OSError, subprocess.SubprocessError, FileProblem):
            return None
        finally:
            self._file.unlink(missing_ok=True)

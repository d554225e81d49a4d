"""How far apart this machine's first two cores are. The host of a virtual machine may move them: at one time they
share a cache, at another they do not, and the rate of memory, of messages and of limits is another one."""

import subprocess
from pathlib import Path
from typing import Optional

from quartet.files import FileProblem
from quartet_dev.peers.limit_loop import command, per_second

MESSAGES = 5000  # of one measurement: some milliseconds
TIMEOUT = 10  # seconds: two cores that something else keeps busy hand on a word for each of its turns


class Cores:
    def __init__(self, programs: Path, file: Path):
        self._command = command(programs, "messages", MESSAGES, 2, file)
        self._file = file

    def distance(self) -> Optional[float]:
        """Seconds that a word takes from one to the other; None if that cannot be told."""
        program, arguments = self._command
        try:
            subprocess.run([program, *arguments], check=True, timeout=TIMEOUT, capture_output=True)
            return 1 / per_second(self._file)
        except (OSError, subprocess.SubprocessError, FileProblem):
            return None
        finally:
            self._file.unlink(missing_ok=True)

"""Loops that share nothing with the suite's, to check its limits by: the program limit_loops, without MPI."""

from dataclasses import dataclass
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE
from quartet.files import read_json
from quartet.launch import Files, Job, LocalLauncher, Outcome
from quartet.results import Case, Name


def command(programs: Path, loop: str, size: int, threads: int, file: Path) -> tuple[Path, tuple[str, ...]]:
    """The program and its arguments; what it finds goes to `file`."""
    return programs / "limit_loops", (loop, str(size), str(threads), str(file))


def per_second(file: Path) -> float:
    """Returns what it found: bytes, operations or messages."""
    return float(read_json(file)["per_second"])


@dataclass(frozen=True)
class LimitLoop:
    """One loop, on so many threads at once."""

    programs: Path  # where limit_loops is
    loop: str
    size: int  # bytes of an array, which each thread has for itself; of sgemm a matrix's edge
    threads: int
    unit: str
    rate: float  # in that unit, of one byte or operation per second
    kind = "out"

    def complete(self, launcher: LocalLauncher, _ranks: int, files: Files, timeout: float) -> Outcome:
        files.document.unlink(missing_ok=True)
        program, arguments = command(self.programs, self.loop, self.size, self.threads, files.document)
        if not program.exists():
            return Outcome(UNAVAILABLE, 0.0, f"no limit_loops in {self.programs}: quartet limits builds it")
        return launcher.complete(Job(program, 1, self.threads, arguments), files, timeout)

    def read(self, file: Path) -> list[Case]:
        """Reads its row."""
        name = f"limit/library/host/none/loop:{self.loop}"
        return [Case(Name.parse(name), name, unit=self.unit, rate=self.rate * per_second(file))]

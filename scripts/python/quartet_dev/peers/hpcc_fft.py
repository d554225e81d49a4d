"""HPC Challenge's MPIFFT as a peer of fft: one distributed transform of complex128 by FFTE, natural
order in and out, counted as ours in 5 N log2 N operations.

HPCC has one program for all of its tests, one size for all of them, and runs them in one order. What
is not wanted is kept short from outside:

- The size follows from that of HPL's matrix, M x M doubles: MPIFFT has M^2 / 8 points, rounded down
  to a power of two (its src/io.c and FFT/mpifft.c; the ranks are a power of two). M^2 = 12 N is in
  the middle.
- From 2^22 points on the tests before it would take minutes. They ask for 64 N bytes and more,
  MPIFFT for 56 N: with a limit on memory between the two they fail at once and MPIFFT runs as it
  would. Where it does not, it is asked again without a limit. Smaller ones find memory warm that
  others have left, and keep that advantage.
- The tests after it, HPL for one, are not waited for: the job is ended.

It transforms forward once, which is its figure, and back once, which its check needs. The first
touches some of its memory in the time; the faster of the two counts here."""

import math
import re
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, WRONG_RESULT
from quartet.files import read_text
from quartet.launch import Files, Job, LocalLauncher, Outcome
from quartet.results import Case, Name

SECTION = re.compile(r"^Begin of MPIFFT section\.$(.*)^End of MPIFFT section\.$", re.MULTILINE | re.DOTALL)
FIRST_LIMITED = 2**22  # points
SECONDS_BETWEEN_LOOKS = 0.2

INPUT = """HPLinpack benchmark input file
made for one size of MPIFFT
HPL.out      output file name
8            device out
1            number of problem sizes
{order}      N
1            number of block sizes
80           NB
0            process mapping (by rows)
1            number of process grids
1            P
{ranks}      Q
{threshold}  threshold
1            number of panel factorisations
2            right
1            number of recursive stopping criteria
4            NBMIN
1            number of panels in recursion
2            NDIV
1            number of recursive panel factorisations
1            Crout
1            number of broadcasts
1            modified ring
1            number of look-ahead depths
1            depth
2            swap: mixed
64           swapping threshold
0            L1 transposed
0            U transposed
1            equilibration
8            alignment in doubles
-
0            further sizes of PTRANS
-
0            further block sizes of PTRANS
-
"""
THRESHOLD = 16.0  # of its check, as HPCC has it


@dataclass(frozen=True)
class Figures:
    """What MPIFFT says of itself."""

    ranks: int
    points: int
    forward: float  # GFLOP/s
    inverse: float
    error: float  # the largest after both
    version: str

    @property
    def verified(self) -> bool:
        return self.error / math.log(self.points) / 2.0**-53 < THRESHOLD  # HPCC's own check


def figures(text: str) -> Optional[Figures]:
    """Reads the figures of an hpccoutf.txt; None if it has none, or not all of them yet."""
    section = SECTION.search(text)
    if not section:
        return None

    def number(key: str) -> float:
        pattern = rf"^{re.escape(key)}: +(\d+\.?\d*(?:e[-+]\d+)?)$"
        found = re.search(pattern, section[1], re.MULTILINE)
        return float(found[1]) if found else math.nan

    points, seconds = number("Vector size"), number("Inverse FFT")
    values = (number("Number of nodes"), points, number("Gflop/s"), seconds, number("max(|x-x0|)"))
    if not all(map(math.isfinite, values)) or points < 2 or values[2] <= 0:
        return None
    # Times have three digits after the point: none if that is too few.
    inverse = 5e-9 * points * math.log2(points) / seconds if seconds >= 0.01 else 0.0
    version = re.search(r"^This is .* version (\S+) ", text, re.MULTILINE)
    return Figures(int(values[0]), int(points), values[2], inverse, values[4],
                   version[1] if version else "of unknown version")


@dataclass(frozen=True)
class MpiFft:
    """It, at one size: a power of two."""

    points: int
    kind = "out"  # the ending of what it leaves

    def complete(self, launcher: LocalLauncher, ranks: int, files: Files, timeout: float) -> Outcome:
        """Runs it, one thread a rank. Its output is the document."""
        program = shutil.which("hpcc")
        if not program:
            return Outcome(UNAVAILABLE, 0.0, "hpcc is not installed: scripts/setup.sh peers")
        limited = self._limited(program, ranks)
        begin = time.monotonic()
        text = ""
        for command in filter(None, (limited, (program,))):
            # One that waits for memory in vain must leave time for the other.
            most = timeout / 3 if command is limited else begin + timeout - time.monotonic()
            text = self._output(launcher, ranks, command, files.log, most)
            if figures(text) or time.monotonic() - begin > timeout:
                break
        files.document.write_text(text, encoding="utf-8")
        return self._judged(text, ranks, time.monotonic() - begin)

    def _limited(self, program: str, ranks: int) -> Optional[tuple[str, ...]]:
        prlimit = shutil.which("prlimit")
        if not prlimit or self.points < FIRST_LIMITED:
            return None
        others, own = 64 * self.points // ranks, 56 * self.points // ranks
        libraries = 20 * 2**20  # MPI's own, and what both have beside
        return (prlimit, f"--data={(2 * others + 3 * own) // 5 + libraries}", program)

    def _output(self, launcher: LocalLauncher, ranks: int, command: tuple[str, ...], log: Path,
                timeout: float) -> str:
        """Returns what it has written by the end of MPIFFT, or by its own."""
        end = time.monotonic() + timeout
        with tempfile.TemporaryDirectory(prefix="hpcc-") as name:
            folder = Path(name)
            (folder / "hpccinf.txt").write_text(
                INPUT.format(order=math.isqrt(12 * self.points), ranks=ranks, threshold=THRESHOLD),
                encoding="ascii")
            job = Job(Path(command[0]), ranks, 1, command[1:], folder)
            running = launcher.submit(job, log)
            try:
                while running.wait(SECONDS_BETWEEN_LOOKS) is None and time.monotonic() < end:
                    if figures(_read(folder)):
                        break
            finally:
                running.cancel()
            return _read(folder)

    def _judged(self, text: str, ranks: int, seconds: float) -> Outcome:
        found = figures(text)
        if not found:
            return Outcome(FAILED, seconds, "hpcc ended, or was ended, without figures of MPIFFT")
        if (found.points, found.ranks) != (self.points, ranks):
            return Outcome(FAILED, seconds, f"hpcc transformed {found.points} points on "
                           f"{found.ranks} ranks (not {self.points} on {ranks})")
        if not found.verified:
            return Outcome(WRONG_RESULT, seconds, f"hpcc's own check failed ({found.error:g})")
        return Outcome(VERIFIED, seconds)

    def read(self, file: Path) -> list[Case]:
        """Reads its row from what complete() has left."""
        return self.cases(read_text(file))

    def cases(self, text: str) -> list[Case]:
        """Makes its row, as if it were one of ours."""
        found = figures(text)
        if not found or found.points != self.points:
            return []
        name = f"fft/library/host/mpi/natural/hpcc/n:{found.points}/ranks:{found.ranks}/threads:1"
        note = (f"HPCC {found.version} (FFTE), natural order; the faster of its two transforms, "
                "forward and back, without a warm-up")
        return [Case(Name.parse(name), name, unit="GFLOP/s", rate=max(found.forward, found.inverse),
                     median={"verified": found.verified, "workers": found.ranks, "note": note})]


def _read(folder: Path) -> str:
    try:
        # Tests that found no memory leave bytes that are no text.
        return (folder / "hpccoutf.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

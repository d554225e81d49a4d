"""Intel's MKL as a peer, one thread a rank, where the preset host-mkl was built: the suite's own programs
over its BLAS and ScaLAPACK, and its cluster FFT by a program of ours (mkl_fft.cpp)."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE, VERIFIED, WRONG_RESULT
from quartet.files import read_json
from quartet.launch import Files, Job, LocalLauncher, Outcome, quiet_job
from quartet.paths import ROOT
from quartet.results import Case, Name, cases, load

PROGRAMS = ROOT / "build" / "host-mkl" / "bin"
MOST_ERROR = 16.0  # in units of 2^-53 log N, as HPC Challenge checks transforms


def _run(launcher: LocalLauncher, job: Job, files: Files, timeout: float) -> Outcome:
    if not job.program.exists():
        return Outcome(UNAVAILABLE, 0.0,
                       "there is no build with MKL: scripts/setup.sh mkl && cmake --workflow --preset host-mkl")
    return launcher.complete(job, files, timeout)


@dataclass(frozen=True)
class MklBuild:
    """One of the suite's programs."""

    program: str
    arguments: tuple[str, ...]
    kind = "json"

    def complete(self, launcher: LocalLauncher, ranks: int, files: Files, timeout: float) -> Outcome:
        arguments = (*self.arguments, "--device", "host", "--threads", "1")
        return _run(launcher, quiet_job(PROGRAMS / self.program, ranks, 1, arguments, files.document),
                    files, timeout)

    def read(self, file: Path) -> list[Case]:
        """Reads its rows, whose notes name MKL and its version."""
        document = load(file)
        _processor, blas, *_ = document["context"]["quartet"]["device_description"].split("; ")
        return [case.with_row(note=f"{blas}; {case.note}") for case in cases(document)]


@dataclass(frozen=True)
class MklFft:
    """One complex transform in natural order; the median of its runs, which are as many as ours."""

    points: int
    runs: int
    kind = "out"  # the ending of what it leaves

    def complete(self, launcher: LocalLauncher, ranks: int, files: Files, timeout: float) -> Outcome:
        files.document.unlink(missing_ok=True)
        job = Job(PROGRAMS / "mkl_fft", ranks, 1, (str(self.points), str(self.runs), str(files.document)))
        outcome = _run(launcher, job, files, timeout)
        if outcome.exit_code == VERIFIED and not all(case.verified for case in self.read(files.document)):
            return replace(outcome, exit_code=WRONG_RESULT, message="MKL's transform is wrong")
        return outcome

    def read(self, file: Path) -> list[Case]:
        """Reads its row, as if it were one of ours."""
        found = read_json(file)
        points, ranks, seconds = found["points"], found["ranks"], found["seconds"]
        name = f"fft/library/host/mpi/natural/mkl/n:{points}/ranks:{ranks}/threads:1"
        note = (f"MKL {found['version']} for \"{found['processor']}\", cluster FFT, {found['memory']}: the "
                "fastest of in place, in place with a workspace and out of place")
        verified = points == self.points and found["error"] / math.log(points) / 2.0**-53 < MOST_ERROR
        return [Case(Name.parse(name), name, unit="GFLOP/s", rate=5e-9 * points * math.log2(points) / seconds,
                     median={"verified": verified, "workers": ranks, "note": note})]

"""The steps of scripts/gpu.py, and what they need to know of the machine."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED, VERIFIED
from quartet.kernels import KERNELS, NAMES
from quartet.kernels.kernel import Benchmark, Kernel, SmallRun
from quartet.machine import Machine
from quartet.paths import ROOT
from quartet.wording import counted, slug

GROUPS = ("build", "tests", "check", "bench")


@dataclass(frozen=True)
class Gpu:
    """The first GPU, as the driver describes it."""

    name: str
    architecture: str  # "90"

    @property
    def folder(self) -> str:
        return slug(self.name)

    @staticmethod
    def parse(text: str) -> Optional["Gpu"]:
        """From a line "NVIDIA H200, 9.0"; None where it is none."""
        found = re.match(r"\s*(.+?)\s*,\s*(\d+)\.(\d+)\s*$", text.splitlines()[0] if text else "")
        return Gpu(found[1], found[2] + found[3]) if found else None

    @staticmethod
    def here() -> Optional["Gpu"]:
        try:
            done = subprocess.run(
                ["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"],
                capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return Gpu.parse(done.stdout) if done.returncode == 0 else None


@dataclass
class Step:
    """Something to run, and how it went."""

    group: str
    title: str
    command: list[str]
    seconds: float  # that it may take
    document: Optional[Path] = None  # that it writes
    result: Optional[Path] = None  # where the document goes if it is good; replaces the one before
    environment: dict[str, str] = field(default_factory=dict)
    code: Optional[int] = None  # None: left out
    took: float = 0
    reason: str = ""  # why it failed or was left out

    @property
    def passed(self) -> bool:
        return self.code == VERIFIED


@dataclass(frozen=True)
class Place:
    """Where things are."""

    build: Path
    launcher: Path
    results: Path
    logs: Path

    @property
    def scratch(self) -> Path:
        """Folder of small data files; later runs use them again."""
        return self.build / "gpu-scratch"

    def program(self, name: str) -> Path:
        return self.build / "bin" / name

    def launch(self, ranks: int, *command: object) -> list[str]:
        return [str(self.launcher), str(ranks), *map(str, command)]


def build_steps(place: Place, gpu: Gpu, machine: Machine) -> list[Step]:
    """Programs and GPU tests, for the architecture of this GPU alone."""
    configure = ["cmake", "--preset", "gpu", "-D", f"CMAKE_CUDA_ARCHITECTURES={gpu.architecture}",
                 "-D", "QUARTET_MICROBENCH=OFF", "-S", str(ROOT), "-B", str(place.build)]
    compile_all = ["cmake", "--build", str(place.build), "-j", str(machine.cores), "--target",
                   *NAMES, "gpu_tests"]
    return [Step("build", "configure", configure, 60), Step("build", "compile", compile_all, 240)]


def test_steps(place: Place) -> list[Step]:
    command = ["ctest", "--test-dir", str(place.build), "-L", "^gpu$", "--output-on-failure",
               "--no-tests=error", "--timeout", "60"]
    return [Step("tests", "tests that need a GPU", command, 120)]


def choices(text: str) -> tuple[list[str], list[str]]:
    """Formulations and transports that --list calls available on cuda. Raises ValueError if the text
    names none of them."""
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        entry = re.match(r"  (\S+) +available$", line)
        if entry and sections:
            sections[list(sections)[-1]].append(entry[1])
        elif line and not line.startswith(" "):
            sections[line.split(" (")[0]] = []
    if "formulations" not in sections or "transports on cuda" not in sections:
        raise ValueError("--list says nothing of formulations and of transports on cuda")
    return sections["formulations"], sections["transports on cuda"]


def cores_for(ranks: int, machine: Machine) -> dict[str, str]:
    """All cores of the machine: ranks use them to make data and check results."""
    return {"QUARTET_THREADS": str(max(1, machine.cores // ranks))}


def listing(place: Place, name: str, ranks: int) -> subprocess.CompletedProcess:
    return subprocess.run(place.launch(ranks, place.program(name), "--device", "cuda", "--list"),
                          capture_output=True, text=True, timeout=60, check=False)


def check_steps(place: Place, machine: Machine, sanitizer: Optional[str]) -> list[Step]:
    """A small run of all that each program can do on this GPU, alone and in a pair."""
    steps = []
    for kernel in KERNELS.values():
        for ranks in range(kernel.least_ranks, 3):
            steps += _kernel_checks(place, kernel, ranks, machine, sanitizer)
    return steps


def _kernel_checks(place: Place, kernel: Kernel, ranks: int, machine: Machine,
                   sanitizer: Optional[str]) -> list[Step]:
    title = f"{kernel.name}, {counted(ranks, 'rank')}"
    listed = listing(place, kernel.name, ranks)
    if listed.returncode != VERIFIED:
        return [Step("check", title, [], 0, code=listed.returncode,
                     reason=last_line(listed.stderr) or "--list failed")]
    formulations, transports = choices(listed.stdout)
    steps = []
    for small in kernel.small_runs:
        for formulation in small.formulations or formulations:
            if formulation == "dataflow" and ranks == 1:
                continue  # it needs a worker and a reducer
            command = small_run(place, kernel.name, ranks, small, sanitizer) + [
                "--formulation", formulation, "--transport", ",".join(transports)]
            steps.append(Step("check", f"{title}, {formulation}, {small.name}", command, 60,
                              environment=cores_for(ranks, machine)))
    return steps


def small_run(place: Place, name: str, ranks: int, small: SmallRun,
              sanitizer: Optional[str]) -> list[str]:
    watched = ([sanitizer, "--error-exitcode", str(FAILED), "--target-processes", "all"]
               if sanitizer else [])
    data = (["--data", str(place.scratch / f"{name}-{ranks}"), "--generate"] if small.files else [])
    return place.launch(ranks, *watched, place.program(name), "--device", "cuda",
                        *small.arguments, *data, "--runs", "1", "--warmup", "0", "--limits", "off",
                        "--quiet")


def benchmarks() -> list[tuple[str, Benchmark]]:
    """Programs and their benchmarks, the most important first."""
    found = [(name, benchmark) for name, kernel in KERNELS.items()
             for benchmark in kernel.benchmarks]
    return sorted(found, key=lambda item: item[1].place)


def bench_steps(place: Place, machine: Machine) -> list[Step]:
    steps = []
    for program, benchmark in benchmarks():
        name = f"{slug(benchmark.title)}.json"
        document = place.logs / name
        command = place.launch(benchmark.ranks, place.program(program), "--device",
                               "cuda", *benchmark.arguments, "--progress", "on", "--json", document)
        steps.append(Step("bench", benchmark.title, command, benchmark.seconds, document,
                          place.results / name, cores_for(benchmark.ranks, machine)))
    return steps


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""

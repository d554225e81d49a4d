"""What scripts/gpu.py does on a machine with a GPU: its steps, and what they need to know."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.launch import FAILED, VERIFIED, Machine
from quartet.paths import ROOT

PROGRAMS = ("stream", "matmul", "cg", "fft")
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
        """For small files, which serve again."""
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
                   *PROGRAMS, "gpu_tests"]
    return [Step("build", "configure", configure, 60), Step("build", "compile", compile_all, 240)]


def test_steps(place: Place) -> list[Step]:
    command = ["ctest", "--test-dir", str(place.build), "-L", "^gpu$", "--output-on-failure",
               "--no-tests=error", "--timeout", "60"]
    return [Step("tests", "tests that need a GPU", command, 120)]


def choices(text: str) -> tuple[list[str], list[str]]:
    """Formulations and transports that --list calls available on cuda. Raises ValueError for a text
    that does not say."""
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


@dataclass(frozen=True)
class Small:
    """One way through a program that takes a second: small, and with ragged edges."""

    name: str
    arguments: tuple[str, ...]
    formulations: tuple[str, ...] = ()  # those that go this way; empty: all
    files: bool = False  # whether its data are in files


# Beside what cuBLAS takes there is room for a third of the tiles: the matrices stream through.
_MATMUL = ("--size", "500", "--tile", "64")
_BOUNDED = (*_MATMUL, "--device-memory", "33MiB")
SMALL = {
    "stream": (Small("pushes", ("--sizes", "2", "--pushes", "3")),),
    "matmul": (Small("memory", _MATMUL),
               Small("bounded", _BOUNDED, ("native",)),
               Small("files", _BOUNDED, ("native",), files=True)),
    "cg": (Small("memory", ("--size", "1001", "--iterations", "20", "--storage", "full,symmetric",
                            "--algorithm", "classic,single-reduction")),
           Small("files", ("--size", "1001", "--iterations", "20"), ("native",), files=True)),
    "fft": (Small("memory", ("--size", "3600")),
            Small("files", ("--size", "3600"), ("native",), files=True)),
}


def cores_for(ranks: int, machine: Machine) -> dict[str, str]:
    """All of the machine's: they make the data and check the results."""
    return {"QUARTET_THREADS": str(max(1, machine.cores // ranks))}


def listing(place: Place, name: str, ranks: int) -> subprocess.CompletedProcess:
    return subprocess.run(place.launch(ranks, place.program(name), "--device", "cuda", "--list"),
                          capture_output=True, text=True, timeout=60, check=False)


def check_steps(place: Place, machine: Machine, sanitizer: Optional[str]) -> list[Step]:
    """A small run of all that each program can do on this GPU, alone and in a pair."""
    steps = []
    for name in PROGRAMS:
        for ranks in (1, 2):
            if name == "stream" and ranks == 1:
                continue
            title = f"{name}, {ranks} rank{'s' if ranks > 1 else ''}"
            listed = listing(place, name, ranks)
            if listed.returncode != VERIFIED:
                steps.append(Step("check", title, [], 0, code=listed.returncode,
                                  reason=last_line(listed.stderr) or "--list failed"))
                continue
            formulations, transports = choices(listed.stdout)
            for small in SMALL[name]:
                for formulation in small.formulations or formulations:
                    if formulation == "dataflow" and ranks == 1:
                        continue  # a worker and a reducer
                    command = small_run(place, name, ranks, small, sanitizer) + [
                        "--formulation", formulation, "--transport", ",".join(transports)]
                    steps.append(Step("check", f"{title}, {formulation}, {small.name}", command,
                                      60, environment=cores_for(ranks, machine)))
    return steps


def small_run(place: Place, name: str, ranks: int, small: Small,
              sanitizer: Optional[str]) -> list[str]:
    watched = ([sanitizer, "--error-exitcode", str(FAILED), "--target-processes", "all"]
               if sanitizer else [])
    data = (["--data", str(place.scratch / f"{name}-{ranks}"), "--generate"] if small.files else [])
    return place.launch(ranks, *watched, place.program(name), "--device", "cuda",
                        *small.arguments, *data, "--runs", "1", "--warmup", "0", "--limits", "off",
                        "--quiet")


@dataclass(frozen=True)
class Benchmark:
    """One launch of the benchmark set, and how long it may take."""

    title: str
    program: str
    ranks: int
    arguments: tuple[str, ...]
    seconds: float


# What is promised on one GPU. Most wanted first: what comes last is left out where time is short.
BENCHMARKS = (
    Benchmark("matmul 65536", "matmul", 1,
              ("--size", "65536", "--device-memory", "8GiB", "--runs", "3"), 200),
    Benchmark("cg 16384", "cg", 1,
              ("--size", "16384", "--storage", "full,symmetric", "--iterations", "200"), 60),
    Benchmark("cg 65536", "cg", 1,
              ("--size", "65536", "--storage", "full,symmetric", "--iterations", "50", "--runs",
               "6"), 150),
    Benchmark("stream, a pair", "stream", 2,
              ("--transport", "ipc,staged", "--sizes", "32,128", "--pushes", "50"), 60),
    *(Benchmark(f"fft 2^{exponent}", "fft", 1,
                ("--size", f"2^{exponent}", "--formulation", "native,library", "--runs", "6"), 90)
      for exponent in range(27, 33)),
)


def bench_steps(place: Place, machine: Machine) -> list[Step]:
    steps = []
    for benchmark in BENCHMARKS:
        name = f"{slug(benchmark.title)}.json"
        document = place.logs / name
        command = place.launch(benchmark.ranks, place.program(benchmark.program), "--device",
                               "cuda", *benchmark.arguments, "--progress", "on", "--json", document)
        steps.append(Step("bench", benchmark.title, command, benchmark.seconds, document,
                          place.results / name, cores_for(benchmark.ranks, machine)))
    return steps


def slug(text: str) -> str:
    """As part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""

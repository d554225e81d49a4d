"""The parts of quartet gpu: in which order they run, of what steps they are made, and what those cost."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.exit_codes import FAILED
from quartet.launch import Running
from quartet.machine import Machine
from quartet.paths import ROOT
from quartet.text import counted, slug
from quartet_dev.gpu_plan import BENCHMARKS, CHECKS, LARGER

KERNELS, BUILD, CHECK, TESTS = "kernels", "build", "check", "tests"
TOOLS = ("memcheck", "racecheck", "synccheck")  # of compute-sanitizer
# The most important numbers come first, and what takes minutes to find nothing last.
DEFAULT = (KERNELS, BUILD, *BENCHMARKS, CHECK, LARGER, TESTS)
PARTS = (*DEFAULT, *TOOLS)
SOURCE = ROOT / "tests" / "micro" / "kernel_benchmark.cu"
# A queue for all streams, as some set-ups have it: tests that hold a stream would hold the others.
HANGS_TESTS = ("CUDA_DEVICE_MAX_CONNECTIONS",)


@dataclass(frozen=True)
class Gpu:
    """The first GPU, as the driver describes it."""

    name: str
    architecture: str  # "90"

    @staticmethod
    def parse(text: str) -> Optional["Gpu"]:
        """Parses a line "NVIDIA H200, 9.0"; None if it is none."""
        found = re.match(r"\s*(.+?)\s*,\s*(\d+)\.(\d+)\s*$", text.splitlines()[0] if text else "")
        return Gpu(found[1], found[2] + found[3]) if found else None

    @staticmethod
    def here() -> Optional["Gpu"]:
        try:
            done = subprocess.run(["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"],
                                  capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return Gpu.parse(done.stdout) if done.returncode == 0 else None


@dataclass(frozen=True)
class Place:
    """Where things are, and whether launches are to be small."""

    build: Path
    launcher: Path
    results: Path
    machine: Machine
    small: bool = False  # to try the command: rates mean nothing

    @property
    def logs(self) -> Path:
        return self.results / "logs"

    @property
    def documents(self) -> Path:
        return self.results / "documents"

    def shared_by_cores(self, seconds: float) -> float:
        """What takes 16 cores so many seconds takes fewer longer."""
        return seconds * max(1.0, 16 / self.machine.cores)


@dataclass(frozen=True)
class Step:
    """Something to run."""

    part: str
    title: str
    command: tuple[str, ...]
    expected: float = 0  # seconds
    document: str = ""  # that it writes into the logs
    is_kept: bool = False  # a good document then replaces the one in the documents
    environment: dict[str, str] = field(default_factory=dict)
    missing: str = ""  # why it cannot run here

    @property
    def log(self) -> str:
        return f"{slug(f'{self.part} {self.title}')}.log"

    def code_within(self, seconds: float, log: Path) -> Optional[int]:
        """Runs it. Returns the exit code; None if it had to be ended. Its output goes to the log."""
        # The settings of this process count for more than the step's.
        environment = {**self.environment, **os.environ}
        for name in HANGS_TESTS if self.part in (TESTS, *TOOLS) else ():
            environment.pop(name, None)
        with open(log, "wb") as output:
            running = Running(subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output,
                                               stderr=subprocess.STDOUT, env=environment, start_new_session=True))
        code = None
        try:
            code = running.wait(seconds)
        finally:  # an interrupt leaves nothing behind
            if code is None:
                running.cancel()
        return code


def plan(part: str, place: Place, gpu: Gpu) -> list[Step]:
    """The steps of a part."""
    if part == KERNELS:
        return kernel_steps(place, gpu)
    if part == BUILD:
        return build_steps(place, gpu)
    if part == CHECK:
        return [check_step(place, number) for number in range(len(CHECKS))]
    if part == TESTS:
        tests = ("ctest", "--test-dir", str(place.build), "-L", "^gpu$", "--output-on-failure", "--no-tests=error",
                 "--timeout", "200")
        return [_compile(place, TESTS, ("gpu_tests",), 20), Step(TESTS, "tests that need a GPU", tests, 120)]
    if part in TOOLS:
        return [sanitizer_step(place, part)]
    steps = []
    for name, benchmarks in BENCHMARKS.items():
        for each in benchmarks:
            if (each.part or name) == part:
                expected = 2 if place.small else each.expected(name, place.machine.cores)
                steps.append(_launch(place, part, each.title, name, each.ranks,
                                     each.small if place.small else each.arguments, expected, is_kept=True))
    return steps


def _launch(place: Place, part: str, title: str, name: str, ranks: int, arguments: tuple[str, ...], expected: float,
            is_kept: bool = False) -> Step:
    """A launch of a program; all cores are dealt to the ranks, which make data and check results."""
    document = f"{slug(title)}.json"
    command = (str(place.launcher), str(ranks), str(place.build / "bin" / name), "--device", "cuda", *arguments,
               "--progress", "on", "--force", "--json", str(place.logs / document))
    return Step(part, title, command, expected, document, is_kept,
                {"QUARTET_THREADS": str(max(1, place.machine.cores // ranks))})


def check_step(place: Place, number: int) -> Step:
    name, ranks, words = CHECKS[number]
    data = f"--data {place.build}/check-data/{name}-{ranks} --generate"
    arguments = (*words.replace("DATA", data).split(), "--runs", "1", "--warmup", "0", "--limits", "off")
    title = f"{name}, {counted(ranks, 'rank')}, {words.replace('--', '').replace('DATA', 'from files')}"
    return _launch(place, CHECK, title, name, ranks, arguments, 5)


def kernel_steps(place: Place, gpu: Gpu) -> list[Step]:
    """Compiles the benchmark of the kernels, which needs nothing but nvcc, where it is older than what it is made of,
    and runs it."""
    program = place.build / "kernel_benchmark"
    folder = ROOT / "common" / "device" / "cuda"
    # The kernels of random numbers need a library's headers.
    sources = [SOURCE, *sorted(folder.glob("*/*_passes.cpp")),
               *(source for source in sorted(folder.glob("*/*.cu")) if source.parent.name != "data")]
    steps = [Step(KERNELS, "rates of kernels", (str(program),), 6)]
    newest = max(each.stat().st_mtime for each in [*sources, *folder.rglob("*.*h*")])
    if program.exists() and program.stat().st_mtime > newest:
        return steps
    root = os.environ.get("CUDAToolkit_ROOT")
    nvcc = shutil.which("nvcc") or (shutil.which("nvcc", path=f"{root}/bin") if root else None)
    if not nvcc:
        return [Step(KERNELS, "rates of kernels", (), missing="nvcc is neither on PATH nor in CUDAToolkit_ROOT")]
    place.build.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a compilation that fails must not leave rates of old kernels
    compiled = (nvcc, "--threads", "0", "-std=c++20", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
                f"-arch=sm_{gpu.architecture}", "-I", str(ROOT / "common"), *map(str, sources), "-lcublas", "-lcufft",
                f"-Xlinker=-rpath={Path(nvcc).resolve().parent.parent / 'lib64'}", "-o", str(program))
    return [Step(KERNELS, f"compile for sm_{gpu.architecture}", compiled, place.shared_by_cores(20)), *steps]


def build_steps(place: Place, gpu: Gpu) -> list[Step]:
    """The programs, for the architecture of this GPU alone. What CMake finds is the environment's affair
    (CMAKE_PREFIX_PATH, MPI_HOME, CUDAToolkit_ROOT); nothing is downloaded."""
    generator = () if shutil.which("ninja") else ("-G", "Unix Makefiles")
    configure = ("cmake", "--preset", "gpu", *generator, "-D", f"CMAKE_CUDA_ARCHITECTURES={gpu.architecture}",
                 "-D", "QUARTET_MICROBENCH=OFF", "-S", str(ROOT), "-B", str(place.build))
    return [Step(BUILD, "configure", configure, 10), _compile(place, BUILD, tuple(BENCHMARKS), 40)]


def _compile(place: Place, part: str, targets: tuple[str, ...], seconds: float) -> Step:
    command = ("cmake", "--build", str(place.build), "-j", str(place.machine.cores), "--target", *targets)
    return Step(part, "compile", command, place.shared_by_cores(seconds))


def sanitizer_step(place: Place, tool: str) -> Step:
    """The tests of kernels under one tool, memcheck over all of the device's. Calls that CUDA refuses are no findings:
    tests and libraries make some to learn what there is."""
    sanitizer = shutil.which("compute-sanitizer")
    if not sanitizer:
        return Step(tool, "tests of the device", (), missing="compute-sanitizer is not on PATH")
    errors = ("--report-api-errors", "no") if tool == "memcheck" else ()
    tests = () if tool == "memcheck" else ("--gtest_filter=*Kernel*",)
    command = (sanitizer, "--tool", tool, *errors, "--error-exitcode", str(FAILED),
               str(place.build / "tests" / "device_cuda_test"), *tests)
    return Step(tool, "tests of the device", command, 280 if tool == "memcheck" else 80)

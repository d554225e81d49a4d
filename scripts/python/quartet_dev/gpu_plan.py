"""The parts of `quartet gpu` and their steps, with their expected times and the goals of their rows."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from quartet.launch import Outcome, Running
from quartet.machine import Machine
from quartet.paths import ROOT
from quartet.results import Row
from quartet.text import counted, slug
from quartet.units import MIB
from quartet_dev.goals import Goal, Judged, Result, Selector, judge

LARGER = "larger"  # the part with the launches that take long; others are in the part of their kernel
# The model of a launch's time: its start, the limits of each case, data that are made and checked at a rate, and the
# runs. In seconds and bytes per second, as measured with 16 cores beside an H200.
LAUNCH, LIMITS = 1.0, 1.5
SET_UP = {"cg": 18e9, "fft": 1.2e9, "matmul": 1.5e9, "stream": 1e9}
GPU_BYTES, GPU_FLOPS = 3e12, 5e13  # per second, of the GPU's memory and its single precision
STAGED = 45e9  # bytes per second that PCIe 5 should reach in each direction; it can reach 52e9
BOTH_STORAGES = ("--storage", "full,symmetric")


@dataclass(frozen=True)
class Benchmark:
    """One launch. Its title is the variant of its goals' rows."""

    title: str
    arguments: tuple[str, ...]
    small: tuple[str, ...]  # arguments that try the launch, where no rate is wanted
    goals: tuple[Goal, ...]
    cases: int
    set_up_bytes: float  # of all cases
    run_seconds: float  # of all cases
    ranks: int = 1
    part: str = ""  # if not its kernel's

    def expected(self, kernel: str, cores: int) -> float:
        """Seconds, by the model above."""
        return (LAUNCH + self.cases * LIMITS + self.set_up_bytes / SET_UP[kernel] * max(1.0, 16 / cores) +
                self.run_seconds)


def judge_runs(goal: Goal, rows: list[Row]) -> Judged:
    """The verdict on one launch, each of whose runs counts as a round, since its rows were measured in turn."""
    count = min((len(row.rates) for row in rows if not row.error), default=1)
    return judge(goal, [{goal.row.variant: Result(Outcome(0, None), [_of_run(row, run) for row in rows])}
                        for run in range(max(count, 1))])


def _of_run(row: Row, run: int) -> Row:
    if run >= len(row.rates):
        return row
    rate = row.rates[run]
    return replace(row, rate=rate)


def _cg(size: int, iterations: int, full: float, symmetric: float, over_full: float, part: str = "") -> Benchmark:
    """`full`, `symmetric` and `over_full` are goals; 0 is none."""
    title, both = f"cg {size}", 8 * size**2 * 3 / 2
    of_full, of_symmetric = (Selector(title, (storage,)) for storage in ("full", "symmetric"))
    goals = (Goal("full", of_full, full), Goal("symmetric", of_symmetric, symmetric),
             Goal("symmetric", of_symmetric, over_full, of_full, "full"))
    return Benchmark(title, ("--size", str(size), *BOTH_STORAGES, "--iterations", str(iterations), "--runs", "6"),
                     ("--size", str(max(size // 64, 128)), *BOTH_STORAGES, "--iterations", "3", "--runs", "2"),
                     tuple(goal for goal in goals if goal.least), 2, both, 7 * iterations * both / GPU_BYTES,
                     part=part)


def _fft(exponent: int, least: float, tiles: int = 0) -> Benchmark:
    """A transform that is compared with cuFFT's in the same launch, or with its limit if both do not fit the memory."""
    title, is_alone = f"fft 2^{exponent}" + (f" in {tiles} tiles" if tiles else ""), exponent > 30
    native = Selector(title, ("native",))
    goal = Goal("native", native, least) if is_alone else \
        Goal("native", native, least, Selector(title, ("library",)), "cuFFT")
    formulations = ("--formulation", "native" if is_alone else "native,library", "--transport", "staged")
    count = 1 if is_alone else 2
    small = ("--size", "2^10", "--tiles", "32") if tiles else ("--size", f"2^{exponent - 16}")
    return Benchmark(title, ("--size", f"2^{exponent}", *(("--tiles", str(tiles)) if tiles else ()), *formulations,
                             "--runs", "3" if is_alone else "6"),
                     (*small, *formulations, "--runs", "2"), (goal,), count, count * 16 * 2**exponent,
                     2 if tiles else 1, part=LARGER if is_alone else "")


def _matmul(title: str, size: int, arguments: tuple[str, ...], least: float, runs: int, part: str = "") -> Benchmark:
    title = f"matmul {title}"
    return Benchmark(title, ("--size", str(size), *arguments, "--runs", str(runs)),
                     ("--size", "256", "--tile", "64", "--runs", "2"), (Goal("native", Selector(title), least),), 1,
                     3 * 4 * size**2, (runs + 1) * 2 * size**3 / GPU_FLOPS, part=part)


_PAIR = "stream, a pair"
_STREAM = Benchmark(
    _PAIR, ("--transport", "ipc,staged", "--sizes", "32,128", "--pushes", "50", "--runs", "10"),
    ("--transport", "ipc,staged", "--sizes", "1,2", "--pushes", "3", "--runs", "2"),
    (Goal("ipc, 128 MiB", Selector(_PAIR, ("ipc",), largest=True), 0.9),
     Goal("staged, 128 MiB", Selector(_PAIR, ("staged",), largest=True), 1, STAGED / MIB, "45 GB/s")),
    4, 4 * 2 * 128 * MIB, 5, ranks=2)

BENCHMARKS: dict[str, tuple[Benchmark, ...]] = {
    # The goals of 65536 are the fractions that an H200 reached.
    "cg": (_cg(16384, 200, 0.97, 0.93, 1.9), _cg(4096, 1000, 0.9, 0, 1.6), _cg(65536, 50, 0.995, 0.925, 0, LARGER)),
    "fft": (_fft(24, 1.15), _fft(27, 1.05), _fft(30, 1.25), _fft(24, 0.95, 4096), _fft(26, 1.05), _fft(28, 1.05),
            _fft(31, 0.4, 32768), _fft(32, 0.4, 65536)),
    "matmul": (_matmul("16384, TF32, from host memory", 16384, ("--math", "tf32"), 0.9, 6),
               _matmul("65536 from host memory", 65536, ("--device-memory", "8GiB"), 0.95, 2, LARGER)),
    "stream": (_STREAM,)}
# Problems of about a second, whose sizes tiles do not divide. In the bounded one a third of the tiles fits the memory
# that cuBLAS leaves, so that matrices are streamed.
_ANY = "--formulation native,dataflow,library --transport ipc,staged,mpi,nccl"
_NATIVE = "--formulation native --transport ipc,staged,mpi,nccl"
_CG, _PRODUCT = "--size 1001 --iterations 5", "--size 500 --tile 64"
_BOUNDED = f"{_PRODUCT} --device-memory 33MiB"
# Kernel, ranks and arguments; DATA stands for a folder. On two ranks all formulations and transports are tried: what
# this build or GPU does not have gives an error row, and is no failure.
CHECKS = (("cg", 1, f"{_CG} --storage full,symmetric {_NATIVE}"), ("cg", 2, f"{_CG} --storage full,symmetric {_ANY}"),
          ("cg", 1, f"{_CG} {_NATIVE} DATA"), ("cg", 2, f"{_CG} {_NATIVE} DATA"),
          ("fft", 1, f"--size 3600 {_NATIVE}"), ("fft", 1, "--size 3600 --formulation library --transport staged"),
          ("fft", 2, f"--size 3600 {_ANY}"), ("fft", 1, f"--size 3600 {_NATIVE} DATA"),
          ("fft", 2, f"--size 3600 {_NATIVE} DATA"),
          ("matmul", 1, f"{_PRODUCT} {_NATIVE}"), ("matmul", 2, f"{_PRODUCT} {_ANY}"),
          ("matmul", 1, f"{_BOUNDED} {_NATIVE}"), ("matmul", 2, f"{_BOUNDED} {_NATIVE}"),
          ("matmul", 1, f"{_BOUNDED} {_NATIVE} DATA"), ("matmul", 2, f"{_BOUNDED} {_NATIVE} DATA"),
          ("stream", 2, f"--sizes 2 --pushes 3 {_ANY}"))


KERNELS, BUILD, CHECK, TESTS = "kernels", "build", "check", "tests"
# The most important numbers come first; tests, which take minutes, come last.
PARTS = (KERNELS, BUILD, *BENCHMARKS, CHECK, LARGER, TESTS)
SOURCE = ROOT / "tests" / "micro" / "kernel_benchmark.cu"
# Some set-ups give all streams one queue: tests that block a stream would then block the others.
HANGS_TESTS = "CUDA_DEVICE_MAX_CONNECTIONS"


@dataclass(frozen=True)
class Gpu:
    """The first GPU, as the driver describes it."""

    name: str
    architecture: str  # "90"

    @staticmethod
    def parse(text: str) -> Optional["Gpu"]:
        """Parses a line like "NVIDIA H200, 9.0"; None if it is not one."""
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
    """Folders, the launcher and the machine, and whether launches are to be small."""

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
        """The seconds for work that takes 16 cores so many."""
        return seconds * max(1.0, 16 / self.machine.cores)


@dataclass(frozen=True)
class Step:
    """A command of a part."""

    part: str
    title: str
    command: tuple[str, ...]
    expected: float = 0  # seconds
    document: str = ""  # that it writes into the logs
    is_kept: bool = False  # a document with rows replaces the one in `documents`
    environment: dict[str, str] = field(default_factory=dict)
    missing: str = ""  # why it cannot run here

    @property
    def log(self) -> str:
        return f"{slug(f'{self.part} {self.title}')}.log"

    def code_within(self, seconds: float, log: Path) -> Optional[int]:
        """Runs it, with its output in the log. Returns the exit code; None if it had to be ended."""
        # Settings of this process have precedence over those of the step.
        environment = {**self.environment, **os.environ}
        if self.part == TESTS:
            environment.pop(HANGS_TESTS, None)
        with open(log, "wb") as output:
            running = Running(subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output,
                                               stderr=subprocess.STDOUT, env=environment, start_new_session=True))
        code = None
        try:
            code = running.wait(seconds)
        finally:  # also after an interrupt
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
    """A launch of a program; the ranks share all cores, for making data and checking results."""
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
    """Runs the benchmark of the kernels, after compiling it if it is older than its sources; only nvcc is needed."""
    program = place.build / "kernel_benchmark"
    folders = ROOT / "common" / "device" / "cuda", ROOT / "cg" / "cuda", ROOT / "fft" / "cuda"
    # random_points.cu is left out: it needs the headers of a library.
    sources = [SOURCE, ROOT / "fft" / "cuda" / "passes.cpp",
               *(source for folder in folders for source in sorted(folder.rglob("*.cu"))
                 if source.name != "random_points.cu")]
    steps = [Step(KERNELS, "rates of kernels", (str(program),), 6)]
    headers = [header for folder in folders for header in folder.rglob("*.*h*")]
    newest = max(each.stat().st_mtime for each in [*sources, *headers])
    if program.exists() and program.stat().st_mtime > newest:
        return steps
    root = os.environ.get("CUDAToolkit_ROOT")
    nvcc = shutil.which("nvcc") or (shutil.which("nvcc", path=f"{root}/bin") if root else None)
    if not nvcc:
        return [Step(KERNELS, "rates of kernels", (), missing="nvcc is neither on PATH nor in CUDAToolkit_ROOT")]
    place.build.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # after a failed compilation the old kernels must not be measured
    compiled = (nvcc, "--threads", "0", "-std=c++20", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
                f"-arch=sm_{gpu.architecture}", "-I", str(ROOT), "-I", str(ROOT / "common"),
                *map(str, sources), "-lcublas", "-lcufft",
                f"-Xlinker=-rpath={Path(nvcc).resolve().parent.parent / 'lib64'}", "-o", str(program))
    return [Step(KERNELS, f"compile for sm_{gpu.architecture}", compiled, place.shared_by_cores(20)), *steps]


def build_steps(place: Place, gpu: Gpu) -> list[Step]:
    """Builds the programs for the architecture of this GPU. The environment (CMAKE_PREFIX_PATH, MPI_HOME,
    CUDAToolkit_ROOT) decides what CMake finds; nothing is downloaded."""
    generator = () if shutil.which("ninja") else ("-G", "Unix Makefiles")
    configure = ("cmake", "--preset", "gpu", *generator, "-D", f"CMAKE_CUDA_ARCHITECTURES={gpu.architecture}",
                 "-D", "QUARTET_MICROBENCH=OFF", "-S", str(ROOT), "-B", str(place.build))
    return [Step(BUILD, "configure", configure, 10), _compile(place, BUILD, tuple(BENCHMARKS), 40)]


def _compile(place: Place, part: str, targets: tuple[str, ...], seconds: float) -> Step:
    command = ("cmake", "--build", str(place.build), "-j", str(place.machine.cores), "--target", *targets)
    return Step(part, "compile", command, place.shared_by_cores(seconds))

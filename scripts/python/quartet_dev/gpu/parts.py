"""The parts of quartet gpu: in which order they run, of what steps they are made, and what they cost."""

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Iterable, Iterator, Optional

from quartet.exit_codes import VERIFIED
from quartet.paths import ROOT
from quartet.text import WIDTH, counted, slug
from quartet_dev.gpu.counters import counter_steps
from quartet_dev.gpu.kernels import LARGER, ON_GPU, Benchmark, SmallRun
from quartet_dev.gpu.steps import HANGS_TESTS, Gpu, Place, Step, failed, last_line, not_here, watching

KERNELS, BUILD, CHECK, TESTS, COUNTERS, CHECK_MEMORY = "kernels", "build", "check", "tests", "counters", "check-memory"
TOOLS = ("memcheck", "racecheck", "synccheck")  # of compute-sanitizer
# The most important numbers come first, and what takes minutes to find nothing last.
DEFAULT = (KERNELS, BUILD, *ON_GPU, CHECK, LARGER, TESTS, COUNTERS)
PARTS = (*DEFAULT, *TOOLS, CHECK_MEMORY)
# Other words for some of them; `page` has no steps: the page is made anew from what is there.
GROUPS = {"sanitize": (*TOOLS, CHECK_MEMORY), "bench": (*ON_GPU, LARGER), "page": ()}
RATES = "rates of kernels"
SOURCE = ROOT / "tests" / "micro" / "kernel_benchmark.cu"
NO_SANITIZER = "compute-sanitizer is not on PATH (it comes with the CUDA toolkit)"
KERNEL_TESTS = "*Kernel*"  # launches beside plain loops; the other tests go through the device
SECONDS = {CHECK: 2.0, CHECK_MEMORY: 5.0}  # of one small run: nearly all of it starts MPI and CUDA


def wanted(words: tuple[str, ...]) -> list[str]:
    """The parts that words of the command line name."""
    named = {part for word in words for part in GROUPS.get(word, (word,))}
    return [part for part in PARTS if part in named]


def plan(part: str, place: Place, gpu: Gpu) -> list[Step]:
    """The steps of a part, or a failed step that says why they cannot be planned."""
    try:
        if part == KERNELS:
            return kernel_steps(place, gpu)
        if part == BUILD:
            return build_steps(place, gpu)
        if part in TOOLS:
            return sanitizer_steps(place, part)
        if part == TESTS:
            return test_steps(place)
        if part in SECONDS:
            return check_steps(place, part)
        if part == COUNTERS:
            return counter_steps(place)
        return measurement_steps(place, part)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return [failed(part, f"planning of {part}", str(error))]


def forecast(part: str, place: Place, gpu: Gpu) -> list[Step]:
    """The steps of a part, as far as they are known without the programs, which may not be built yet."""
    if part not in SECONDS:
        return plan(part, place, gpu)
    count = sum(len(list(_tries(name, ranks, ["native", "dataflow", "library"], ["staged", "ipc"])))
                for name, ranks in _kernels_and_ranks(place, part))
    return [Step(part, counted(count, "small run"), (), count * SECONDS[part])]


def costs(parts: list[str], place: Place, gpu: Gpu, budget: float) -> str:
    """A table of the seconds that parts will take, with those of their steps."""
    lines = ["part         seconds  until  steps, in seconds"]
    until = 0.0
    for part in parts:
        steps = [(step.title.removeprefix(f"{part} "), step.expected) for step in forecast(part, place, gpu)]
        seconds = sum(expected for _, expected in steps)
        until += seconds
        said = "; ".join(f"{title} {expected:.0f}" for title, expected in steps)
        lines += textwrap.wrap(f"{part:<12} {seconds:7.0f} {until:6.0f}  {said}", WIDTH,
                               subsequent_indent=" " * 29, break_on_hyphens=False)
    return "\n".join([*lines, f"{'budget':<12} {budget:7.0f}         what does not fit is not run"])


def kernel_steps(place: Place, gpu: Gpu) -> list[Step]:
    """Compiles the benchmark of the kernels, which needs nothing but nvcc, where it is older than what it is made of,
    and runs it."""
    program = place.build / "kernel_benchmark"
    folder = ROOT / "common" / "device" / "cuda"
    # The kernels of random numbers need a library's headers.
    sources = [SOURCE, *sorted(folder.glob("*/*_passes.cpp")),
               *(source for source in sorted(folder.glob("*/*.cu")) if source.parent.name != "data")]
    steps = [Step(KERNELS, RATES, (str(program),), 6)]
    if _is_newer(program, [*sources, *folder.rglob("*.*h*")]):
        return steps
    nvcc = _nvcc()
    if not nvcc:
        return [not_here(KERNELS, RATES, "nvcc is neither on PATH nor in CUDAToolkit_ROOT")]
    place.build.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a compilation that fails must not leave rates of old kernels
    libraries = nvcc.resolve().parent.parent / "lib64"
    compiled = (str(nvcc), "--threads", "0", "-std=c++20", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
                f"-arch=sm_{gpu.architecture}", "-I", str(ROOT / "common"), *map(str, sources), "-lcublas", "-lcufft",
                f"-Xlinker=-rpath={libraries}", "-o", str(program))
    return [Step(KERNELS, f"compile for sm_{gpu.architecture}", compiled, place.shared_by_cores(20)), *steps]


def _is_newer(file: Path, others: list[Path]) -> bool:
    return file.exists() and file.stat().st_mtime > max(each.stat().st_mtime for each in others)


def _nvcc() -> Optional[Path]:
    root = os.environ.get("CUDAToolkit_ROOT")
    found = shutil.which("nvcc") or (shutil.which("nvcc", path=f"{root}/bin") if root else None)
    return Path(found) if found else None


def build_steps(place: Place, gpu: Gpu) -> list[Step]:
    """The programs, for the architecture of this GPU alone. What CMake finds is the environment's affair
    (CMAKE_PREFIX_PATH, MPI_HOME, CUDAToolkit_ROOT); nothing is downloaded."""
    generator = () if shutil.which("ninja") else ("-G", "Unix Makefiles")
    configure = ("cmake", "--preset", "gpu", *generator, "-D", f"CMAKE_CUDA_ARCHITECTURES={gpu.architecture}",
                 "-S", str(ROOT), "-B", str(place.build))
    return [Step(BUILD, "configure", configure, 10), _compile(place, BUILD, "compile", ON_GPU, 40)]


def _compile(place: Place, part: str, title: str, targets: Iterable[str], seconds: float) -> Step:
    command = ("cmake", "--build", str(place.build), "-j", str(place.machine.cores), "--target", *targets)
    return Step(part, title, command, place.shared_by_cores(seconds))


def test_steps(place: Place) -> list[Step]:
    command = ("ctest", "--test-dir", str(place.build), "-L", "^gpu$", "--output-on-failure", "--no-tests=error",
               "--timeout", "200")
    return [_compile(place, TESTS, "compile the tests", ("gpu_tests",), 20),
            Step(TESTS, "tests that need a GPU", command, 120, unset=HANGS_TESTS)]


def sanitizer_steps(place: Place, tool: str) -> list[Step]:
    """The device's tests under one tool: those of the kernels, and the others under memcheck alone, since
    races and barriers of cuBLAS and cuFFT are not ours and take minutes."""
    sanitizer = shutil.which("compute-sanitizer")
    if not sanitizer:
        return [not_here(tool, "tests of the device", NO_SANITIZER)]
    watched = (*watching(sanitizer, tool), str(place.build / "tests" / "device_cuda_test"))
    steps = [Step(tool, "tests of kernels", (*watched, f"--gtest_filter={KERNEL_TESTS}"), 80, unset=HANGS_TESTS)]
    if tool == "memcheck":
        steps.append(Step(tool, "other tests of the device", (*watched, f"--gtest_filter=-{KERNEL_TESTS}"), 200,
                          unset=HANGS_TESTS))
    return steps


def measurement_steps(place: Place, part: str) -> list[Step]:
    """The launches of a kernel, or the larger ones of all."""
    return [_measurement(place, part, name, benchmark) for name, kernel in ON_GPU.items()
            for benchmark in kernel.benchmarks if (benchmark.part or name) == part]


def _measurement(place: Place, part: str, name: str, benchmark: Benchmark) -> Step:
    document = f"{slug(benchmark.title)}.json"
    command = place.launch(benchmark.ranks, place.program(name), "--device", "cuda",
                           *(benchmark.small if place.small else benchmark.arguments), "--progress", "on",
                           "--force", "--json", place.logs / document)
    expected = SECONDS[CHECK] if place.small else benchmark.expected(name, place.machine.cores)
    return Step(part, benchmark.title, command, expected, document, place.cores_for(benchmark.ranks))


def check_steps(place: Place, part: str) -> list[Step]:
    """A small run of all that each program can do on this GPU, alone and in a pair; in check-memory, under
    compute-sanitizer."""
    sanitizer = shutil.which("compute-sanitizer") if part == CHECK_MEMORY else None
    if part == CHECK_MEMORY and not sanitizer:
        return [not_here(part, "all that --list shows", NO_SANITIZER)]
    watched = (*watching(sanitizer, "memcheck"), "--target-processes", "all") if sanitizer else ()
    steps = []
    for name, ranks in _kernels_and_ranks(place, part):
        title = f"{name}, {counted(ranks, 'rank')}"
        listed = listing(place, name, ranks)
        if listed.returncode != VERIFIED:
            steps.append(failed(part, title, last_line(listed.stderr) or "--list failed", listed.returncode))
            continue
        for small, formulation, transports in _tries(name, ranks, *choices(listed.stdout)):
            data = ("--data", place.build / "gpu-data" / f"{name}-{ranks}", "--generate") if small.files else ()
            command = place.launch(ranks, *watched, place.program(name), "--device", "cuda", *small.arguments, *data,
                                   "--runs", "1", "--warmup", "0", "--limits", "off", "--quiet", "--formulation",
                                   formulation, "--transport", ",".join(transports))
            steps.append(Step(part, f"{title}, {formulation}, {small.name}", command, SECONDS[part],
                              environment=place.cores_for(ranks)))
    return steps


def _kernels_and_ranks(place: Place, part: str) -> Iterator[tuple[str, int]]:
    for name, kernel in ON_GPU.items():
        # To try the command, the same again takes long: pairs show that the tool is given the ranks.
        least = 2 if place.small and part == CHECK_MEMORY else kernel.least_ranks
        for ranks in range(least, 3):
            yield name, ranks


def _tries(name: str, ranks: int, formulations: list[str],
           transports: list[str]) -> Iterator[tuple[SmallRun, str, list[str]]]:
    """Ways through a program, each over all the transports that can have it."""
    for small in ON_GPU[name].small_runs:
        for formulation in small.formulations or formulations:
            possible = ON_GPU[name].transports(formulation, ranks, transports)
            if possible:
                yield small, formulation, possible


def listing(place: Place, name: str, ranks: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(place.launch(ranks, place.program(name), "--device", "cuda", "--list"),
                          capture_output=True, text=True, timeout=60, check=False)


def choices(text: str) -> tuple[list[str], list[str]]:
    """Formulations and transports that --list calls available on cuda. Raises ValueError if the text names none of
    them."""
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

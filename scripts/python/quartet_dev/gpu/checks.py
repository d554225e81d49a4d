"""The parts of quartet gpu that build and test."""

import re
import shutil
import subprocess
from typing import Optional

from quartet.exit_codes import FAILED, VERIFIED
from quartet.paths import ROOT
from quartet.text import counted
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.promise import SmallRun
from quartet_dev.gpu.steps import HANGS_TESTS, Gpu, Place, Step, last_line, not_here

TOOLS = ("memcheck", "racecheck", "synccheck")  # of compute-sanitizer
NO_SANITIZER = "compute-sanitizer is not on PATH (it comes with the CUDA toolkit)"
KERNEL_TESTS = "*Kernel*"  # launches beside plain loops; the other tests go through the device


def build_steps(place: Place, gpu: Gpu) -> list[Step]:
    """Programs and GPU tests, for the architecture of this GPU alone. What CMake finds is the
    environment's affair (CMAKE_PREFIX_PATH, MPI_HOME, CUDAToolkit_ROOT); nothing is downloaded."""
    generator = () if shutil.which("ninja") else ("-G", "Unix Makefiles")
    configure = ["cmake", "--preset", "gpu", *generator, "-D",
                 f"CMAKE_CUDA_ARCHITECTURES={gpu.architecture}", "-D", "QUARTET_MICROBENCH=OFF",
                 "-S", str(ROOT), "-B", str(place.build)]
    compile_all = ["cmake", "--build", str(place.build), "-j", str(place.machine.cores), "--target",
                   *ON_GPU, "gpu_tests"]
    return [Step("build", "configure", configure, 120), Step("build", "compile", compile_all, 480)]


def sanitizer_steps(place: Place, tool: str) -> list[Step]:
    """The device's tests under one tool: those of the kernels, and the others under memcheck alone, since
    races and barriers of cuBLAS and cuFFT are not ours and take minutes."""
    sanitizer = shutil.which("compute-sanitizer")
    if not sanitizer:
        return [not_here(tool, "tests of the device", NO_SANITIZER)]
    watched = [*watching(sanitizer, tool), str(place.build / "tests" / "device_cuda_test")]
    steps = [Step(tool, "tests of kernels", [*watched, f"--gtest_filter={KERNEL_TESTS}"], 250,
                  unset=HANGS_TESTS)]
    if tool == "memcheck":
        steps.append(Step(tool, "other tests of the device",
                          [*watched, f"--gtest_filter=-{KERNEL_TESTS}"], 580, unset=HANGS_TESTS))
    return steps


def watching(sanitizer: str, tool: str) -> list[str]:
    """The beginning of a command that compute-sanitizer watches. Calls that CUDA refuses are no findings: tests
    and libraries make some to learn what there is."""
    refused = ("--report-api-errors", "no") if tool == "memcheck" else ()
    return [sanitizer, "--tool", tool, *refused, "--error-exitcode", str(FAILED)]


def test_steps(place: Place) -> list[Step]:
    command = ["ctest", "--test-dir", str(place.build), "-L", "^gpu$", "--output-on-failure",
               "--no-tests=error", "--timeout", "200"]
    return [Step("tests", "tests that need a GPU", command, 590, unset=HANGS_TESTS)]


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


def listing(place: Place, name: str, ranks: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(place.launch(ranks, place.program(name), "--device", "cuda", "--list"),
                          capture_output=True, text=True, timeout=60, check=False)


def check_steps(place: Place, part: str) -> list[Step]:
    """A small run of all that each program can do on this GPU, alone and in a pair; in
    check-memory, under compute-sanitizer."""
    sanitizer = shutil.which("compute-sanitizer") if part != "check" else None
    if part != "check" and not sanitizer:
        return [not_here(part, "all that --list shows", NO_SANITIZER)]
    steps = []
    for name, kernel in ON_GPU.items():
        # To try the script, the same again takes long: pairs show that the tool is given the ranks.
        least = 2 if place.small and sanitizer else kernel.least_ranks
        for ranks in range(least, 3):
            steps += _kernel_checks(place, part, name, ranks, sanitizer)
    return steps


def _kernel_checks(place: Place, part: str, name: str, ranks: int, sanitizer: Optional[str]) -> list[Step]:
    title = f"{name}, {counted(ranks, 'rank')}"
    listed = listing(place, name, ranks)
    if listed.returncode != VERIFIED:
        return [Step(part, title, [], 0, code=listed.returncode,
                     reason=last_line(listed.stderr) or "--list failed")]
    formulations, transports = choices(listed.stdout)
    steps = []
    for small in ON_GPU[name].small_runs:
        for formulation in small.formulations or formulations:
            if formulation == "dataflow" and ranks == 1:
                continue  # it needs a worker and a reducer
            command = small_run(place, name, ranks, small, sanitizer) + [
                "--formulation", formulation, "--transport", ",".join(transports)]
            steps.append(Step(part, f"{title}, {formulation}, {small.name}", command, 60,
                              environment=place.cores_for(ranks)))
    return steps


def small_run(place: Place, name: str, ranks: int, small: SmallRun, sanitizer: Optional[str]) -> list[str]:
    watched = [*watching(sanitizer, "memcheck"), "--target-processes", "all"] if sanitizer else []
    data = (["--data", str(place.scratch / f"{name}-{ranks}"), "--generate"] if small.files else [])
    return place.launch(ranks, *watched, place.program(name), "--device", "cuda",
                        *small.arguments, *data, "--runs", "1", "--warmup", "0", "--limits", "off",
                        "--quiet")

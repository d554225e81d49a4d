"""Runs the suite's programs as their users do: under the launcher, through the command line.

KERNELS says what the tests need to know of each program; another one joins by an entry. Where the programs are says the
environment: QUARTET_PROGRAMS is their folder. main() runs the tests of a file, several at a time: an MPI launcher
sleeps for most of the time that a small job takes."""

import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import schemas
from fake_build import Scratch  # noqa: F401
from quartet.processes import alive_in_session, kill_session, send, wait_for_the_last
from tree import SCRIPTS

LAUNCHER = SCRIPTS / "launch.sh"
PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])
LYING_LIBRARIES = os.environ.get("QUARTET_LYING_LIBRARIES")  # empty under sanitizers
PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY")
BAD_USAGE, FAILED, UNAVAILABLE = 2, 3, 77
SECONDS_FOR_A_JOB = 240
SECONDS_TO_VANISH = 5
PATIENCE = 30  # seconds for what takes a moment
AT_A_TIME = min(8, 2 * len(os.sched_getaffinity(0)))


def once(function):
    """A cache like functools.lru_cache whose value other threads wait for while one makes it."""
    guard, locks, values = threading.Lock(), {}, {}

    @functools.wraps(function)
    def cached(*arguments):
        with guard:
            lock = locks.setdefault(arguments, threading.Lock())
        with lock:
            if arguments not in values:
                values[arguments] = function(*arguments)
        return values[arguments]

    return cached


def each(function, items):
    """function(item) for all items, several at a time; the answers in their order."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(function, items))


FORMULATIONS = ("native", "dataflow", "library")
TRANSPORTS = ("mpi", "shm")  # of every machine


@dataclass(frozen=True, eq=False)
class Kernel:
    name: str
    least_ranks: int
    size: str  # of one case that takes milliseconds
    arguments: str  # its other ones
    factors: dict  # how names say so, by formulation: those that the kernel has
    sizes: tuple[str, list]  # several as they may be written, and as rows name them
    too_large: str  # arguments of a case that no machine has the memory for
    refused: str  # arguments that contradict each other or the size, by its first flag
    lies: tuple  # of libraries: ranks, problem, formulation, lie; each is noticed (lies_test.py)
    rate: str = "GFLOP/s"  # the key of its rate
    paper: tuple[str, ...] = ()  # formulations whose runs the paper measures by a clock of its own, too

    @property
    def small(self):
        return f"--sizes {self.size} {self.arguments} --device host --threads 1"

    @property
    def formulations(self):
        return tuple(self.factors)

    def serves(self, formulation, transport):
        """Whether a formulation is run over a transport that is named beside others."""
        return formulation != "library" or transport == "mpi"

    def names(self, ranks, transports, formulations=None):
        """What the rows of its small case are called."""
        return [f"{self.name}/{formulation}/host/{transport}/{self.factors[formulation]}/ranks:{ranks}/threads:1{clock}"
                for formulation in formulations or self.factors for transport in transports
                if self.serves(formulation, transport)
                for clock in (("", "/paper") if formulation in self.paper else ("",))]


def _factors(native, dataflow, library):
    return {"native": native, "dataflow": dataflow, "library": library}


# Products that find out the arithmetic come first, and see any fault of their own: hence "2+" in matmul's lies.
_64_KIB, _512, _1000, _2_14 = ("--sizes 64KiB --pushes 3", "--size 512 --tile 256",
                               "--size 1000 --iterations 30 --problem random", "--size 16384 --tiles 32")
KERNELS = [
    Kernel(
        name="stream", least_ranks=2, size="64KiB", arguments="--pushes 3",
        factors=_factors("size:64KiB/pushes:3", "size:64KiB/pushes:3/queue:16", "size:64KiB/pushes:3"),
        sizes=("4k:16k,1M", ["4KiB", "8KiB", "16KiB", "1MiB"]),
        too_large="--sizes 1TiB", refused="--pushes 2000000",
        lies=tuple((2, _64_KIB, formulation, "floats@32768:1:1:one:4e-7") for formulation in FORMULATIONS),
        rate="MiB/s", paper=FORMULATIONS),
    Kernel(
        name="matmul", least_ranks=1, size="96", arguments="--tile 32 --reducers 1",
        factors=_factors("n:96/tile:32", "n:96/tile:32/reducers:1/queue:16", "n:96"),
        sizes=("32:64,0.125k", ["32", "64", "128"]),
        too_large="--size 2^22 --tile 2^14", refused="--generate",
        lies=((3, _512, "native", "sgemm:all:2+:one:1e-4"),
              (3, _512, "dataflow --reducers 1", "sgemm:all:2+:one:1e-4"),
              (3, _512, "dataflow --reducers 1", "floats@262144:1:1:lost:0"),
              (3, _512, "library", "sgemm:all:2+:one:1e-4"))),
    Kernel(
        name="cg", least_ranks=1, size="100", arguments="--iterations 5",
        factors=_factors("laplace/full/classic/n:100/iterations:5", "laplace/full/classic/n:100/iterations:5/queue:16",
                         "laplace/full/classic/n:100/iterations:5"),
        sizes=("8:16,1e2", ["8", "16", "100"]),
        too_large="--size 2^20", refused="--restart",
        lies=((2, _1000, "native", "doubles@4000:1:1:one:6e-9"), (3, _1000, "dataflow", "doubles@4000:1:1:one:6e-8"),
              (2, _1000, "library", "dgemv:all:1+:one:2e-11"),
              # Numbers of the sums p.Ap and r.r, which r = b - A x does not show.
              (2, _1000, "native", "sums:all:1+:bit:20"), (3, _1000, "dataflow", "sums@48:all:1+:bit:20"),
              (2, _1000, "library", "sums:all:1+:bit:20"))),
    Kernel(
        name="fft", least_ranks=1, size="4096", arguments="--tiles 64",
        factors=_factors("transposed/n:4096/tiles:64", "natural/n:4096/tiles:64/queue:16",
                         "transposed/n:4096/plan:estimate"),
        sizes=("4k:8k,1e4", ["4096", "8192", "10000"]),
        too_large="--size 2^44", refused="--tiles 7",
        lies=((2, _2_14, "native", "doubles@16384:1:1:one:5e-11"), (2, _2_14, "dataflow", "doubles@4096:1:1:one:5e-11"),
              (2, _2_14, "library", "fftmpi:1:1+:one:1e-11")),
        paper=("dataflow",)),
]
STREAM, MATMUL, CG, FFT = KERNELS[:4]


@dataclass(frozen=True)
class Outcome:
    """How a job ended, and the results that it wrote."""
    code: int
    stdout: str
    stderr: str
    document: Optional[dict] = field(repr=False)
    seconds: float
    left: list[int]  # processes that outlived it


def run(program, ranks, *arguments, prefix=()):
    """Runs a program by name or path; arguments are split as by a shell. Results go to a file of
    its own unless --json names one. What `prefix` starts, starts the launcher."""
    path = program if isinstance(program, Path) else PROGRAMS / program
    words = shlex.split(" ".join(arguments))
    with tempfile.TemporaryDirectory() as folder:
        if "--json" not in words:
            words += ["--json", str(Path(folder) / "results.json")]
        begin = time.monotonic()
        job = subprocess.Popen([*prefix, LAUNCHER, str(ranks), path, *words],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               # Launchers that share a folder for sessions remove it under others.
                               env={**os.environ, "TMPDIR": folder})
        try:
            stdout, stderr = job.communicate(timeout=SECONDS_FOR_A_JOB)
        except subprocess.TimeoutExpired:
            kill_session(job.pid)
            raise AssertionError(f"did not end: {path} {words}: {job.communicate()}") from None
        seconds = time.monotonic() - begin
        file = Path(words[words.index("--json") + 1])
        document = schemas.read_strictly(file) if job.returncode != 2 and file.is_file() else None
    # libevent's, in Open MPI's launcher, where a rank ends as it starts to listen to it.
    stderr = "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith("[warn] Epoll "))
    return Outcome(job.returncode, stdout, stderr, document, seconds, wait_for_the_last(job.pid, SECONDS_TO_VANISH))


def run_lying(program, ranks, lie, *arguments):
    """run(), with libraries that lie before those of the program: `lie` is QUARTET_LIE of tests/faults/lying_libraries.cpp."""
    words = [f"LD_PRELOAD={LYING_LIBRARIES}", f"QUARTET_LIE={lie}", str(PROGRAMS / program)]
    return run(Path("/usr/bin/env"), ranks, *map(shlex.quote, words), *arguments)


def has_lied(outcome):
    return re.search(r"^lie: ", outcome.stderr, re.MULTILINE) is not None


def run_each(jobs):
    """The outcomes of many jobs, of run's arguments each."""
    return each(lambda job: run(*job), jobs)


@once
def listed(kernel_name):
    """What --list says: name and reason, or "available", of devices, formulations, transports."""
    outcome = run(kernel_name, 2, "--list --device host")
    assert outcome.code == 0, outcome
    return dict(re.findall(r"^  (\w+) +(.*)$", unwrapped(outcome.stdout), re.MULTILINE))


def unwrapped(text):
    """What a program prints of its plan or its choices, without the breaks of lines that were too long."""
    return re.sub(r"\n {6,}", " ", text)


def foreign_flags(help_text):
    """The flags of other programs that --help names."""
    found = re.search(r"(?m)^Not available in this build: ((?:.+\n)+)", help_text)
    return re.findall(r"--[\w-]+", found[1]) if found else []


def available_transports(kernel):
    there = listed(kernel.name)
    return [name for name in ("mpi", "shm", "rma", "grpc") if there[name] == "available"]


def unavailable_transports(kernel):
    names = ("mpi", "staged", "shm", "rma", "nccl", "ipc", "grpc")
    return [name for name in names if listed(kernel.name)[name] != "available"]


def cases(document):
    """By run name: {"runs": iteration rows, "median": row, ...}; error rows are left out."""
    found = {}
    for row in document["benchmarks"]:
        if "error_occurred" in row:
            continue
        case = found.setdefault(row["run_name"], {"runs": []})
        if row["run_type"] == "iteration":
            case["runs"].append(row)
        else:
            case[row["aggregate_name"]] = row
    return found


def medians(document):
    return [case["median"] for case in cases(document).values()]


def errors(document):
    return [row for row in document["benchmarks"] if "error_occurred" in row]


def assert_refused(test, outcome, code, program, *reasons):
    """Refused in one line, which one rank writes and which holds all the reasons."""
    test.assertEqual(outcome.code, code, outcome)
    lines = outcome.stderr.splitlines()
    test.assertEqual(len(lines), 1, outcome.stderr)
    test.assertTrue(lines[0].startswith(f"{program}: "), lines[0])
    for reason in reasons:
        test.assertIn(reason, lines[0])
    test.assertEqual(outcome.left, [])


def numpy(program, *arguments):
    """What a program prints that Python runs, where it has NumPy."""
    done = subprocess.run([PYTHON_WITH_NUMPY, "-c", program, *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Job:
    """A program in the background, to be disturbed while it runs, with whatever it leaves in a folder of its own."""

    launcher_stayed = False  # after its ranks had gone

    def __init__(self, program, scratch, ranks, *arguments):
        self.program = (PROGRAMS / program).resolve()
        environment = dict(os.environ, TMPDIR=str(scratch),
                           OMPI_MCA_btl_vader_backing_directory=str(scratch),
                           OMPI_MCA_osc_sm_backing_directory=str(scratch))
        self.process = subprocess.Popen(
            [LAUNCHER, str(ranks), self.program, *" ".join(arguments).split()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, start_new_session=True)

    def ranks(self):
        """The processes of the ranks, but not of the launcher."""
        def is_rank(process):
            try:
                return os.readlink(f"/proc/{process}/exe") == str(self.program)
            except OSError:
                return False
        return [process for process in alive_in_session(self.process.pid) if is_rank(process)]

    def wait_until(self, condition):
        """False if the job ended first."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.002)
        return condition()

    def kill(self, processes):
        send(processes, signal.SIGKILL)

    def kill_all(self):
        kill_session(self.process.pid)

    def end(self):
        """The exit code and what was said, once nothing of it is left."""
        try:
            stdout, stderr = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # Open MPI 4.1.4's may wait for a lock of its own (PMIx_server_finalize) where a rank was
            # killed; that no rank is left is what counts.
            self.launcher_stayed = not self.ranks()
            self.kill_all()
            stdout, stderr = self.process.communicate()
            assert self.launcher_stayed, f"ranks did not end: {stderr}"
        assert wait_for_the_last(self.process.pid, SECONDS_TO_VANISH) == []
        return self.process.returncode, stdout, stderr


def _methods(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _methods(test)
        else:
            yield test


def _passes(test):
    """Runs a test method and prints a line, and the traceback where there is one."""
    result = unittest.TestResult()
    test.run(result)
    troubles = [*result.errors, *result.failures]
    word = "FAIL" if troubles else "skipped" if result.skipped else "ok"
    reason = f": {result.skipped[0][1]}" if result.skipped else ""
    print("\n".join([f"{test.id()} ... {word}{reason}", *(text for _, text in troubles)]), file=sys.stderr)
    return not troubles


def main():
    """In place of unittest.main(); words on the command line choose tests by part of their name."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    wanted = sys.argv[1:] or [""]
    tests = [test for test in _methods(suite) if any(word in test.id() for word in wanted)]
    passed = each(_passes, tests)
    print(f"{len(passed)} tests, {passed.count(False)} failed", file=sys.stderr)
    sys.exit(0 if passed and all(passed) else 1)

"""Runs the suite's programs as their users do: under the launcher, through the command line.

KERNELS says what the tests need to know of each program; another one joins by an entry. Where the
programs are says the environment: QUARTET_PROGRAMS is their folder.
"""

import os
import re
import shlex
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import schemas
from concurrent_tests import once
from quartet.processes import kill_session, wait_for_the_last
from tree import SCRIPTS

LAUNCHER = SCRIPTS / "launch.sh"
PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])
LYING_LIBRARIES = os.environ.get("QUARTET_LYING_LIBRARIES")  # empty under sanitizers
SECONDS_FOR_A_JOB = 240
SECONDS_TO_VANISH = 5


@dataclass(frozen=True, eq=False)
class Kernel:
    name: str
    least_ranks: int
    small: str  # arguments of one case that takes milliseconds
    factors: str  # how its name says so
    too_large: str  # arguments of a case that no machine has the memory for
    rate: str  # the key of its rate
    clocks: tuple[str, ...]  # the suffixes of its rows: the whole run, clocks of the paper's own
    formulations: tuple[str, ...]
    transports: tuple[str, ...]  # those that it may run over
    refusals: tuple[str, ...]  # of arguments that only it has
    refusals_of_many: tuple[str, ...]  # on four ranks, not on two
    flow_only: tuple[str, ...] = ("grpc",)  # transports of its data flow alone
    transfers: bool = True  # whether how it transfers is a factor of its work
    library_factors: Optional[str] = None  # of its library rows, where they are others

    flow_factors: str = "/queue:16"  # what its dataflow rows have besides
    flow_order: Optional[tuple[str, str]] = None  # a word of theirs that is another
    flow_clocks: tuple[str, ...] = ()  # of theirs, where they have more

    def serves(self, formulation, transport):
        """Whether a formulation is run over a transport that is named beside others."""
        return {"library": transport == "mpi", "dataflow": transport != "rma",
                "native": transport not in self.flow_only}[formulation]

    def factors_of(self, formulation):
        if formulation == "library" and self.library_factors:
            return self.library_factors
        if formulation == "dataflow":
            return self.factors.replace(*self.flow_order or ("", "")) + self.flow_factors
        return self.factors

    def clocks_of(self, formulation):
        return self.flow_clocks if formulation == "dataflow" and self.flow_clocks else self.clocks

    def names(self, ranks, transports):
        """What the rows of its small case are called."""
        variants = [(formulation, transport) for formulation in self.formulations
                    for transport in transports if self.serves(formulation, transport)]
        return [f"{self.name}/{formulation}/host/{transport}/{self.factors_of(formulation)}"
                f"/ranks:{ranks}/threads:1{clock}"
                for formulation, transport in variants for clock in self.clocks_of(formulation)]


KERNELS = [
    Kernel(
        name="stream", least_ranks=2, small="--sizes 64KiB --pushes 3 --device host --threads 1",
        factors="size:64KiB/pushes:3", too_large="--sizes 1TiB", rate="MiB/s",
        clocks=("", "/paper"),
        formulations=("native", "dataflow", "library"),
        transports=("mpi", "shm", "rma", "grpc"), flow_only=(),
        refusals=("--sizes", "--sizes ''", "--sizes 0", "--sizes -5", "--sizes 3GiB3", "--sizes 6B",
                  "--sizes 2TiB", "--sizes 2,", "--sizes 8:2", "--size 1e30", "--size 8KB",
                  "--size 2^70", "--size 1e19", "--pushes 0", "--pushes 2000000"),
        refusals_of_many=("--pushes 1000000",)),
    Kernel(
        name="matmul", least_ranks=1, small="--size 96 --tile 32 --reducers 1 --device host --threads 1",
        factors="n:96/tile:32", too_large="--size 2^22 --tile 2^14", rate="GFLOP/s", clocks=("",),
        formulations=("native", "dataflow", "library"),
        transports=("mpi", "shm", "grpc"), flow_only=(),
        refusals=("--size", "--size ''", "--size 0", "--size -5", "--size 1.5", "--size 8KiB",
                  "--size 2^31", "--size 1e30", "--size 2^70", "--size 8:4", "--tile 0",
                  "--tile many", "--math fp64", "--math fp32,tf32", "--distribution 2x1", "--reducers 0",
                  "--data ''", "--cache hot", "--lookahead -1",
                  "--generate", "--keep", "--checkpoint ''", "--every 0", "--every 5", "--restart"),
        refusals_of_many=(), transfers=False, flow_factors="/reducers:1/queue:16",
        library_factors="n:96"),
    Kernel(
        name="cg", least_ranks=1, small="--size 100 --iterations 5 --device host --threads 1",
        factors="laplace/full/classic/n:100/iterations:5", too_large="--size 2^20",
        rate="GFLOP/s", clocks=("",), formulations=("native", "dataflow", "library"),
        transports=("mpi", "shm", "grpc"),
        refusals=("--size", "--size ''", "--size 0", "--size -5", "--size 1.5", "--size 8KiB",
                  "--size 2^31", "--size 1e30", "--size 2^70", "--size 8:4", "--iterations 0",
                  "--iterations many", "--problem poisson",
                  "--problem ''", "--storage half", "--storage full,", "--algorithm fast",
                  "--data ''", "--cache hot", "--generate", "--keep", "--checkpoint ''",
                  "--every 0", "--every 5", "--restart", "--restart never"),
        refusals_of_many=(), transfers=False),
    Kernel(
        name="fft", least_ranks=1, small="--size 4096 --tiles 64 --device host --threads 1",
        factors="transposed/n:4096/tiles:64", too_large="--size 2^44", rate="GFLOP/s",
        clocks=("",), formulations=("native", "dataflow", "library"),
        transports=("mpi", "shm", "grpc"), flow_order=("transposed", "natural"),
        flow_clocks=("", "/paper"),
        refusals=("--size", "--size ''", "--size 0", "--size -5", "--size 2^45", "--size 1.5",
                  "--size 1e30", "--size 2^70", "--size 8:4",
                  "--tiles 0", "--tiles 7", "--order sorted", "--plan exhaustive", "--wisdom ''",
                  "--wisdom plans", "--data ''",
                  "--cache cold", "--generate", "--keep", "--checkpoint ''", "--every 0", "--every 5", "--restart"),
        refusals_of_many=("--tiles 100",), transfers=False,
        library_factors="transposed/n:4096/plan:estimate"),
]


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
    return Outcome(job.returncode, stdout, stderr, document, seconds,
                   wait_for_the_last(job.pid, SECONDS_TO_VANISH))


def run_lying(program, ranks, lie, *arguments):
    """run(), with libraries that lie before those of the program: `lie` is QUARTET_LIE of tests/faults/lie.hpp."""
    words = [f"LD_PRELOAD={LYING_LIBRARIES}", f"QUARTET_LIE={lie}", str(PROGRAMS / program)]
    return run(Path("/usr/bin/env"), ranks, *map(shlex.quote, words), *arguments)


def has_lied(outcome):
    return re.search(r"^(lie|fault): ", outcome.stderr, re.MULTILINE) is not None


def run_each(jobs):
    """The outcomes of many jobs, of run's arguments each, that do nothing but end: launchers take
    seconds to see to that, so that many go at a time."""
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda job: run(*job), jobs))


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
    return [name for name in kernel.transports if there[name] == "available"]


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

"""Runs the paper's data flows by TensorFlow itself beside ours.

Each kernel runs four ways, on two processes of one thread: TensorFlow's program of its data flow, our data flow over
gRPC and through shared memory, and our native formulation. Launches follow one another, round after round; a ratio to
TensorFlow has its 95% interval. Each result is compared with NumPy's. Nothing else should run on the machine meanwhile.

TensorFlow is in an environment of its own: scripts/setup.sh tensorflow makes it (1.5 GB). While it
measures, it listens on ports of all of this machine's network interfaces. The documents stay in
results/peers/. Exit codes: 1 a wrong result, 3 a failed launch, 77 no TensorFlow."""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quartet.command_line import integer
from quartet.exit_codes import FAILED, UNAVAILABLE, ScriptError
from quartet.files import FileProblem
from quartet.kernels import KERNELS
from quartet.launch import Files, Job, LaunchError
from quartet.paths import ROOT, SCRIPTS
from quartet.results import TENSORFLOW, load, rows_of
from quartet.results import statistics as own_statistics
from quartet.text import Footnotes, counted, rate, ratio, slug, wrapped
from quartet_dev import goals
from quartet_dev.goals import RANKS, Group, Round, Variant, lines_of
from quartet_dev.tensorflow.document import Plan, write

EXAMPLE = "quartet peers --only cg --rounds 4"
PYTHON = Path(os.environ.get("QUARTET_TENSORFLOW") or ROOT / "build" / "tensorflow") / "bin" / "python"
PORTS = range(20000, 32000)  # below the ports that systems choose for outgoing connections
FLOW = "dataflow-shm"
LABELS = {TENSORFLOW: "TensorFlow, gRPC", "dataflow-grpc": "our data flow, gRPC",
          FLOW: "our data flow, shared memory", "native": "native, shared memory"}
HEADINGS = ("", "median", "95% interval", "over TF", "95% interval", "rounds")


@dataclass(frozen=True)
class PeerRun:
    """The problems of a kernel, in sizes that take about a second in the slowest variant."""

    sizes: tuple[str, ...]
    arguments: str  # for all our variants
    native: str = ""  # arguments of the native formulation only
    files: bool = True  # whether the data are in files, the same for all variants


PEER_RUNS = {"stream": PeerRun(("2", "16"), "--pushes 40", files=False), "matmul": PeerRun(("2048",), "--tile 512"),
             "cg": PeerRun(("1024", "4096"), "--problem random --iterations 50"),
             "fft": PeerRun(("2^22",), "--tiles 64", native="--order natural")}


@dataclass(frozen=True)
class TensorFlowVariant(Variant):
    """The kernel's TensorFlow program, run by `python`. It reads a document of our data flow and uses the same size,
    processes, threads, queues, runs and cores."""

    python: Path = PYTHON
    companions: str = ""  # pattern of our data flow's documents, of which the first is used
    data: Path = Path()  # folder of the .npy files

    def job(self, _programs: Path, kernel: str, files: Files, _share: float = 0) -> Job:
        ours = sorted(files.document.parent.glob(self.companions))
        if not ours:
            raise LaunchError(FAILED, "there is no document of our data flow to compare with")
        plan = plan_beside(ours[0], kernel, self.data, files.document)
        file = files.log.with_suffix(".plan")
        write(file, plan)
        variables = (("PYTHONPATH", str(SCRIPTS / "python")), ("QUARTET_BIND", "none"))
        return Job(self.python, len(plan.tasks), plan.threads, ("-m", "quartet_dev.tensorflow", str(file)),
                   variables=variables)


def plan_beside(companion: Path, kernel: str, data: Path, document: Path) -> Plan:
    """The plan for TensorFlow, from a document of our data flow. Raises LaunchError if that has no result."""
    try:
        ours = load(companion)
    except (FileProblem, OSError) as problem:
        raise LaunchError(FAILED, str(problem)) from None
    found = rows_of(ours)
    if len(found) != 1 or found[0].error:
        raise LaunchError(FAILED, "our data flow has no result to compare with")
    quartet = ours["context"]["quartet"]
    factors = {key: value for key, value in found[0].median["factors"].items() if isinstance(value, int)}
    reducers, options = factors.get("reducers", 1), quartet["options"]
    addresses = [f"127.0.0.1:{port}" for port in random.SystemRandom().sample(PORTS, factors["ranks"])]
    return Plan(kernel, str(companion.resolve()), str(document.resolve()), str(data.resolve()), addresses[:reducers],
                addresses[reducers:], factors["threads"], cpus_of(quartet["placement"]), int(options["warmup"]),
                int(options["runs"]), factors.get("queue", 16), factors)


def cpus_of(placement: list[dict[str, Any]]) -> list[int]:
    """The CPUs of all ranks, from lists like "0-3,8"."""
    found: set[int] = set()
    for part in ",".join(place["cpus"] for place in placement).split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found |= set(range(int(first), int(last or first) + 1))
    return sorted(found)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    goals.add_arguments(parser, PEER_RUNS, "peers", rounds=6, budget=600)
    parser.add_argument("--runs", type=integer(1000), default=3, metavar="N",
                        help="measured runs of a launch, after one that warms up (%(default)s)")
    parser.add_argument("--python", type=Path, default=PYTHON, help="a Python that has TensorFlow 2 (%(default)s)")


def run(options: argparse.Namespace) -> int:
    goals.check(options)
    require_tensorflow(options.python)
    sizes = [(kernel, size, f"{kernel}-{slug(size)}") for kernel in options.only for size in PEER_RUNS[kernel].sizes]
    with tempfile.TemporaryDirectory(prefix="data-", dir=options.results) as data:
        found, code = goals.measure(options, [group_of(*each, Path(data).absolute(), options) for each in sizes])
    print(render([(kernel, size, found[name]) for kernel, size, name in sizes]), end="")
    return code


def require_tensorflow(python: Path) -> None:
    """Raises ScriptError if no program of TensorFlow's runs by this Python."""
    script = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tensorflow') is None)"
    if not shutil.which(python) or subprocess.run([python, "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
                                                  check=False).returncode:
        raise ScriptError(f"{python} is no Python with TensorFlow: install it (scripts/setup.sh tensorflow), or name "
                          "another --python", UNAVAILABLE)


def group_of(kernel: str, size: str, name: str, data: Path, options: argparse.Namespace) -> Group:
    peer, files = PEER_RUNS[kernel], data / name
    common = f"{KERNELS[kernel].size_flag} {size} {peer.arguments} --runs {options.runs} --limits off"
    where = ("--generate", "--data", str(files)) if peer.files else ()

    def ours(variant: str, transport: str, more: str = "") -> Variant:
        words = f"{common} --formulation {variant.partition('-')[0]} --transport {transport} {more}"
        return Variant(variant, RANKS, (*words.split(), *where))

    theirs = TensorFlowVariant(TENSORFLOW, RANKS, (), python=options.python, companions=f"{name}-{FLOW}-[0-9]*.json",
                            data=files)
    return Group(kernel, name, (ours(FLOW, "shm"), ours("native", "shm", peer.native),
                                ours("dataflow-grpc", "grpc"), theirs))


@dataclass
class Line:
    """The measured rates of a variant of a group."""

    label: str
    rates: list[float] = field(default_factory=list)  # of each launch, its median
    paper: list[float] = field(default_factory=list)  # by the paper's clock
    marked: int = 0  # launches whose row has a mark
    trouble: str = ""  # why a launch has no rate


def lines_by_variant(rounds: list[Round]) -> list[Line]:
    """The lines of a group. TensorFlow's is the first: the others are compared with it."""
    lines = {name: Line(label) for name, label in LABELS.items()}
    for results in rounds:
        for name, result in results.items():
            row = next(iter(result.rows), None)
            if row is None or row.error or row.verified is False:
                lines[name].trouble = "a wrong result" if row and not row.error else \
                    row.error if row else result.outcome.message
                continue
            lines[name].rates.append(row.rate)
            lines[name].paper += [] if row.paper_rate is None else [row.paper_rate]
            lines[name].marked += bool(row.mark)
    return list(lines.values())


def render(groups: list[tuple[str, str, list[Round]]]) -> str:
    blocks: list[tuple[str, list[Line]]] = []
    for kernel, size, rounds in groups:
        lines, unit = lines_by_variant(rounds), KERNELS[kernel].unit
        blocks.append((f"{kernel} {unit}, size {size}{'' if unit == 'GFLOP/s' else ' MiB'}, "
                       f"{PEER_RUNS[kernel].arguments.replace('--', '')}, {RANKS}", lines))
        if kernel == "fft":
            paper = [Line(each.label, each.paper) for each in lines if each.paper]
            blocks.append((f"{kernel} until the last tile has come", paper))
    troubles = Footnotes(map(str, range(1, 1000)))
    cells = [(text, [_cells(line, lines[0].rates if lines else [], troubles) for line in lines])
             for text, lines in blocks]
    text_lines = lines_of(HEADINGS, cells, (0,))
    known = [(lines[-1].rates, lines[0].rates) for _, lines in blocks if len(lines) == len(LABELS)]
    ahead = sum(bool(ours and theirs) and statistics.median(ours) > statistics.median(theirs) for ours, theirs in known)
    text_lines += ["", *wrapped("", f"Native is ahead of TensorFlow in {ahead} of {counted(len(known), 'case')}. "
                                "docs/peers.md says what is alike and what is not."), *troubles.lines()]
    return "\n".join(text_lines) + "\n"


def _cells(line: Line, base: list[float], troubles: Footnotes) -> tuple[str, ...]:
    label = f"  {line.label}" + (f" [{troubles.mark(line.trouble)}]" if line.trouble else "")
    if not line.rates:
        return (label, "-", "", "", "", "0")
    interval = own_statistics.median_interval(line.rates)
    median = rate(statistics.median(line.rates)) + "?" * (2 * line.marked > len(line.rates))
    over = own_statistics.ratio(base, line.rates) if base and line.rates is not base else None
    return (label, median, f"{rate(interval[0])}-{rate(interval[1])}" if interval else "",
            ratio(over.value) if over else "1x" if base else "",
            f"{ratio(over.interval[0])}-{ratio(over.interval[1])}" if over and over.interval else "",
            str(len(line.rates)))

"""A number within minutes on a GPU: builds for it, measures, checks, and says what it found.

It has parts, which run in this order, as far as the time reaches. Before it starts it prints how many seconds each
will take; a step that does not fit what is left is not run, which is no failure.

    kernels       our kernels alone, checked and timed, beside cudaMemcpy and
                  cuBLAS; needs nvcc only
    build         the programs, for the architecture of the GPU
    cg fft matmul stream   the measurements, with their goals
    check         every case that --list shows on cuda, once, on small problems
    larger        the measurements that take long
    tests         all tests that need a GPU

A part that fails does not stop the others. What this build or GPU cannot do is listed as not here, and is no
failure; nor is a missed goal. Documents and logs are in a folder that is named after the GPU. The card's
clocks and settings are never changed; nothing is installed."""

import argparse
import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.command_line import add_launcher, seconds_or_none, some_of
from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, ScriptError, worst
from quartet.files import FileProblem
from quartet.machine import Machine
from quartet.paths import RESULTS, ROOT
from quartet.results import load, rows_of
from quartet.rounds import Budget
from quartet.text import WIDTH, aligned, say, slug, widths_of
from quartet_dev.goals import Verdict
from quartet_dev.gpu_plan import BENCHMARKS, PARTS, Gpu, Place, Step, judge_runs, plan

EXAMPLE = "quartet gpu --only build,tests"
OK, WRONG, NOT_RUN, NOT_HERE = "ok", "FAILED", "not run", "not here"  # the states of a step
SLACK = 120  # seconds: a step that takes this and three times the expected time is stuck
LOG_LINES_SHOWN = 15  # of a step that failed
HEADINGS = ("goal", "measured", "against", "", "ratio", "min..max", "goal", "")


@dataclass(frozen=True)
class Record:
    """How a step ended."""

    state: str
    reason: str = ""  # why it is not ok
    code: Optional[int] = None  # None: it has not run
    seconds: float = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of(PARTS), default=PARTS, metavar="LIST", help="some of these parts")
    parser.add_argument("--budget", type=seconds_or_none, default=600, metavar="SECONDS",
                        help="starts no step that would probably exceed it, and ends one that does (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "gpu", help="build folder (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "gpu",
                        help="all results go to a folder there, named after the GPU (%(default)s)")
    parser.add_argument("--small", action="store_true",
                        help="measures small sizes, to try the command: the rates mean nothing")
    add_launcher(parser)
    parser.add_argument("--gpu", metavar="NAME,CAPABILITY", type=Gpu.parse,
                        help="instead of the one that nvidia-smi names: 'NVIDIA H200, 9.0'")


def run(options: argparse.Namespace) -> int:
    budget = Budget(options.budget)
    gpu = options.gpu or Gpu.here()
    if gpu is None:
        raise ScriptError("no GPU is here (nvidia-smi finds none): run it where there is one", UNAVAILABLE)
    place = Place(options.build.resolve(), options.launcher.resolve(), (options.results / slug(gpu.name)).resolve(),
                  Machine.here(), options.small)
    for folder in (place.documents, place.logs):
        folder.mkdir(parents=True, exist_ok=True)
    parts = [part for part in PARTS if part in options.only]
    print(f"{gpu.name}, architecture {gpu.architecture}, {place.machine.cores} cores" +
          ", small sizes: no rate means anything" * place.small)
    print(costs(parts, place, gpu, options.budget), flush=True)
    done = [(step, run_step(step, budget, place)) for part in parts for step in plan(part, place, gpu)]
    print(render(done, place), end="")
    return code_of([record for _, record in done])


def costs(parts: list[str], place: Place, gpu: Gpu, budget: float) -> str:
    """A table of the seconds that the parts and their steps will take."""
    lines, until = ["part         seconds  until  steps, in seconds"], 0.0
    for part in parts:
        steps = [(step.title, step.expected) for step in plan(part, place, gpu)]
        seconds = sum(expected for _, expected in steps)
        until += seconds
        said = "; ".join(f"{title.removeprefix(f'{part} ')} {expected:.0f}" for title, expected in steps)
        lines += textwrap.wrap(f"{part:<12} {seconds:7.0f} {until:6.0f}  {said}", WIDTH, subsequent_indent=" " * 29,
                               break_on_hyphens=False)
    return "\n".join([*lines, f"{'budget':<12} {budget:7.0f}         what does not fit is not run"])


def run_step(step: Step, budget: Budget, place: Place) -> Record:
    """Runs a step within its time limit, if it fits the time that is left."""
    record = Record(NOT_HERE, step.missing, UNAVAILABLE) if step.missing else _run_within(step, budget.left, place)
    if record.reason:
        say(f"{step.title}: {record.state}: {record.reason}")
    log = place.logs / step.log
    if record.state == WRONG and log.exists():
        for line in log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]:
            print(f"    {line}", file=sys.stderr, flush=True)
    return record


def _run_within(step: Step, left: float, place: Place) -> Record:
    if step.expected > left:
        return Record(NOT_RUN, f"takes about {step.expected:.0f} s, and {max(left, 0):.0f} s are left")
    say(f"{step.title} (about {step.expected:.0f} s)")
    log, written, limit = place.logs / step.log, place.logs / step.document, 3 * step.expected + SLACK
    if step.document:
        written.unlink(missing_ok=True)
    begin = time.monotonic()
    try:
        code = step.code_within(min(limit, left), log)
    except OSError as error:
        return Record(WRONG, f"cannot be started ({error.strerror})", FAILED)
    seconds = time.monotonic() - begin
    if code is None and limit >= left:
        return Record(NOT_RUN, f"the time was over after {seconds:.0f} s of it", seconds=seconds)
    if code is None:
        return Record(WRONG, f"took too long: it was ended after {seconds:.0f} s", FAILED, seconds)
    if code not in (VERIFIED, UNAVAILABLE):
        return Record(WRONG, f"exit code {code}", code, seconds)
    try:  # if some cases are not available, the others have been measured
        has_rows = bool(step.document) and written.exists() and any(not row.error for row in rows_of(load(written)))
    except FileProblem as problem:
        return Record(WRONG, str(problem), FAILED, seconds)
    if step.document and code == VERIFIED and not has_rows:
        return Record(WRONG, "measured nothing", FAILED, seconds)
    if has_rows and step.is_kept:
        written.replace(place.documents / step.document)
    if code == UNAVAILABLE and not has_rows:
        return Record(NOT_HERE, log.read_text(errors="replace").strip().rpartition("\n")[2], code, seconds)
    return Record(OK, "", VERIFIED, seconds)


def code_of(records: list[Record]) -> int:
    """The worst exit code of all steps that have run; UNAVAILABLE counts only if there is no other."""
    codes = [record.code for record in records if record.code is not None]
    return worst([code for code in codes if code != UNAVAILABLE] or [UNAVAILABLE])


def render(done: list[tuple[Step, Record]], place: Place) -> str:
    """The table: for each step how it ended, its time and the expected time, and below it its goals."""
    goals = {each.title: each.goals for benchmarks in BENCHMARKS.values() for each in benchmarks}
    found = {}
    for step, record in done:
        if step.is_kept and record.state == OK:
            rows = rows_of(load(place.documents / step.document))
            found[step.title] = [judge_runs(goal, rows) for goal in goals[step.title]]
    cells = [(each.goal.what, *each.cells()) for judges in found.values() for each in judges]
    widths = widths_of([HEADINGS, *cells])
    lines = ["state     took  about  part: step"]
    if cells:
        lines.append("  " + aligned(HEADINGS, widths, (0, 2, 7)))
    for step, record in done:
        head = f"{record.state:<8} {record.seconds:3.0f} s {step.expected:4.0f} s  "
        text = f"{head}{step.part}: {step.title}{f': {record.reason}' if record.reason else ''}"
        lines += textwrap.wrap(text, WIDTH, subsequent_indent=" " * len(head))
        for each in found.get(step.title, []):
            text = aligned((each.goal.what, *each.cells()), widths, (0, 2, 7))
            lines.append(f"  {text}" + "".join(f" ({trouble})" for trouble in each.troubles))
    states = [record.state for _, record in done]
    verdicts = [each.verdict for judges in found.values() for each in judges]
    lines += ["", "steps: " + ", ".join(f"{states.count(state)} {state}" for state in (OK, WRONG, NOT_RUN, NOT_HERE)),
              f"goals: {verdicts.count(Verdict.MET)} met, {verdicts.count(Verdict.MISSED)} missed, "
              f"{verdicts.count(Verdict.ABOVE)} above their limits"]
    return "\n".join(lines) + "\n"

"""The first hour on a GPU: builds for it, tests, measures, and says what it found.

It has parts, each of which ends within ten minutes and can run alone (--only). They run in this order:

    kernels       our kernels alone, checked and timed, beside cudaMemcpy and
                  cuBLAS; needs nvcc only
    build         programs and GPU tests, for the architecture of this GPU
    check         all that --list shows on cuda, once, on small problems
    cg fft stream matmul   the measurements, with what is promised of them
    tests         all tests that need a GPU
    counters      hardware counters: is a promise kept by accident? (ncu)
    memcheck racecheck synccheck   compute-sanitizer: memcheck over the device's
                  tests, the others over those of the kernels
    check-memory  the check under compute-sanitizer

A part that fails does not stop the others. Each leaves its documents, logs and a record in a folder
that is named after the GPU; page.md there says how each part went, and what was promised, measured
and expected. Steps for which no time was left are named; --resume runs them, and those that failed.
Records of parts that ran elsewhere can be put beside them: --only page writes the page anew.
The card's clocks and settings are never changed.

No network is needed, and nothing is installed. MPIEXEC names another MPI launcher; CMake looks where
CMAKE_PREFIX_PATH says. What this build or GPU cannot do is listed as not here, and is not a failure. A
missed promise does not change the exit code either."""

import argparse
import os
import tarfile
import time
from pathlib import Path
from typing import Optional

from quartet.command_line import add_launcher, seconds_or_none, some_of
from quartet.exit_codes import UNAVAILABLE, worst
from quartet.machine import Machine
from quartet.paths import RESULTS, ROOT
from quartet.results import judged_cases
from quartet.tables import table
from quartet.text import fraction, say
from quartet_dev.gpu import execution, page, record
from quartet_dev.gpu.counters import excuse
from quartet_dev.gpu.execution import Clock, summary
from quartet_dev.gpu.findings import Findings
from quartet_dev.gpu.parts import COUNTERS, GROUPS, PARTS, plan, wanted
from quartet_dev.gpu.steps import Gpu, Place, Step
from quartet_dev.limits.goals import Verdict

EXAMPLE = "quartet gpu --only build,tests"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of((*PARTS, *GROUPS)), default=PARTS, metavar="LIST",
                        help="some of these parts; also sanitize (the three tools), bench (the four "
                        "measurements), page")
    parser.add_argument("--budget", type=seconds_or_none, default=570, metavar="SECONDS",
                        help="time for each part (%(default)s)")
    parser.add_argument("--total", type=seconds_or_none, default=1800, metavar="SECONDS",
                        help="time for all parts (%(default)s)")
    parser.add_argument("--resume", action="store_true",
                        help="leaves out what passed before, by the records in --results")
    parser.add_argument("--archive", type=Path, metavar="FILE.tgz",
                        help="all results also go there, anew after each part")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "gpu",
                        help="build folder (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "gpu",
                        help="all results go to a folder there, named after the GPU (%(default)s)")
    parser.add_argument("--small", action="store_true",
                        help="measures small sizes, to try the command: the rates mean nothing")
    add_launcher(parser)
    parser.add_argument("--gpu", metavar="NAME,CAPABILITY", type=Gpu.parse,
                        help="instead of the one that nvidia-smi names: 'NVIDIA H200, 9.0'")


def run_part(part: str, place: Place, gpu: Gpu, budget: float, before: Optional[record.PartRecord]) -> list[Step]:
    """Runs a part's steps but those that passed before. It is planned when the part before is done: what can
    be checked, the programs say."""
    begin = time.monotonic()
    clock = Clock(budget)
    steps = plan(part, place, gpu)
    for step in steps:
        if before and before.restore(step):
            continue
        execution.run(step, clock, place.logs)
        if part == COUNTERS:
            excuse(step, place.logs)
    record.save(part, steps, place, gpu, time.monotonic() - begin)
    return steps


def run(options: argparse.Namespace) -> int:
    gpu = options.gpu or Gpu.here()
    if gpu is None:
        say("no GPU is here (nvidia-smi finds none): run it where there is one")
        return UNAVAILABLE
    place = Place(options.build.resolve(), options.launcher.resolve(),
                  (options.results / gpu.folder).resolve(), Machine.here(), options.small)
    for folder in (place.results, place.documents, place.logs, place.parts):
        folder.mkdir(parents=True, exist_ok=True)
    say(f"{gpu.name}, architecture {gpu.architecture}, {place.machine.cores} cores")
    steps, codes = [], []
    clock = Clock(options.total)
    before = ({part: each for part, each in records(place).items() if each.small == place.small}
              if options.resume else {})
    for part in wanted(options.only):
        of_part = run_part(part, place, gpu, min(options.budget, clock.left()), before.get(part))
        steps += of_part
        codes.append(record.code_of(of_part))
        page.write(place, gpu, PARTS, records(place))  # whatever becomes of the next one
        if options.archive:
            archive(place.results, options.archive)
    show(steps, page.write(place, gpu, PARTS, records(place)))
    print(os.path.relpath(place.results / page.PAGE))
    sure = [code for code in codes if code != UNAVAILABLE]
    return worst(sure or codes)


def archive(results: Path, file: Path) -> None:
    """Replaces the archive in one step: who copies it meanwhile gets a whole one."""
    new = file.with_name(file.name + ".new")
    with tarfile.open(new, "w:gz") as made:
        made.add(results, results.name)
    new.replace(file)


def records(place: Place) -> dict[str, record.PartRecord]:
    found = {part: record.load(place.parts, part) for part in PARTS}
    return {part: each for part, each in found.items() if each}


def show(steps: list[Step], found: Findings) -> None:
    if any(step.result for step in steps) and found.documents:
        print(table.render(judged_cases(found.documents)))
    print(summary(steps), end="")
    for each in found.kept:
        result = each.result
        if result and result.rounds and result.verdict is not Verdict.NOT_WANTED:
            print(f"{each.verdict:<8} {fraction(result.ratio):>5} {str(result.bound):<7} "
                  f"{each.kernel}: {each.promise.goal.what}, of {each.promise.goal.comparison.label}")

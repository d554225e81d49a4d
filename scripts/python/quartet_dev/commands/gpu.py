"""A number within minutes on a GPU: builds for it, measures, checks, and says what it found.

It has parts, which run in this order, as far as the time reaches. Before it starts it prints how many seconds each
will take; a step that does not fit what is left is not run, which is no failure.

    kernels       our kernels alone, checked and timed, beside cudaMemcpy and
                  cuBLAS; needs nvcc only
    build         the programs, for the architecture of the GPU
    cg fft matmul stream   the measurements, with their goals
    check         all that --list shows on cuda, once, on small problems
    larger        the measurements that take long
    tests         all tests that need a GPU
    counters      hardware counters: is a goal met by accident? (ncu)

And, where --only names them:

    memcheck racecheck synccheck   compute-sanitizer: memcheck over the device's
                  tests, the others over those of the kernels
    check-memory  the check under compute-sanitizer
    sanitize      these four
    bench         all measurements
    page          writes the page anew

A part that fails does not stop the others. Each leaves its documents, logs and a record in a folder
that is named after the GPU; page.md there says how each part went, which goals are met, and what was measured.
--resume runs what has not run, or failed. Records of parts that ran elsewhere can be put beside them.
The card's clocks and settings are never changed.

No network is needed, and nothing is installed. MPIEXEC names another MPI launcher; CMake looks where
CMAKE_PREFIX_PATH says. What this build or GPU cannot do is listed as not here, and is not a failure. A
missed goal does not change the exit code either."""

import argparse
import os
import tarfile
import textwrap
import time
from pathlib import Path

from quartet.command_line import add_launcher, seconds_or_none, some_of
from quartet.exit_codes import UNAVAILABLE, worst
from quartet.machine import Machine
from quartet.paths import RESULTS, ROOT
from quartet.results import judged_cases
from quartet.tables import table
from quartet.text import WIDTH, fraction, say
from quartet_dev.gpu import page
from quartet_dev.gpu.counters import excused
from quartet_dev.gpu.page import Findings
from quartet_dev.gpu.parts import COUNTERS, DEFAULT, GROUPS, PARTS, costs, forecast, plan, wanted
from quartet_dev.gpu.steps import OK, Clock, Gpu, PartRecord, Place, Record, code_of
from quartet_dev.gpu.steps import run as run_step

EXAMPLE = "quartet gpu --only build,tests"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of((*PARTS, *GROUPS)), default=DEFAULT, metavar="LIST",
                        help="some of these parts")
    parser.add_argument("--budget", type=seconds_or_none, default=600, metavar="SECONDS",
                        help="starts no step that would probably pass it, and ends what does (%(default)s)")
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


def run(options: argparse.Namespace) -> int:
    clock = Clock(options.budget)
    gpu = options.gpu or Gpu.here()
    if gpu is None:
        say("no GPU is here (nvidia-smi finds none): run it where there is one")
        return UNAVAILABLE
    place = Place(options.build.resolve(), options.launcher.resolve(),
                  (options.results / gpu.folder).resolve(), Machine.here(), options.small)
    for folder in (place.results, place.documents, place.logs, place.parts):
        folder.mkdir(parents=True, exist_ok=True)
    print(f"{gpu.name}, architecture {gpu.architecture}, {place.machine.cores} cores")
    parts = wanted(options.only)
    if parts:
        print(costs(parts, place, gpu, options.budget), flush=True)
    before = ({part: each for part, each in records(place).items() if each.small == place.small}
              if options.resume else {})
    steps: list[tuple[str, Record]] = []
    codes = []
    for part in parts:
        of_part = run_part(part, place, gpu, clock, before[part].steps if part in before else [])
        steps += [(part, record) for record in of_part]
        codes.append(code_of(of_part))
        page.write(place, gpu, records(place))  # whatever becomes of the next one
        if options.archive:
            archive(place.results, options.archive)
    show(steps, page.write(place, gpu, records(place)))
    print(os.path.relpath(place.results / page.PAGE))
    return worst([code for code in codes if code != UNAVAILABLE] or codes)


def run_part(part: str, place: Place, gpu: Gpu, clock: Clock, before: list[Record]) -> list[Record]:
    """Runs a part's steps but those that passed before. It is planned when the part before is done: what can
    be checked, the programs say."""
    begin = time.monotonic()
    passed = {record.title: record for record in before if record.state == OK}
    planned = plan(part, place, gpu) if clock.left() > 0 else forecast(part, place, gpu)
    steps = [passed.get(step.title) or run_step(step, clock, place) for step in planned]
    if part == COUNTERS:
        steps = [excused(record, place.logs) for record in steps]
    when = time.strftime("%Y-%m-%d %H:%M:%S %z")
    PartRecord(part, when, time.monotonic() - begin, place.small, steps).save(place.parts)
    return steps


def archive(results: Path, file: Path) -> None:
    """Replaces the archive in one step: who copies it meanwhile gets a whole one."""
    new = file.with_name(file.name + ".new")
    with tarfile.open(new, "w:gz") as made:
        made.add(results, results.name)
    new.replace(file)


def records(place: Place) -> dict[str, PartRecord]:
    found = {part: PartRecord.load(place.parts, part) for part in PARTS}
    return {part: each for part, each in found.items() if each}


def show(steps: list[tuple[str, Record]], found: Findings) -> None:
    """Prints the rates, how each step went and what it took beside what was expected, and the goals."""
    titles = {record.title for _, record in steps}
    goals = [each for each in found.judged if each.title in titles]
    if goals and found.documents:
        print(table.render(judged_cases(found.documents)))
    lines = [("state     took  about  step", "")] if steps else []
    for part, record in steps:
        note = f": {record.reason}" if record.reason else ""
        lines.append((f"{record.state:<8} {record.seconds:3.0f} s {record.expected:4.0f} s  ",
                      f"{part}: {record.title.removeprefix(f'{part} ')}{note}"))
    lines += [("verdict  ratio  goal", "")] if goals else []
    for each in goals:
        ratio = fraction(each.result.ratio) if each.result and each.result.rounds else ""
        lines.append((f"{each.verdict:<8} {ratio:>5}  {str(each.target.goal.bound):<7} ", each.what))
    for head, text in lines:
        print("\n".join(textwrap.wrap(head + text, WIDTH, subsequent_indent=" " * len(head))) or head)

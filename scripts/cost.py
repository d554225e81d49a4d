#!/usr/bin/env python3
"""Measures time and memory of each kernel over four doublings of the size, on two ranks, beside the
kernel's formulas. Prints the fitted and the expected exponents and draws a picture for each kernel
(needs matplotlib).

    scripts/cost.py                              # minutes; pictures in results/pictures/
    scripts/cost.py --only cg --pictures /tmp    # elsewhere
    scripts/cost.py --reuse                      # draws again what was measured

Memory is the largest rank's peak resident size, less what a tiny problem needs beyond its formula.
"start to first timed run" is an upper bound: a launch with limit, warm-up and one run, less that
run."""

import argparse
import json
import multiprocessing
import resource
import sys
from dataclasses import asdict, dataclass
from math import log2
from pathlib import Path
from typing import Optional

from quartet.command_line import add_launch_arguments, parser_of, run_script, some_of
from quartet.exit_codes import BAD_USAGE, STOPPED, VERIFIED, worst
from quartet.kernels import KERNELS
from quartet.launch import (Files, Job, LaunchError, LocalLauncher, Outcome, end_jobs_when_ended,
                            quiet_job)
from quartet.paths import RESULTS
from quartet.reporting.charts import style
from quartet.results import cases, load
from quartet.units import MIB
from quartet.wording import say, size as written

COSTS = {name: kernel.cost for name, kernel in KERNELS.items() if kernel.cost}
RANKS = 2
START_GOAL = 2.0  # seconds


def fitted(sizes: list[int], values: list[float]) -> float:
    """The exponent e of values ~ size^e, by least squares over the logarithms."""
    across, up = [log2(size) for size in sizes], [log2(value) for value in values]
    middle, level = sum(across) / len(across), sum(up) / len(up)
    return (sum((x - middle) * (y - level) for x, y in zip(across, up))
            / sum((x - middle) ** 2 for x in across))


@dataclass(frozen=True)
class Point:
    """What one size costs."""

    size: int
    seconds: float  # of the median run
    memory: float  # bytes of the largest rank


@dataclass(frozen=True)
class Cost:
    points: list[Point]
    start: float  # seconds until the first timed run of the smallest size, at most

    def store(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def stored(file: Path) -> "Cost":
        """Raises OSError where there is none."""
        data = json.loads(file.read_text(encoding="utf-8"))
        return Cost([Point(**point) for point in data["points"]], data["start"])


def _complete(launcher: LocalLauncher, job: Job, files: Files,
              timeout: float) -> tuple[Outcome, int]:
    """How the job ended, and the peak memory of its largest process, of all that this process ever
    started: hence a process for each job."""
    end_jobs_when_ended()
    try:
        outcome = launcher.complete(job, files, timeout)
    except KeyboardInterrupt:  # the other process says so
        sys.exit(STOPPED)
    return outcome, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


class Laboratory:
    """Launches a kernel at some size."""

    def __init__(self, options: argparse.Namespace):
        self._launcher = LocalLauncher(options.launcher)
        self._programs = options.build.resolve() / "bin"
        self._results = options.results
        self._timeout = options.timeout

    def cost(self, name: str) -> Cost:
        """Raises LaunchError."""
        kernel = COSTS[name]
        small, _ = self._launch(name, kernel.small, "--runs 1 --limits off")
        beside = small.memory - kernel.memory(kernel.small)  # libraries, MPI's own
        points = []
        for size in kernel.sizes:
            point, outcome = self._launch(name, size, "--runs 5 --limits off")
            points.append(Point(size, point.seconds, point.memory - beside))
            say(f"{name} {size} {kernel.unit}".rstrip() + f": {outcome.seconds:.1f} s")
        once, outcome = self._launch(name, kernel.sizes[0], "--runs 1")
        return Cost(points, outcome.seconds - once.seconds)

    def _launch(self, name: str, size: int, how_often: str) -> tuple[Point, Outcome]:
        stem = f"cost-{name}-{size}"
        files = Files(self._results / f"{stem}.json", self._results / f"{stem}.log")
        arguments = (*COSTS[name].arguments(size).split(), *how_often.split(), "--device", "host",
                     "--threads", "1")
        job = quiet_job(self._programs / name, RANKS, 1, arguments, files.document)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            outcome, memory = pool.apply(_complete, (self._launcher, job, files, self._timeout))
            pool.close()
            pool.join()  # it ends by itself: a signal is for one that has a job to end
        if outcome.exit_code != VERIFIED:
            raise LaunchError(outcome.exit_code, f"{name} {size}: {outcome.message}")
        return Point(size, cases(load(files.document))[0].seconds, memory), outcome


def describe(name: str, cost: Cost) -> str:
    """The sizes, and the exponents fitted and expected."""
    kernel, sizes = COSTS[name], [point.size for point in cost.points]
    last = cost.points[-1]
    lines = [f"{name}, {RANKS} ranks x 1 thread",
             f"{'n ' + kernel.unit:>12} {'ms':>10} {'as the last':>11} {'MiB a rank':>10} "
             f"{'formula':>10}"]
    for point in cost.points:
        foreseen = last.seconds * kernel.work(point.size) / kernel.work(last.size)
        lines.append(f"{point.size:>12} {1e3 * point.seconds:>10.2f} "
                     f"{point.seconds / foreseen:>10.2f}x {point.memory / MIB:>10.1f} "
                     f"{kernel.memory(point.size) / MIB:>10.1f}")
    time = fitted(sizes, [point.seconds for point in cost.points])
    memory = fitted(sizes, [max(point.memory, 1.0) for point in cost.points])
    lines += [f"  time ~ n^{time:.2f}; {kernel.time_formula}: "
              f"n^{fitted(sizes, [kernel.work(size) for size in sizes]):.2f}",
              f"  memory ~ n^{memory:.2f}; {kernel.memory_formula}: "
              f"n^{fitted(sizes, [kernel.memory(size) for size in sizes]):.2f}",
              f"  start to first timed run: {cost.start:.1f} s at most (goal <={START_GOAL:g}: "
              f"{'met' if cost.start <= START_GOAL else 'missed'})"]
    return "\n".join(lines)


def picture(name: str, cost: Cost):
    """Time and memory against the size as a figure, each with its formula: time's through the last
    size. Within the pictures' style."""
    kernel, last = COSTS[name], cost.points[-1]
    sizes = [point.size for point in cost.points]
    foreseen = [1e3 * last.seconds * kernel.work(size) / kernel.work(last.size) for size in sizes]
    panels = (("a run, ms", [1e3 * point.seconds for point in cost.points], foreseen,
               kernel.time_formula + ", through the last"),
              ("memory of a rank, MiB", [point.memory / MIB for point in cost.points],
               [kernel.memory(size) / MIB for size in sizes], kernel.memory_formula))
    figure = style.figure(260, 760)
    for axes, (title, measured, formula, label) in zip(figure.subplots(1, 2), panels):
        axes.loglog(sizes, formula, color=style.GREY, linestyle=style.DASHES[1], label=label,
                    base=2)
        axes.loglog(sizes, measured, style.marker("shm"), color=style.colour("native"),
                    label="measured", base=2)
        axes.set_title(f"{name}: {title}", loc="left", **style.TITLE)
        axes.set_xticks(sizes, [written(str(size)) for size in sizes])
        axes.set_xlabel(f"n, {kernel.unit}" if kernel.unit else "n")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.legend(borderaxespad=0.5)
    return figure


def draw(name: str, cost: Cost, file: Path) -> None:
    """Writes the picture."""
    with style.applied():
        style.save(picture(name, cost), file)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--only", type=some_of(COSTS), default=tuple(COSTS), metavar="LIST",
                        help=f"some of {','.join(COSTS)}")
    parser.add_argument("--reuse", action="store_true", help="measures nothing")
    parser.add_argument("--pictures", type=Path, default=RESULTS / "pictures",
                        help="where cost-KERNEL.png goes (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "limits",
                        help="where the documents go (%(default)s)")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS",
                        help="of one launch (%(default)s)")
    add_launch_arguments(parser)
    return parser.parse_args()


def study(name: str, options: argparse.Namespace) -> Optional[Cost]:
    """Measures, or finds what was measured; None where there is nothing."""
    file = options.results / f"cost-{name}.points"
    if options.reuse:
        return Cost.stored(file) if file.exists() else None
    cost = Laboratory(options).cost(name)
    cost.store(file)
    return cost


def main() -> int:
    options = parse_arguments()
    for folder in (options.results, options.pictures):
        folder.mkdir(parents=True, exist_ok=True)
    end_jobs_when_ended()
    codes = []
    for name in options.only:
        try:
            cost = study(name, options)
        except LaunchError as error:
            say(str(error))
            codes.append(error.code)
            continue
        except KeyboardInterrupt:
            say(f"interrupted while {name} was measured")
            return STOPPED
        if cost is None:
            say(f"{name} was not measured yet: leave out --reuse")
            codes.append(BAD_USAGE)
            continue
        print(describe(name, cost))
        if style.has_matplotlib():
            draw(name, cost, options.pictures / f"cost-{name}.png")
        else:
            say(f"no pictures: {style.NO_MATPLOTLIB}; then --reuse draws what was measured")
    return worst(codes)


if __name__ == "__main__":
    run_script(main)

"""Measures time and memory of each kernel over four doublings of the size, on two ranks, beside the
kernel's formulas. Prints the fitted and the expected exponents and draws a picture for each kernel
(needs matplotlib).

    quartet cost                           # minutes; draws in results/pictures/
    quartet cost --only cg --pictures /tmp # elsewhere
    quartet cost --reuse                   # draws again what was measured

Memory is the largest rank's peak resident size, less what a tiny problem needs beyond its formula.
"start to first timed run" is an upper bound: a launch with limit, warm-up and one run, less that
run."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from quartet.command_line import add_launch_arguments, seconds, some_of
from quartet.exit_codes import BAD_USAGE, STOPPED, worst
from quartet.files import make_folder, replacing
from quartet.launch import LaunchError, LocalLauncher
from quartet.paths import RESULTS
from quartet.report.charts import style
from quartet.text import say
from quartet.text import size as written
from quartet.units import MIB
from quartet_dev.cost import COSTS, Cost, Laboratory, describe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLE = "quartet cost --only cg"


def picture(name: str, cost: Cost) -> "Figure":
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
    with style.applied(), replacing(file) as aside:
        style.save(picture(name, cost), aside)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of(COSTS), default=tuple(COSTS), metavar="LIST",
                        help=f"some of {','.join(COSTS)}")
    parser.add_argument("--reuse", action="store_true", help="measures nothing")
    parser.add_argument("--pictures", type=Path, default=RESULTS / "pictures",
                        help="where cost-KERNEL.png goes (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "limits",
                        help="where the documents go (%(default)s)")
    parser.add_argument("--timeout", type=seconds, default=300, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    add_launch_arguments(parser)


def study(name: str, options: argparse.Namespace) -> Optional[Cost]:
    """Measures, or finds what was measured; None if there is nothing."""
    file = options.results / f"cost-{name}.points"
    if options.reuse:
        return Cost.stored(file) if file.exists() else None
    launcher, programs = LocalLauncher(options.launcher), options.build.resolve() / "bin"
    cost = Laboratory(launcher, programs, options.results, options.timeout).cost(name)
    cost.store(file)
    return cost


def run(options: argparse.Namespace) -> int:
    for folder in (options.results, options.pictures):
        make_folder(folder)
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

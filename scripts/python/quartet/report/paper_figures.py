"""Each kernel's rates as lines: the paper's Figures 7, 8, 10 and 11 with the results here. Rates on
fewer than three numbers of workers are a table, no chart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from quartet.kernels import Kernel
from quartet.predict.expectation import Expectations
from quartet.results.launches import SAME_LIMIT
from quartet.results.published import Number
from quartet.sizes import GROWTH
from quartet.text import rate
from quartet.units import MIB

from . import findings, predictions
from .cases import Limit, Result
from .charts.model import Axis, LineChart, Point, Series
from .factors import counted, factors, grouped, in_words, is_pair, natural, shown, size_of, usable
from .lines import FOLLOW_RANKS, Line, Panel, by, weak_sets
from .scaling import published_steps, speedups
from .sections import Section

MOST_LINES = 8  # in a chart
LEAST_POINTS = 3  # of a line that shows how something scales
WIDE = 30  # ratio of the greatest to the least value from which an axis is logarithmic
ALONE = ("Every problem was run on one number of workers, so nothing scales yet. The rates stand "
         "beside each other below.")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Report:
    """What stands above a kernel's charts."""

    introduction: str = ""
    arguments: str = ""  # of a run that fills the charts
    figure: Optional[int] = None  # the paper's


REPORTS = {
    "stream": Report("Rate at which a vector is pushed to another rank and added there, by its size and transport. "
                     "One push reads the source and updates the target once.", "--transport mpi,shm,rma", figure=7),
    "matmul": Report("Tiled single-precision product C = A B: 2N³ − N² operations over the time of the slowest "
                     "rank.", "--size 4096", figure=8),
    "cg": Report("Dense double-precision conjugate gradients: 2N² operations an iteration, as published; vector "
                 "operations are left out.", "--size 8192 --iterations 100", figure=10),
    "fft": Report("One complex double-precision transform over all ranks: 5N log₂N operations, however many are "
                  "done.", "--size 2^24 --formulation native,dataflow", figure=11)}


class Variants:
    """Numbers the lines of each formulation and transport, alike in all charts of a section."""

    def __init__(self) -> None:
        self._labels: dict[tuple[str, str], list[str]] = {}

    def of(self, line: Line) -> int:
        known = self._labels.setdefault((line.formulation, line.transport), [])
        if line.label not in known:
            known.append(line.label)
        return known.index(line.label)


@dataclass(frozen=True)
class Figure:
    """What the charts of a kernel show: rates by workers, or by size where there is no scaling."""

    kernel: Kernel

    @property
    def is_scaling(self) -> bool:
        return self.kernel.name in GROWTH

    @property
    def unit(self) -> str:
        return self.kernel.unit

    @property
    def x_label(self) -> str:
        return "workers (computing devices)" if self.is_scaling else "vector size in MiB"

    @property
    def fixed(self) -> tuple[str, ...]:
        """Factors that are alike in a chart."""
        return ("device", "n") if self.is_scaling else ("device", "ranks", "nodes")

    def x(self, result: Result) -> float:
        return result.workers if self.is_scaling else size_of(result) / MIB


def section(kernel: Kernel, results: list[Result], numbers: Sequence[Number],
            expected: Optional[Expectations] = None) -> Section:
    """A kernel's charts, with their tables and the conditions of the published numbers."""
    figure = Figure(kernel)
    ours = [result for result in usable(results) if result.name.kernel == kernel.name
            and result.unit == kernel.unit and not is_pair(result)]
    numbers = [number for number in numbers if number.kernel == kernel.name]
    rates = [number for number in numbers if number.unit != "speed-up"]
    charts, tables = [], []
    variants = Variants()
    for panel in _panels(figure, ours):
        about = ", ".join(filter(None, (panel.about, in_words(panel.common))))
        title = f"{kernel.name}: {about}"
        for start in range(0, len(panel.lines), MOST_LINES) if _is_chart(figure, panel) else ():
            charts.append(_chart(figure, about, panel.lines[start:start + MOST_LINES],
                                 [] if panel.about else rates,
                                 Variants() if panel.about else variants, expected))
            charts += _step_chart(charts[-1], panel.lines[start:start + MOST_LINES])
        if figure.is_scaling:
            tables += speedups(title, panel.lines, figure.unit)
    if figure.is_scaling and ours:
        tables += published_steps(ours, numbers)
    report = REPORTS.get(kernel.name, Report())
    return Section(
        slug=f"figure-{report.figure:02d}-{kernel.name}" if report.figure else kernel.name,
        title=kernel.name + (f": the paper's Figure {report.figure}" if report.figure else ""),
        introduction=report.introduction, charts=charts, tables=tables,
        notes=_notes(rates, ours) if charts else [],
        missing=ALONE if ours else f"No rows of {kernel.name} yet.",
        command="quartet sweep" if ours else
        f"quartet launch 2 {kernel.name} {report.arguments} "
        f"--json results/runs/{kernel.name}.json")


def _is_chart(figure: Figure, panel: Panel) -> bool:
    return not figure.is_scaling or any(len(line.points) >= LEAST_POINTS for line in panel.lines)


def _panels(figure: Figure, ours: list[Result]) -> list[Panel]:
    """A chart for every problem; one for each problem that grew with the workers."""
    if not figure.is_scaling:
        return [by(figure.x, members, ("size",)) for members in _fixed(figure, ours)]
    weak = weak_sets(ours)
    grown = {result.case.text for members in weak for result in members if result.name.size != members[0].name.size}
    strong = [members for members in _fixed(figure, ours)
              if not all(result.case.text in grown for result in members)]
    return [by(figure.x, members) for members in strong] + [
        by(figure.x, members, (*FOLLOW_RANKS, "n"),
           f"weak scaling from {shown('n', members[0].name.size)} on "
           f"{counted(members[0].workers, 'worker')}") for members in weak]


def _fixed(figure: Figure, ours: list[Result]) -> list[list[Result]]:
    """Cases by what is alike in a chart, in a natural order."""
    groups = grouped(ours, lambda result: (*(factors(result).get(key, "") for key in figure.fixed), result.machine))
    return [members for _, members in sorted(groups.items(), key=lambda item: natural(" ".join(item[0])))]


def _chart(figure: Figure, about: str, lines: list[Line], numbers: Sequence[Number],
           variants: "Variants", expected: Optional[Expectations]) -> LineChart:
    measured = [Series(line.label, tuple(
        Point(x, result.rate, result.interval, result.case.text, result.mark)
        for x, result in line.points), formulation=line.formulation, transport=line.transport,
        variant=variants.of(line)) for line in lines]
    xs = sorted({x for line in lines for x, _ in line.points})
    series = [*measured, *_limits(lines)]
    if figure.is_scaling:
        series += _ideal(lines, figure.unit)
    series += predictions.series(lines, expected)
    values = [point.y for item in series for point in item.points]
    drawn = [result for line in lines for _, result in line.points]
    series += _published(figure, numbers, xs, drawn)
    title = findings.of_scaling(lines) if figure.is_scaling else findings.of_sizes(lines, lambda x: f"{x:g} MiB")
    return LineChart(title, Axis(figure.x_label, True, tuple(xs)),
                     Axis(figure.unit, figure.is_scaling or max(values) / min(values) > WIDE),
                     tuple(series), f"{figure.kernel.name}: {about}", _doubts(lines))


def _doubts(lines: list[Line]) -> tuple[str, ...]:
    """The reason why each marked point is marked."""
    return tuple(f"{result.mark} {line.label} at {x:g}: {result.doubts}"
                 for line in lines for x, result in line.points if result.mark)


def _step_chart(chart: LineChart, lines: list[Line]) -> list[LineChart]:
    """Draws how long one push takes, if the documents count pushes."""
    measured = []
    for series, line in zip(chart.series, lines):  # the measured ones come first
        points = [_step(x, result) for x, result in line.points if _pushes(result)]
        if points:
            measured.append(replace(series, points=tuple(points)))
    if not measured:
        return []
    x = min(point.x for series in measured for point in series.points)
    sound = [(point.y, series.label) for series in measured for point in series.points
             if point.x == x and point.mark != "?"]  # above its limit a time may be quoted
    title = "A push of {:g} MiB takes {:.3g} us at best ({})".format(x, *min(sound)) if sound else findings.IN_DOUBT
    return [LineChart(title, chart.x,
                      Axis("microseconds a push", True), tuple(measured), chart.about, chart.notes)]


def _pushes(result: Result) -> float:
    return float(result.case.median.get("pushes") or 0)


def _step(x: float, result: Result) -> Point:
    """The median run's mean. Where pushes were timed one by one: their median, up to the 99% quantile."""
    steps = result.case.median.get("step_seconds") or {}
    if steps.get("p50") and steps.get("p99"):
        middle, high = (steps[key] * 1e6 for key in ("p50", "p99"))
        return Point(x, middle, (middle, high), result.case.text, result.mark)
    mean = result.case.seconds / _pushes(result) * 1e6
    return Point(x, mean, None, result.case.text, result.mark)


def _limits(lines: list[Line]) -> list[Series]:
    """Measured limits: one grey line where several lines have the same limit, else one in the colour of its line."""
    curves: list[tuple[str, list[Line], dict[float, list[float]]]] = []
    for line in lines:
        own = {x: result.limit for x, result in line.points if result.limit}
        if not own:
            continue
        what = next(iter(own.values())).what
        fitting = (curve for curve in curves if curve[0] == what and _agree(curve[2], own))
        curve = next(fitting, None)
        if curve is None:
            curve = (what, [], {})
            curves.append(curve)
        curve[1].append(line)
        for x, limit in own.items():
            curve[2].setdefault(x, []).append(limit.rate)
    made = []
    for what, owners, rates in curves:
        whose = "" if len(owners) > 1 or len(lines) == 1 else f" of {owners[0].label}"
        points = tuple(Point(x, sorted(found)[len(found) // 2]) for x, found in sorted(rates.items()))
        made.append(Series(f"limit{whose}: {what}", points, "limit",
                           formulation=owners[0].formulation if whose else ""))
    return made


def _agree(rates: dict[float, list[float]], own: dict[float, Limit]) -> bool:
    common = [x for x in rates if x in own]
    return bool(common) and all(1 / SAME_LIMIT < own[x].rate / rates[x][0] < SAME_LIMIT for x in common)


def _ideal(lines: list[Line], unit: str) -> list[Series]:
    """The ideal of each formulation: its best rate on its fewest workers, times the workers."""
    made = []
    for formulation in dict.fromkeys(line.formulation for line in lines):
        own = [line for line in lines if line.formulation == formulation]
        first, last = (choose(x for line in own for x, _ in line.points) for choose in (min, max))
        if first == last:
            continue
        base = max((dict(line.points)[first] for line in own if first in dict(line.points)),
                   key=lambda result: result.rate)
        made.append(Series(f"ideal {formulation}, from {rate(base.rate)}{base.mark} {unit} on "
                           f"{counted(first, 'worker')}",
                           tuple(Point(x, base.rate * x / first) for x in (first, last)), "ideal",
                           formulation=formulation))
    return made


def _published(figure: Figure, numbers: Sequence[Number], xs: list[float], ours: list[Result]) -> list[Series]:
    """Published rates that fit: points where the devices are known, else across the chart."""
    made = []
    for letter, number in _lettered(numbers, ours):
        if figure.is_scaling and number.workers:
            places: list[float] = [number.workers]
        else:
            places = [xs[0], xs[-1]] if len(xs) > 1 else [xs[0]]
        count = f"{number.workers} x " if number.workers and figure.is_scaling else ""
        protocol = f", {number.protocol.upper()}" if number.protocol else ""
        made.append(Series(f"published: {number.text}, {count}{number.device}{protocol}",
                           tuple(Point(x, number.value) for x in places), "published",
                           mark=letter))
    return made


def _lettered(numbers: Sequence[Number], ours: list[Result]) -> list[tuple[str, Number]]:
    """The rates that may stand beside one of ours."""
    return [(letter, number) for letter, number in zip(LETTERS, numbers)
            if any(number.fits(result) for result in ours)]


def _notes(numbers: Sequence[Number], ours: list[Result]) -> list[str]:
    """The conditions of every published rate that is drawn."""
    return [f"{letter}: {number.text}: {number.conditions} ({number.source})."
            + (f" {number.caveat[:1].upper()}{number.caveat[1:]}." if number.caveat else "")
            for letter, number in _lettered(numbers, ours)]

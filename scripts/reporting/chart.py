"""What a chart shows, apart from how it is drawn: svg.py and png.py draw, each can be a CSV."""

import math
from dataclasses import dataclass
from typing import Optional, Union

# Okabe and Ito's colours, which colour-blind readers can tell apart (yellow left out: too light).
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f6a00")
MARKERS = ("circle", "square", "triangle", "diamond", "down", "cross", "plus", "ring")
GREY = "#6b6b6b"

DASHES = {"native": "", "dataflow": "7 3", "library": "2 2"}


@dataclass(frozen=True)
class Axis:
    """`ticks` are the values to be named, with their names; none: chosen by the drawing."""

    label: str
    logarithmic: bool = False
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    interval: Optional[tuple[float, float]] = None
    about: str = ""  # which case it is


@dataclass(frozen=True)
class Series:
    """A line. `role`: measured, limit, ideal, or published (`mark` is its letter). `style` chooses
    colour and marker; none is grey, for what belongs to no single line."""

    label: str
    points: tuple[Point, ...]
    role: str = "measured"
    style: Optional[int] = None
    dash: str = ""
    mark: str = ""

    @property
    def colour(self) -> str:
        return GREY if self.style is None else PALETTE[self.style % len(PALETTE)]

    @property
    def marker(self) -> str:
        return MARKERS[(self.style or 0) % len(MARKERS)]


@dataclass(frozen=True)
class LineChart:
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]

    def range(self, axis: str) -> tuple[float, float]:
        """From the least to the greatest value, intervals included."""
        points = [point for series in self.series for point in series.points]
        values = [getattr(point, axis) for point in points]
        if axis == "y":
            values += [bound for point in points for bound in point.interval or ()]
        return min(values), max(values)

    def rows(self) -> list[tuple]:
        rows: list[tuple] = [("series", "role", self.x.label, self.y.label, "low", "high", "case")]
        for series in self.series:
            rows += [(series.label, series.role, point.x, point.y,
                      *(point.interval or ("", "")), point.about) for point in series.points]
        return rows


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str  # the value as shown
    interval: Optional[tuple[float, float]] = None
    style: int = 0
    about: str = ""
    flagged: bool = False  # drawn hatched: not to be trusted as it is


@dataclass(frozen=True)
class BarChart:
    """Horizontal bars from zero, in groups under headings."""

    title: str
    unit: str
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]
    reference: Optional[tuple[float, str]] = None  # a line through all bars, and its name

    def greatest(self) -> float:
        values = [bar.interval[1] if bar.interval else bar.value
                  for _, bars in self.groups for bar in bars]
        return max(values + ([self.reference[0]] if self.reference else []))

    def rows(self) -> list[tuple]:
        return [("group", "bar", self.unit, "low", "high", "case")] + [
            (group, bar.label, bar.value, *(bar.interval or ("", "")), bar.about)
            for group, bars in self.groups for bar in bars]


@dataclass(frozen=True)
class Stack:
    """One bar of parts, in the chart's order of parts, against a whole."""

    label: str
    parts: dict[str, float]  # seconds
    whole: float  # seconds
    text: str  # the whole as shown
    about: str = ""


@dataclass(frozen=True)
class StackChart:
    title: str
    unit: str
    names: tuple[str, ...]  # of all parts, in drawing order: a part's colour hangs on its place
    stacks: tuple[Stack, ...]

    def rows(self) -> list[tuple]:
        return [("bar", "part", "seconds", "seconds of the whole run", "case")] + [
            (stack.label, name, stack.parts[name], stack.whole, stack.about)
            for stack in self.stacks for name in self.names if name in stack.parts]


@dataclass(frozen=True)
class HeatMap:
    """values[row][column]; None where there is nothing."""

    title: str
    unit: str
    row_label: str
    column_label: str
    rows_named: tuple[str, ...]
    columns_named: tuple[str, ...]
    values: tuple[tuple[Optional[float], ...], ...]

    def known(self) -> list[float]:
        return [value for row in self.values for value in row if value is not None]

    def rows(self) -> list[tuple]:
        return [(self.row_label, self.column_label, self.unit)] + [
            (row, column, value)
            for row, values in zip(self.rows_named, self.values)
            for column, value in zip(self.columns_named, values) if value is not None]


Chart = Union[LineChart, BarChart, StackChart, HeatMap]


def steps(low: float, high: float) -> list[float]:
    """1, 2, 5, 10 .. around low to high (over three decades the decades alone): where a logarithmic
    axis is named."""
    decades = math.log10(high / low)
    factors = (1, 2, 5) if decades <= 3 else (1,)
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    values = [factor * 10.0**exponent for exponent in exponents for factor in factors]
    first = max(value for value in values if value <= low * 1.0001)
    last = min(value for value in values if value >= high * 0.9999)
    if first == last:
        last = values[values.index(first) + 1]
    return [value for value in values if first <= value <= last]


def rounds(high: float) -> list[float]:
    """Zero and round numbers up to the first above `high`: a linear axis's."""
    raw = high / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.9999)
    return [index * step for index in range(math.ceil(high / step * 0.9999) + 1)]

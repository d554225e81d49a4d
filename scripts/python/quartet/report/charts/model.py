"""What a chart shows, apart from how it is drawn. Each chart can be a table (`rows`). `title` says
what is to be seen, `about` what was measured, `notes` what to know of single points."""

from dataclasses import dataclass
from typing import Any, Optional, Union

from quartet.text import minute


@dataclass(frozen=True)
class Axis:
    """`ticks` are the values to be named; none: the drawing chooses."""

    label: str
    logarithmic: bool = False
    ticks: tuple[float, ...] = ()


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    interval: Optional[tuple[float, float]] = None
    about: str = ""  # which case it is
    mark: str = ""  # where it is not to be trusted: drawn hollow


@dataclass(frozen=True)
class Series:
    """A line. `role`: measured, limit, ideal, predicted (its intervals are a band), or published
    (`mark` is its letter). Without a formulation it is grey: it belongs to no single line. `variant`
    tells lines of the same formulation and transport apart."""

    label: str
    points: tuple[Point, ...]
    role: str = "measured"
    formulation: str = ""
    transport: str = ""
    variant: int = 0
    mark: str = ""


@dataclass(frozen=True)
class LineChart:
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = [("series", "role", self.x.label, self.y.label, "low", "high", "case",
                              "mark")]
        for series in self.series:
            rows += [(series.label, series.role, point.x, point.y, *(point.interval or ("", "")),
                      point.about, point.mark) for point in series.points]
        return rows


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str  # the value as shown
    interval: Optional[tuple[float, float]] = None
    formulation: str = ""
    about: str = ""
    mark: str = ""  # where it is not to be trusted: drawn hatched
    limit: Optional[float] = None  # its own, where that is not 100%
    reference: Optional[float] = None  # what the shipped results reached


@dataclass(frozen=True)
class BarChart:
    """Horizontal bars from zero, in groups under headings."""

    title: str
    unit: str
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    def bars(self) -> list[Bar]:
        return [bar for _, bars in self.groups for bar in bars]

    def rows(self) -> list[tuple[Any, ...]]:
        return [("group", "bar", self.unit, "low", "high", "case", "mark")] + [
            (group, bar.label, bar.value, *(bar.interval or ("", "")), bar.about, bar.mark)
            for group, bars in self.groups for bar in bars]


@dataclass(frozen=True)
class ShareChart(BarChart):
    """A group of bars for each kernel, in per cent of its limit: the group's name on the left, the
    bars' texts on the right."""

    def rows(self) -> list[tuple[Any, ...]]:
        heading, *rows = super().rows()
        return [(*heading, "own limit")] + [(*row, bar.limit or "") for row, bar in zip(rows, self.bars())]


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
    names: tuple[str, ...]  # of all parts, in drawing order
    stacks: tuple[Stack, ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[Any, ...]]:
        return [("bar", "part", "seconds", "seconds of the whole run", "case")] + [
            (stack.label, name, stack.parts[name], stack.whole, stack.about)
            for stack in self.stacks for name in self.names if name in stack.parts]


@dataclass(frozen=True)
class HeatMap:
    """values[row][column]; None if there is nothing."""

    title: str
    unit: str
    row_label: str
    column_label: str
    rows_named: tuple[str, ...]
    columns_named: tuple[str, ...]
    values: tuple[tuple[Optional[float], ...], ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[Any, ...]]:
        return [(self.row_label, self.column_label, self.unit)] + [
            (row, column, value)
            for row, values in zip(self.rows_named, self.values)
            for column, value in zip(self.columns_named, values) if value is not None]


@dataclass(frozen=True)
class Spot:
    """A case of a roofline."""

    group: str  # the kernel
    label: str
    intensity: float  # floating-point operations a byte
    rate: float  # GFLOP/s
    formulation: str = ""
    transport: str = ""
    mark: str = ""
    about: str = ""
    precision: str = ""


@dataclass(frozen=True)
class Roofline:
    """Rates over operations a byte, below what memory allows, and arithmetic in each precision."""

    title: str
    memory: float  # GB/s
    roofs: dict[str, float]  # GFLOP/s, by precision
    spots: tuple[Spot, ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[Any, ...]]:
        return [("kernel", "way", "precision", "operations a byte", "GFLOP/s", "case", "mark"),
                ("roof", "memory, GB/s", "", "", self.memory, "", ""),
                *(("roof", "arithmetic", precision, "", rate, "", "") for precision, rate in self.roofs.items()),
                *((spot.group, spot.label, spot.precision, spot.intensity, spot.rate, spot.about, spot.mark)
                  for spot in self.spots)]


@dataclass(frozen=True)
class Curve:
    """Of one node: times in seconds since 1970, with what was reached then."""

    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Timeline:
    """Curves over time. A mark is a change from its first time to its second one; a moment has them equal. The notes
    explain the marks in their order."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    marks: tuple[tuple[float, float], ...] = ()
    about: str = ""
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[Any, ...]]:
        return [("node", "time", self.unit)] + [
            (curve.label, minute(time), value) for curve in self.curves for time, value in curve.points]


Chart = Union[LineChart, BarChart, StackChart, HeatMap, Roofline, Timeline]  # a ShareChart is a BarChart

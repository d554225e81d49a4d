"""Line charts as SVG."""

import math
from dataclasses import dataclass

from quartet.table import rate

from .chart import Axis, LineChart, Series, rounds, steps
from .markup import Markup, tag
from .svg import (GREY, INK, LEFT, LINE, RIGHT, WIDTH, Canvas, marker, whisker, width_of,
                  wrapped)

HEIGHT = 220  # of the plot itself
SAMPLE = 30  # width of a legend's sample of its line
LINES = {"limit": ("1 3", 1.6), "ideal": ("9 4", 1.0), "published": ("4 3", 1.0)}


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    first: float
    last: float
    logarithmic: bool

    def __call__(self, value: float) -> float:
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)


def draw(chart: LineChart) -> Markup:
    canvas = Canvas()
    canvas.title(chart.title)
    for series in chart.series:
        _legend(canvas, series)
    canvas.y += LINE + 3
    canvas.text(0, canvas.y, chart.y.label, fill=GREY)
    top = canvas.y + 12
    x = _x_scale(chart)
    y, y_ticks = _y_scale(chart, top)
    _grid(canvas, chart.x, x, y, y_ticks)
    for series in sorted(chart.series, key=lambda item: item.role == "measured"):
        _series(canvas, series, x, y, chart.y.label)
    _marks(canvas, chart, x, y)
    canvas.y = top + HEIGHT + 2 * LINE + 4
    canvas.text((LEFT + WIDTH - RIGHT) / 2, canvas.y, chart.x.label, "middle", fill=GREY)
    return canvas.svg(chart.title)


def _x_scale(chart: LineChart) -> Scale:
    low, high = chart.range("x")
    if low == high:
        low, high = (low / 2, high * 2) if chart.x.logarithmic else (low - 1, high + 1)
    return Scale(low, high, LEFT + 24, WIDTH - RIGHT - 12, chart.x.logarithmic)


def _y_scale(chart: LineChart, top: float) -> tuple[Scale, list[float]]:
    low, high = chart.range("y")
    ticks = steps(low, high) if chart.y.logarithmic else rounds(high)
    return Scale(ticks[0], ticks[-1], top + HEIGHT, top, chart.y.logarithmic), ticks


def _grid(canvas: Canvas, axis: Axis, x: Scale, y: Scale, y_ticks: list[float]) -> None:
    for value in y_ticks:
        canvas.line(LEFT, y(value), WIDTH - RIGHT, y(value))
        name = f"{value:g}" if value < 1e5 else f"{value / 1000:g}k"
        canvas.text(LEFT - 5, y(value) + 4, name, "end", fill=GREY)
    canvas.line(LEFT, y(y_ticks[0]), WIDTH - RIGHT, y(y_ticks[0]), INK)
    free_from = -math.inf
    for value, name in axis.ticks:
        half = width_of(name) / 2
        canvas.line(x(value), y(y_ticks[0]), x(value), y(y_ticks[0]) + 4, INK)
        if x(value) - half > free_from:  # names must not touch
            canvas.text(x(value), y(y_ticks[0]) + LINE + 1, name, "middle", fill=GREY)
            free_from = x(value) + half + 5


def _legend(canvas: Canvas, series: Series) -> None:
    for index, text in enumerate(wrapped(series.label, WIDTH - SAMPLE - 14)):
        canvas.y += LINE
        canvas.text(SAMPLE + 6, canvas.y, text)
        if index == 0:
            _sample(canvas, series, canvas.y - 4)


def _sample(canvas: Canvas, series: Series, y: float) -> None:
    if series.role == "published" and len(series.points) == 1:
        canvas.add(marker("published", 8, y, GREY))
        canvas.text(16, y + 4, series.mark, font_style="italic")
        return
    dash, width = LINES.get(series.role, (series.dash, 2))
    canvas.line(0, y, SAMPLE - (8 if series.mark else 0), y, series.colour, width, dash)
    if series.role == "measured":
        canvas.add(marker(series.marker, SAMPLE / 2, y, series.colour))
    elif series.mark:
        canvas.text(SAMPLE - 5, y + 4, series.mark, font_style="italic")


def _series(canvas: Canvas, series: Series, x: Scale, y: Scale, unit: str) -> None:
    dash, width = LINES.get(series.role, (series.dash, 2))
    places = [(x(point.x), y(point.y)) for point in series.points]
    if len(places) > 1:
        canvas.add(tag("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places),
                       fill="none", stroke=series.colour, stroke_width=float(width),
                       stroke_dasharray=dash or None))
    for point, (a, b) in zip(series.points, places):
        if point.interval:
            whisker(canvas, a, *map(y, point.interval), series.colour)
        if series.role == "measured":
            canvas.add(marker(series.marker, a, b, series.colour, _about(series, point, unit)))
        elif len(places) == 1:
            shape = "published" if series.role == "published" else "dash"
            canvas.add(marker(shape, a, b, series.colour, _about(series, point, unit)))


def _marks(canvas: Canvas, chart: LineChart, x: Scale, y: Scale) -> None:
    """The letters of published numbers: left of a point, at the right edge of a line across the
    chart, none upon another."""
    taken: list[tuple[float, float]] = []
    marked = [series for series in chart.series if series.mark]
    for series in sorted(marked, key=lambda item: -item.points[0].y):
        point = series.points[0]
        across = WIDTH - RIGHT + 3 if len(series.points) > 1 else x(point.x) - 16
        down = y(point.y) + 4
        while any(abs(across - a) < 12 and abs(down - b) < LINE for a, b in taken):
            down += 1
        taken.append((across, down))
        canvas.text(across, down, series.mark, font_style="italic")


def _about(series: Series, point, unit: str) -> str:
    between = f" ({rate(point.interval[0])} to {rate(point.interval[1])})" if point.interval else ""
    return f"{series.label}: {rate(point.y)} {unit}{between} {point.about}".strip()

"""Line charts."""

import math
from dataclasses import replace
from typing import Any, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from quartet.text import rate

from . import style
from .model import Axis, LineChart, Point, Series
from .parts import SAMPLE, framed, tooltip
from .text import plain, width

PLOT = 280.0  # height of the plot with its axes' names, in points
ROLES = {"limit": ((0, (1, 2)), 1.6), "ideal": ((0, (9, 4)), 1.0), "published": ((0, (4, 3)), 1.0),
         "predicted": ((0, (3, 2)), 1.4)}
BAND = 0.15  # opacity
TICKS_APART = 6.0  # points between the names of ticks
MARKS_APART = 14.0  # points between two equal marks


def draw(chart: LineChart, across: float) -> Figure:
    """The axes fit what was measured here; what was published outside them is drawn at their edge."""
    keys = _keys(chart)
    are_short = all(width(text) < across / 2 - SAMPLE for _, text in keys)
    figure, body = framed(chart, keys, PLOT, across, 2 if are_short else 1)
    axes = body.subplots()
    ours = [series for series in chart.series if series.role != "published"] or chart.series
    for series in sorted(ours, key=lambda item: item.role == "measured"):
        _draw(axes, series, chart.y.label)
    _scale_x(axes, chart.x, ours)
    _scale_y(axes, chart.y, ours)
    _draw_marks(axes, ours)
    _draw_published(axes, [series for series in chart.series if series.role == "published"], chart.y.label)
    axes.grid(True, axis="y")
    axes.set_xlabel(plain(chart.x.label))
    axes.set_title(plain(chart.y.label), loc="left", size=style.TEXT, color=style.GREY)
    return figure


def _keys(chart: LineChart) -> list[tuple[Line2D, str]]:
    """One for all that was published: the page lists it."""
    drawn = {series.label: series for series in chart.series if series.role != "published"}
    keys = [(_sample(series), label) for label, series in drawn.items()]
    published = [series for series in chart.series if series.role == "published"]
    if published:
        letters = ", ".join(series.mark for series in published)
        keys.append((_sample(replace(published[0], points=published[0].points[:1])), f"published: {letters}"))
    return keys


def _look(series: Series) -> dict[str, Any]:
    """Returns the style of the series' line."""
    if series.role == "measured":
        return {"color": style.colour(series.formulation), "linestyle": style.dash(series.variant)}
    dashes, wide = ROLES[series.role]
    return {"color": style.colour(series.formulation), "linestyle": dashes, "linewidth": wide}


def _point(series: Series) -> dict[str, Any]:
    """Returns the style of a series' point; nothing for a line without points."""
    shade = style.colour(series.formulation)
    if series.role == "measured":
        is_full = style.fill(series.variant) != "none"
        return {"marker": style.marker(series.transport), "color": shade,
                "fillstyle": style.fill(series.variant) if is_full else "full",
                "markerfacecolor": shade if is_full else style.PAPER,
                "markerfacecoloralt": style.PAPER}
    if len(series.points) > 1 and series.role != "published":
        return {}
    return {"marker": "D" if series.role == "published" else "_", "color": shade,
            "markerfacecolor": style.PAPER, "markersize": 6.5 if series.role == "published" else 16}


def _sample(series: Series) -> Line2D:
    look = {**_look(series), **_point(series)}
    if series.role != "measured" and len(series.points) == 1:
        look["linestyle"] = "none"
    return Line2D([], [], **look)


def _draw(axes: Any, series: Series, unit: str) -> None:
    xs = [point.x for point in series.points]
    line, = axes.plot(xs, [point.y for point in series.points], label=plain(series.label), clip_on=False,
                      **_look(series))
    tooltip(line, series.label)
    if series.role == "predicted":
        bounds = [[point.interval[end] for point in series.points if point.interval] for end in (0, 1)]
        axes.fill_between(xs, *bounds, color=style.colour(series.formulation), alpha=BAND, linewidth=0)
        return
    point_look = _point(series)
    for point in series.points:
        if point.interval:
            axes.vlines(point.x, *point.interval, color=style.colour(series.formulation),
                        linewidth=1.2, clip_on=False)
        if point_look:
            hollow = {"fillstyle": "full", "markerfacecolor": style.PAPER} if point.mark else {}
            drawn, = axes.plot([point.x], [point.y], clip_on=False, **{**point_look, **hollow})
            tooltip(drawn, _about(series, point, unit))


def _draw_marks(axes: Any, shown: Sequence[Series]) -> None:
    """Above each point that has one; once where points with the same mark lie on one another."""
    drawn: list[tuple[str, float, float]] = []
    for point in (point for series in shown if series.role != "predicted" for point in series.points if point.mark):
        x, y = axes.transData.transform((point.x, point.y)) * style.POINTS_PER_INCH / axes.figure.dpi
        if not any(mark == point.mark and abs(x - left) < MARKS_APART and abs(y - low) < MARKS_APART
                   for mark, left, low in drawn):
            drawn.append((point.mark, x, y))
            axes.annotate(point.mark, (point.x, point.y), xytext=(0, 6), ha="center",
                          textcoords="offset points", weight="bold", annotation_clip=False)


def _about(series: Series, point: Point, unit: str) -> str:
    between = f" ({rate(point.interval[0])} to {rate(point.interval[1])})" if point.interval else ""
    return f"{series.label}: {rate(point.y)}{point.mark} {unit}{between} {point.about}".strip()


def _scale_x(axes: Any, axis: Axis, shown: Sequence[Series]) -> None:
    xs = sorted({point.x for series in shown for point in series.points})
    if axis.logarithmic:
        axes.set_xscale("log", base=2)
        low, high = math.log2(xs[0]), math.log2(xs[-1])
        beside = 0.06 * (high - low) or 1
        axes.set_xlim(2 ** (low - beside), 2 ** (high + beside))
    ticks = _apart(axis, xs[0], xs[-1])
    if ticks:
        axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(axis: Axis, low: float, high: float) -> list[float]:
    """The ticks whose names do not touch their neighbours'."""
    def place(value: float) -> float:
        if high == low:
            return 0.5
        return math.log(value / low) / math.log(high / low) if axis.logarithmic else (value - low) / (high - low)

    chosen: list[float] = []
    free_from = -math.inf
    for value in axis.ticks:
        half = width(f"{value:g}") / 2
        at = place(value) * style.WIDTH * 0.75
        if at - half >= free_from:
            chosen.append(value)
            free_from = at + half + TICKS_APART
    return chosen


def _scale_y(axes: Any, axis: Axis, shown: Sequence[Series]) -> None:
    """Scales the axis from one round number to another, around all values and their intervals."""
    points = [point for series in shown for point in series.points]
    values = [value for point in points for value in (point.y, *(point.interval or ()))]
    high = max(values)
    if axis.logarithmic:
        low = min(value for value in values if value > 0)
        axes.set_yscale("log")
        locator = LogLocator(subs=(1, 2, 5) if high / low <= 1000 else (1,), numticks=20)
    else:
        low, locator = 0.0, MaxNLocator(5, steps=(1, 2, 2.5, 5, 10))
    ticks = sorted(float(tick) for tick in locator.tick_values(low, high * 1.001))
    first = max((tick for tick in ticks if tick <= low * 1.0001), default=low)
    last = min((tick for tick in ticks if tick >= high * 0.9999), default=high)
    axes.set_ylim(first, last)
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if first <= tick <= last]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _short(value: float, _place: Any = None) -> str:
    return f"{value:g}" if value < 1e5 else f"{value / 1000:g}k"


def _draw_published(axes: Any, shown: list[Series], unit: str) -> None:
    """Each by its letter: a line or a point where it is within the axes, else an arrow at the edge.
    Letters that would lie on one another share a place."""
    places: dict[tuple[float, float, str], list[str]] = {}
    for series in sorted(shown, key=lambda item: -item.points[-1].y):
        (x, y), marker = _placed(axes, series.points[-1])
        if marker == "D" and len(series.points) > 1:
            _draw(axes, replace(series, points=tuple(point for point in series.points)), unit)
        fitting = (letters for (there, height, kind), letters in places.items()
                   if kind == marker and abs(there - x) < 0.02
                   and abs(height - y) * PLOT < style.LINE * 1.3)
        letters = next(fitting, None)
        if letters is None:
            letters = places.setdefault((x, y, marker), [])
        letters.append(series.mark)
        drawn, = axes.plot([x], [y], transform=axes.transAxes, clip_on=False,
                           **{**_point(replace(series, points=series.points[:1])), "marker": marker})
        tooltip(drawn, _about(series, series.points[-1], unit))
    for (x, y, _), letters in places.items():
        axes.annotate(", ".join(letters), (x, y), xycoords="axes fraction", xytext=(-8, 0),
                      textcoords="offset points", ha="right", va="center_baseline", style="italic",
                      annotation_clip=False)


def _placed(axes: Any, point: Point) -> tuple[tuple[float, float], str]:
    """Places a published point, in shares of the axes, and chooses its marker."""
    to_share = axes.transScale + axes.transLimits
    x, y = (float(share) for share in to_share.transform((point.x, point.y)))
    marker = "^" if y > 1 else "v" if y < 0 else ">" if x > 1 else "<" if x < 0 else "D"
    return (min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)), marker

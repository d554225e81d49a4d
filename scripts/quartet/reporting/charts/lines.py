"""Line charts."""

import math

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from quartet.wording import rate

from . import style
from .model import Axis, LineChart, Point, Series
from .parts import framed, tooltip
from .text import plain, width

PLOT = 280.0  # height of the plot with its axes' names, in points
ROLES = {"limit": ((0, (1, 2)), 1.6), "ideal": ((0, (9, 4)), 1.0), "published": ((0, (4, 3)), 1.0)}
TICKS_APART = 6.0  # points between the names of ticks


def draw(chart: LineChart, across: float) -> Figure:
    keys = [(_sample(series), _marked(series)) for series in chart.series]
    figure, body = framed(chart.title, keys, PLOT, across)
    axes = body.subplots()
    for series in sorted(chart.series, key=lambda item: item.role == "measured"):
        _draw(axes, series, chart.y.label)
    _scale_x(axes, chart)
    _scale_y(axes, chart)
    _name_marks(axes, chart)
    axes.grid(True, axis="y")
    axes.set_xlabel(plain(chart.x.label))
    axes.set_title(plain(chart.y.label), loc="left", size=style.TEXT, color=style.GREY)
    return figure


def _marked(series: Series) -> str:
    return f"{series.mark}: {series.label}" if series.mark else series.label


def _look(series: Series) -> dict:
    """How the series' line is drawn."""
    if series.role == "measured":
        return {"color": style.colour(series.formulation), "linestyle": style.dash(series.variant)}
    dashes, wide = ROLES[series.role]
    return {"color": style.colour(series.formulation), "linestyle": dashes, "linewidth": wide}


def _point(series: Series) -> dict:
    """How a point of the series is drawn; nothing for a line without points."""
    shade = style.colour(series.formulation)
    if series.role == "measured":
        is_full = style.fill(series.variant) != "none"
        return {"marker": style.marker(series.transport), "color": shade,
                "fillstyle": style.fill(series.variant) if is_full else "full",
                "markerfacecolor": shade if is_full else "white", "markerfacecoloralt": "white"}
    if len(series.points) > 1:
        return {}
    return {"marker": "D" if series.role == "published" else "_", "color": shade,
            "markerfacecolor": "white", "markersize": 6.5 if series.role == "published" else 16}


def _sample(series: Series) -> Line2D:
    look = {**_look(series), **_point(series)}
    if series.role != "measured" and len(series.points) == 1:
        look["linestyle"] = "none"
    return Line2D([], [], **look)


def _draw(axes, series: Series, unit: str) -> None:
    line, = axes.plot([point.x for point in series.points], [point.y for point in series.points],
                      label=plain(series.label), clip_on=False, **_look(series))
    tooltip(line, series.label)
    point_look = _point(series)
    for point in series.points:
        if point.interval:
            axes.vlines(point.x, *point.interval, color=style.colour(series.formulation),
                        linewidth=1.2, clip_on=False)
        if point_look:
            drawn, = axes.plot([point.x], [point.y], clip_on=False, **point_look)
            tooltip(drawn, _about(series, point, unit))


def _about(series: Series, point: Point, unit: str) -> str:
    between = f" ({rate(point.interval[0])} to {rate(point.interval[1])})" if point.interval else ""
    return f"{series.label}: {rate(point.y)} {unit}{between} {point.about}".strip()


def _scale_x(axes, chart: LineChart) -> None:
    xs = sorted({point.x for series in chart.series for point in series.points})
    if chart.x.logarithmic:
        axes.set_xscale("log", base=2)
        low, high = math.log2(xs[0]), math.log2(xs[-1])
        beside = 0.06 * (high - low) or 1
        axes.set_xlim(2 ** (low - beside), 2 ** (high + beside))
    ticks = _apart(chart.x, xs[0], xs[-1])
    if ticks:
        axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(axis: Axis, low: float, high: float) -> list[float]:
    """The ticks whose names do not touch their neighbours'."""
    def place(value: float) -> float:
        if high == low:
            return 0.5
        return math.log(value / low) / math.log(high / low) if axis.logarithmic else \
            (value - low) / (high - low)

    chosen: list[float] = []
    free_from = -math.inf
    for value in axis.ticks:
        half = width(f"{value:g}") / 2
        at = place(value) * style.WIDTH * 0.75
        if at - half >= free_from:
            chosen.append(value)
            free_from = at + half + TICKS_APART
    return chosen


def _scale_y(axes, chart: LineChart) -> None:
    """From round number to round number around all values, intervals included."""
    points = [point for series in chart.series for point in series.points]
    values = [value for point in points for value in (point.y, *(point.interval or ()))]
    high = max(values)
    if chart.y.logarithmic:
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


def _short(value: float, _place=None) -> str:
    return f"{value:g}" if value < 1e5 else f"{value / 1000:g}k"


def _name_marks(axes, chart: LineChart) -> None:
    """The letters of published numbers: left of a point, right of a line. Letters that would lie on
    one another share a place."""
    to_share = axes.transScale + axes.transLimits
    places: list[tuple[float, bool, float, list[str]]] = []
    marked = [series for series in chart.series if series.mark]
    for series in sorted(marked, key=lambda item: -item.points[0].y):
        end, is_line = series.points[-1], len(series.points) > 1
        height = to_share.transform((end.x, end.y))[1]
        fitting = (letters for x, kind, above, letters in places if (x, kind) == (end.x, is_line)
                   and (above - height) * PLOT < style.LINE * 1.3)
        letters = next(fitting, None)
        if letters is None:
            places.append((end.x, is_line, height, [series.mark]))
        else:
            letters.append(series.mark)
    for x, is_line, height, letters in places:
        axes.annotate(", ".join(letters), (x, height), xycoords=axes.get_xaxis_transform(),
                      xytext=(5 if is_line else -7, 0), textcoords="offset points",
                      ha="left" if is_line else "right", va="center_baseline", style="italic",
                      annotation_clip=False)

"""Curves over time, one a node."""

from datetime import datetime

from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from . import style
from .model import Timeline
from .parts import framed, tooltip
from .text import plain

PLOT = 230.0  # height of the plot with its axes' names, in points
LEVELS = 3  # of the marks' numbers, so that near ones do not touch


def draw(chart: Timeline, across: float) -> Figure:
    """The rates' axis does not begin at zero: changes of some per cent are to be seen."""
    colours = dict(zip(chart.curves, style.NODES))
    figure, body = framed(chart, [(Line2D([], [], color=colour), curve.label) for curve, colour in colours.items()],
                          PLOT, across, 3)
    axes = body.subplots()
    for curve, colour in colours.items():
        line, = axes.plot([_number(time) for time, _ in curve.points], [value for _, value in curve.points],
                          color=colour, linewidth=1)
        tooltip(line, curve.label)
    axes.margins(y=0.2)
    for number, (begin, end) in enumerate(chart.marks):
        axes.axvspan(_number(begin), _number(end), color=style.GREY, alpha=0.2 if end > begin else 1, zorder=0)
        axes.annotate(str(number + 1), (_number(begin), 1), xycoords=("data", "axes fraction"), weight="bold",
                      xytext=(3, -style.LINE * (1 + number % LEVELS) + 3), textcoords="offset points")
    locator = AutoDateLocator(maxticks=6)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 2.5, 5, 10)))
    axes.grid(True, axis="y")
    axes.set_title(plain(chart.unit), loc="left", size=style.TEXT, color=style.GREY)
    return figure


def _number(seconds: float) -> float:
    return float(date2num(datetime.fromtimestamp(seconds)))

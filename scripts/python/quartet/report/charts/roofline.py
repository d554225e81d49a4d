"""Rooflines (Williams, Waterman and Patterson, Comm. ACM 52, 2009)."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from quartet.text import rate

from . import style
from .model import Roofline, Spot
from .parts import framed, tooltip
from .text import plain

PLOT = 300.0  # height of the plot with its axes' names, in points


def draw(chart: Roofline, across: float) -> Figure:
    """Both axes logarithmic; a kernel's name stands above its spots, which lie on one another."""
    figure, body = framed(chart, _keys(chart), PLOT, across, 3)
    axes = body.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    intensities = [spot.intensity for spot in chart.spots]
    left, right = min(*intensities, chart.ridge) / 3, max(*intensities, chart.ridge) * 4
    low = min(min(spot.rate for spot in chart.spots), chart.memory * min(intensities)) / 2
    axes.set_xlim(left, right)
    axes.set_ylim(low, max(chart.arithmetic, max(spot.rate for spot in chart.spots)) * 2.2)
    axes.plot([left, chart.ridge, right],
              [left * chart.memory, chart.arithmetic, chart.arithmetic], color=style.INK, linewidth=1.4)
    axes.annotate(plain(f"arithmetic: {rate(chart.arithmetic)} GFLOP/s"),
                  (chart.ridge, chart.arithmetic), xytext=(0, 5), textcoords="offset points",
                  color=style.GREY)
    axes.annotate(plain(f"memory: {rate(chart.memory)} GB/s"), (chart.ridge, chart.arithmetic),
                  xytext=(-16, -4), textcoords="offset points", ha="right", va="top", color=style.GREY)
    for spot in chart.spots:
        _draw(axes, spot)
    _name_groups(axes, chart)
    axes.set_xlabel("floating-point operations a byte")
    axes.set_title("GFLOP/s", loc="left", size=style.TEXT, color=style.GREY)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=8))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(True, axis="y")
    return figure


def _keys(chart: Roofline) -> list[tuple[Line2D, str]]:
    ways = dict.fromkeys((spot.formulation, spot.transport) for spot in chart.spots)
    return [(Line2D([], [], linestyle="none", marker=style.marker(transport),
                    color=style.colour(formulation)), f"{formulation} {transport}".strip())
            for formulation, transport in ways]


def _draw(axes: Any, spot: Spot) -> None:
    shade = style.colour(spot.formulation)
    drawn, = axes.plot([spot.intensity], [spot.rate], marker=style.marker(spot.transport), color=shade,
                       markerfacecolor=style.PAPER if spot.mark else shade, clip_on=False)
    tooltip(drawn, f"{spot.group} {spot.label}: {rate(spot.rate)} GFLOP/s{spot.mark} {spot.about}")
    if spot.mark:
        axes.annotate(spot.mark, (spot.intensity, spot.rate), xytext=(7, 0),
                      textcoords="offset points", va="center_baseline", weight="bold")


def _name_groups(axes: Any, chart: Roofline) -> None:
    """Below the lowest spot of each kernel and intensity."""
    lowest: dict[tuple[str, float], float] = {}
    for spot in chart.spots:
        key = (spot.group, round(spot.intensity, 6))
        lowest[key] = min(spot.rate, lowest.get(key, spot.rate))
    for (name, intensity), least in lowest.items():
        axes.annotate(plain(name), (intensity, least), xytext=(0, -9), textcoords="offset points",
                      ha="center", va="top", weight="bold")

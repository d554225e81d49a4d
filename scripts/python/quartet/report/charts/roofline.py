"""Rooflines (Williams, Waterman and Patterson, Comm. ACM 52, 2009)."""

from math import log
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
ROOF: dict[str, Any] = {"color": style.INK, "linewidth": 1.4}


def draw(chart: Roofline, across: float) -> Figure:
    """Both axes logarithmic; a kernel's name stands above its spots, which lie on one another."""
    figure, body = framed(chart, _keys(chart), PLOT, across, 3)
    axes = body.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    ridges = [rate / chart.memory for rate in chart.roofs.values()]
    places = [spot.intensity for spot in chart.spots]
    left, right = min(*places, *ridges) / 3, max(*places, *ridges) * 4
    low = min(min(spot.rate for spot in chart.spots), chart.memory * min(places)) / 2
    high = max(*chart.roofs.values(), *(spot.rate for spot in chart.spots)) * 2.2
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.plot([left, max(ridges)], [left * chart.memory, max(chart.roofs.values())], **ROOF)
    axes.annotate(plain(f"memory: {rate(chart.memory)} GB/s"), (max(ridges), max(chart.roofs.values())),
                  xytext=(-16, -4), textcoords="offset points", ha="right", va="top", color=style.GREY)
    for name in chart.roofs:
        _draw_roof(axes, chart, name, right, PLOT / log(high / low))
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


def _draw_roof(axes: Any, chart: Roofline, name: str, right: float, points_a_factor: float) -> None:
    """From where memory allows as much. Its name stands above it, or below if another roof is near above."""
    height = chart.roofs[name]
    ridge = height / chart.memory
    is_below = any(0 < log(other / height) * points_a_factor < style.LINE * 1.3 for other in chart.roofs.values())
    axes.plot([ridge, right], [height, height], **ROOF)
    axes.annotate(plain(f"{name}: {rate(height)} GFLOP/s"), (ridge, height), color=style.GREY,
                  xytext=(16, -4 if is_below else 4), textcoords="offset points", va="top" if is_below else "bottom")


def _keys(chart: Roofline) -> list[tuple[Line2D, str]]:
    ways = dict.fromkeys((spot.formulation, spot.transport) for spot in chart.spots)
    return [(Line2D([], [], linestyle="none", marker=style.marker(transport),
                    color=style.colour(formulation)), f"{formulation} {transport}".strip())
            for formulation, transport in ways]


def _draw(axes: Any, spot: Spot) -> None:
    shade = style.colour(spot.formulation)
    drawn, = axes.plot([spot.intensity], [spot.rate], marker=style.marker(spot.transport), color=shade,
                       markerfacecolor=style.PAPER if spot.mark else shade, clip_on=False, zorder=4)
    tooltip(drawn, f"{spot.group} {spot.label}: {rate(spot.rate)} GFLOP/s{spot.mark} {spot.about}")
    if spot.mark:
        axes.annotate(spot.mark, (spot.intensity, spot.rate), xytext=(7, 0),
                      textcoords="offset points", va="center_baseline", weight="bold")


def _name_groups(axes: Any, chart: Roofline) -> None:
    """Below the lowest spot of each kernel, precision (it says under which roof they are) and intensity."""
    lowest: dict[tuple[str, float], float] = {}
    several = len({spot.precision for spot in chart.spots}) > 1
    for spot in chart.spots:
        name = f"{spot.group} {spot.precision}" if several else spot.group
        key = (name, round(spot.intensity, 6))
        lowest[key] = min(spot.rate, lowest.get(key, spot.rate))
    for (name, intensity), least in lowest.items():
        beside = least > intensity * chart.memory / 2  # else it would lie on the slope
        axes.annotate(plain(name), (intensity, least), xytext=(4 if beside else 0, -8), textcoords="offset points",
                      ha="left" if beside else "center", va="top", weight="bold",
                      bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 1})

"""Bars, stacked bars, and the bars of all kernels against their limits."""

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import style
from .model import Bar, BarChart, ShareChart, Stack, StackChart
from .parts import framed, tooltip
from .text import lines_of, plain, width, wrapped

THICK = 0.72  # of a bar, in lines of text
AXIS = 3.0  # lines of text below the bars: ticks and the axis' name
HEADING = 1.3  # lines of text that a group's name takes
SHIPPED: dict[str, Any] = {"marker": "v", "color": style.GREY, "linestyle": "none", "clip_on": False}


def draw_bars(chart: BarChart, across: float) -> Figure:
    """Each bar below a line with its name and its value."""
    room = across - 16
    names = {id(bar): wrapped(bar.label, room - width(bar.text) - 12) for bar in chart.bars()}
    headings = [wrapped(heading, room, weight="bold") for heading, _ in chart.groups]
    rows = sum(lines_of(heading) - 1 + HEADING for heading in headings if heading) + sum(
        lines_of(name) + THICK + 0.4 for name in names.values())
    figure, body = framed(chart, _formulation_keys(chart), (rows + AXIS) * style.LINE, across, 3)
    greatest = max(value for bar in chart.bars() for value in (bar.value, *(bar.interval or ())))
    axes = _rows(body, rows, greatest)
    y = 0.0
    for heading, (_, bars) in zip(headings, chart.groups):
        if heading:
            y += lines_of(heading) - 1 + HEADING
            axes.text(0, y - 0.2, heading, weight="bold", va="bottom")
        for bar in bars:
            y += lines_of(names[id(bar)])
            _named(axes, y, names[id(bar)], bar.text)
            _bar(axes, y + THICK / 2, bar)
            y += THICK + 0.4
    axes.set_xlabel(plain(chart.unit))
    return figure


def _share_keys(chart: ShareChart) -> list[tuple[Artist, str]]:
    """Samples of the ticks and triangles, where there are any."""
    tick = Line2D([], [], color=style.INK, marker="|", linestyle="none", markersize=9, markeredgewidth=2.4)
    has_limits, has_references = (any(getattr(bar, name) for bar in chart.bars()) for name in ("limit", "reference"))
    return [(tick, "its own limit")] * has_limits + [
        (Line2D([], [], **SHIPPED), "native, shipped results")] * has_references


def _formulation_keys(chart: BarChart) -> list[tuple[Artist, str]]:
    used = [bar.formulation for bar in chart.bars()]
    return [(Patch(color=shade), name) for name, shade in style.FORMULATIONS.items() if name in used]


def _rows(body: Figure, rows: float, greatest: float) -> Axes:
    """Axes from zero whose y counts lines of text from the top."""
    axes = body.subplots()
    axes.set_xlim(0, greatest)
    axes.set_ylim(rows, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=6)
    return axes


def _upright(axes: Axes, x: float, top: float, bottom: float, thick: float = 1.2) -> None:
    axes.vlines(x, top, bottom, color=style.INK, linewidth=thick, zorder=3, clip_on=False)


def _named(axes: Axes, y: float, name: str, text: str) -> None:
    """The lines above a bar, the last of which ends at y."""
    axes.text(0, y - 0.1, name, va="bottom")
    axes.text(1, y - 0.1, plain(text), ha="right", va="bottom", color=style.GREY,
              transform=axes.get_yaxis_transform())


def _bar(axes: Axes, y: float, bar: Bar) -> None:
    shade = style.colour(bar.formulation)
    drawn, = axes.barh(y, bar.value, THICK, color=style.PAPER if bar.mark else shade,
                       edgecolor=shade, hatch="///" if bar.mark else None, linewidth=1)
    tooltip(drawn, f"{bar.label}: {bar.text} {bar.about}".strip())
    if bar.limit:
        _upright(axes, bar.limit, y - THICK / 2 - 0.1, y + THICK / 2 + 0.1, 2.4)
    if bar.reference:
        spot, = axes.plot(bar.reference, y - THICK / 2 - 0.1, **SHIPPED)
        tooltip(spot, f"the shipped results reached {bar.reference:.0f}%")
    if bar.interval:
        axes.errorbar(sum(bar.interval) / 2, y, xerr=(bar.interval[1] - bar.interval[0]) / 2,
                      color=style.INK, capsize=3, elinewidth=1.2, clip_on=False)


def draw_stacks(chart: StackChart, across: float) -> Figure:
    """Each bar of parts below a line with its name and its whole, on a track of the whole."""
    room = across - 16
    names = [wrapped(stack.label, room - width(stack.text) - 12) for stack in chart.stacks]
    rows = sum(lines_of(name) + 1.4 for name in names)
    used = [name for name in chart.names if any(name in stack.parts for stack in chart.stacks)]
    keys = [(Patch(color=style.PHASES[name]), name.replace("_", " ")) for name in used]
    figure, body = framed(chart, keys, (rows + AXIS) * style.LINE, across, 4)
    axes = _rows(body, rows, 100)
    y = 0.0
    for stack, name in zip(chart.stacks, names):
        y += lines_of(name)
        _named(axes, y, name, stack.text)
        _stack(axes, y + 0.5, chart.names, stack, room)
        y += 1.4
    axes.set_xlabel(f"{plain(chart.unit)}, per cent")
    return figure


def _stack(axes: Axes, y: float, order: tuple[str, ...], stack: Stack, room: float) -> None:
    """`room` is how many points wide the whole is drawn: the run, or the busy time of phases that overlap."""
    whole = max(stack.whole, sum(stack.parts.values()))
    axes.barh(y, 100, 0.9, color=style.TRACK)
    left = 0.0
    for name in (name for name in order if name in stack.parts):
        share = stack.parts[name] / whole
        shade = style.PHASES[name]
        drawn, = axes.barh(y, 100 * share, 0.9, left=left, color=shade, edgecolor=style.PAPER, linewidth=0.5)
        tooltip(drawn, f"{name}: {stack.parts[name]:.3g} s, {share:.1%} of the bar")
        if width(f"{share:.0%}") + 6 < share * room:
            axes.text(left + 50 * share, y, f"{share:.0%}", ha="center", va="center_baseline",
                      size=style.TEXT - 1, color=style.text_on(shade))
        left += 100 * share
    _upright(axes, 100, y - 0.6, y + 0.6)


def draw_shares(chart: ShareChart, across: float) -> Figure:
    """The groups' names on the left, the bars' texts on the right."""
    rows = sum(len(bars) + 0.6 for _, bars in chart.groups) + 0.8
    keys = [*_formulation_keys(chart), *_share_keys(chart)]
    figure, body = framed(chart, keys, (rows + AXIS) * style.LINE, across, 3)
    texts = max(width(bar.text) for bar in chart.bars())
    names = max(width(heading, weight="bold") for heading, _ in chart.groups)
    greatest = max(100.0, *(max(bar.value, bar.limit or 0, bar.reference or 0) for bar in chart.bars()))
    plot = across - texts - names - 40
    axes = _rows(body, rows, greatest * (1 + (texts + 12) / plot))
    axes.set_xticks(range(0, 101, 25))
    axes.spines["bottom"].set_bounds(0, 100)
    axes.grid(True, axis="x")
    axes.text(100.0, 0.8, "all ranks", ha="right", va="bottom", color=style.GREY)
    _upright(axes, 100.0, 0.9, rows)
    y, ticks = 1.0, []
    for heading, bars in chart.groups:
        ticks.append((y + len(bars) / 2, heading))
        for bar in bars:
            _bar(axes, y + 0.5, bar)
            axes.text(greatest * (1 + 10 / plot), y + 0.5, plain(bar.text), va="center_baseline")
            y += 1
        y += 0.6
    axes.set_yticks([place for place, _ in ticks], [plain(name) for _, name in ticks],
                    weight="bold", color=style.INK)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(plain(chart.unit), loc="left")
    return figure

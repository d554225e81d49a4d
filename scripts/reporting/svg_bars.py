"""Bar charts, stacked bars and heat maps as SVG."""

import math
from typing import Optional

from quartet.table import rate

from .chart import GREY, PALETTE, Bar, BarChart, HeatMap, Stack, StackChart
from .markup import Markup, tag
from .svg import INK, LINE, WIDTH, Canvas, clipped, width_of, wrapped

BAR = 11  # height
ROOM = WIDTH - 4.0  # width of bars and their texts
TRACK = "#eeeeee"  # the whole that a bar is a part of
PHASE_COLOURS = (*PALETTE[:6], "#f0e442", "#444444", "#c9c9c9", "#8b5a2b")
_DARK = {"#0072b2", "#d55e00", "#009e73", "#000000", "#7f6a00", "#444444", "#8b5a2b"}


def draw_bars(chart: BarChart) -> Markup:
    canvas = Canvas()
    canvas.title(chart.title)
    scale = ROOM / chart.greatest()
    reference = chart.reference[0] * scale if chart.reference else None
    if reference:
        canvas.y += LINE
        canvas.text(reference, canvas.y, chart.reference[1], "end", fill=GREY)
    for heading, bars in chart.groups:
        if heading:
            canvas.y += LINE + 6
            canvas.text(0, canvas.y, clipped(heading, ROOM), font_weight="600")
            canvas.y += 2
        for bar in bars:
            _bar(canvas, bar, scale, reference)
    _axis_name(canvas, chart.unit)
    return canvas.svg(chart.title)


def _bar(canvas: Canvas, bar: Bar, scale: float, reference: Optional[float]) -> None:
    """Its name and value on a line, the bar below it on a track."""
    colour = PALETTE[bar.style % len(PALETTE)]
    _named(canvas, bar.label, bar.text)
    y, length = canvas.y, bar.value * scale
    title = tag("title", f"{bar.label}: {bar.text} {bar.about}".strip())
    canvas.add(tag("rect", x=0, y=y, width=reference or ROOM, height=BAR, fill=TRACK),
               tag("rect", title, x=0.5 if bar.flagged else 0, y=y, width=length, height=BAR,
                   fill="#fff" if bar.flagged else colour, stroke=colour if bar.flagged else None,
                   stroke_dasharray="3 2" if bar.flagged else None))
    if reference:
        canvas.line(reference, y - 2, reference, y + BAR + 2, INK)
    if bar.interval:
        low, high = (bound * scale for bound in bar.interval)
        middle = y + BAR / 2
        canvas.add(tag("path", d=f"M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6"
                                 f"M{high:.1f} {middle - 3:.1f}v6", stroke=INK, stroke_width=1.2))
    canvas.y += BAR + 3


def _named(canvas: Canvas, name: str, text: str) -> None:
    """The line of text above a bar: its name, in as many lines as it needs, and its value."""
    for index, line in enumerate(wrapped(name, ROOM - width_of(text) - 12)):
        canvas.y += LINE if index else LINE + 2
        canvas.text(0, canvas.y, line)
    canvas.text(ROOM, canvas.y, text, "end", fill=GREY)
    canvas.y += 4


def _axis_name(canvas: Canvas, text: str) -> None:
    canvas.y += LINE + 2
    canvas.text(0, canvas.y, clipped(text, WIDTH), fill=GREY)


def draw_stacks(chart: StackChart) -> Markup:
    canvas = Canvas()
    canvas.title(chart.title)
    used = [name for name in chart.names if any(name in stack.parts for stack in chart.stacks)]
    _keys(canvas, chart, used)
    longest = max(max(sum(stack.parts.values()) / stack.whole, 1.0) for stack in chart.stacks)
    for stack in chart.stacks:
        _stack(canvas, chart, stack, ROOM / longest)
    _axis_name(canvas, chart.unit)
    return canvas.svg(chart.title)


def _phase_colour(chart: StackChart, name: str) -> str:
    return PHASE_COLOURS[chart.names.index(name) % len(PHASE_COLOURS)]


def _keys(canvas: Canvas, chart: StackChart, used: list[str]) -> None:
    x = 0.0
    canvas.y += LINE
    for name in used:
        needed = 16 + width_of(name) + 12
        if x and x + needed > WIDTH:
            x = 0.0
            canvas.y += LINE
        canvas.add(tag("rect", x=x, y=canvas.y - 9.0, width=11, height=10,
                       fill=_phase_colour(chart, name)))
        canvas.text(x + 16, canvas.y, name)
        x += needed
    canvas.y += 4


def _stack(canvas: Canvas, chart: StackChart, stack: Stack, scale: float) -> None:
    _named(canvas, stack.label, stack.text)
    canvas.add(tag("rect", x=0, y=canvas.y, width=scale, height=14, fill=TRACK))
    x = 0.0
    for name in chart.names:
        if name not in stack.parts:
            continue
        share = stack.parts[name] / stack.whole
        colour = _phase_colour(chart, name)
        title = tag("title", f"{name}: {stack.parts[name]:.3g} s, {share:.1%} of the run")
        canvas.add(tag("rect", title, x=x, y=float(canvas.y), width=share * scale, height=14,
                       fill=colour, stroke="#fff", stroke_width=0.5))
        if width_of(f"{share:.0%}") + 6 < share * scale:  # more only where it fits
            both = f"{name} {share:.0%}"
            canvas.text(x + share * scale / 2, canvas.y + 10.5,
                        both if width_of(both) + 6 < share * scale else f"{share:.0%}", "middle",
                        fill="#fff" if colour in _DARK else INK)
        x += share * scale
    canvas.line(scale, canvas.y - 2, scale, canvas.y + 16, INK)
    canvas.y += 16


def draw_map(chart: HeatMap) -> Markup:
    canvas = Canvas()
    canvas.title(chart.title)
    values = chart.known()
    low, high = min(values), max(values)
    columns = len(chart.columns_named)
    left = 12 + max(width_of(name) for name in chart.rows_named)
    edge = min(52.0, (WIDTH - left - 4) / columns)
    height = min(edge, 34.0)
    canvas.y += LINE
    canvas.text(0, canvas.y, f"rows: {chart.row_label} rank; columns: {chart.column_label} rank",
                fill=GREY)
    every = math.ceil(columns * 18 / (WIDTH - left))  # names must not touch
    canvas.y += LINE
    for index, name in enumerate(chart.columns_named[::every]):
        canvas.text(left + (index * every + 0.5) * edge, canvas.y, name, "middle", fill=GREY)
    canvas.y += 5
    for index, (name, row) in enumerate(zip(chart.rows_named, chart.values)):
        if index % every == 0:
            canvas.text(left - 6, canvas.y + height / 2 + 4, name, "end", fill=GREY)
        for column, value in enumerate(row):
            _cell(canvas, left + column * edge, (edge, height), value, high)
        canvas.y += height
    canvas.y += 6
    _axis_name(canvas, f"{chart.unit}: colour from 0 (light) to {rate(high)} (dark); "
                       f"least {rate(low)}")
    return canvas.svg(chart.title)


def _cell(canvas: Canvas, x: float, size: tuple[float, float], value, high: float) -> None:
    if value is None:
        return
    # From zero: a map that stretches its colours over noise would show differences there are not.
    share = value / high
    light, dark = (239, 246, 252), (0, 68, 122)
    red, green, blue = (round(a + (b - a) * share**1.5) for a, b in zip(light, dark))
    text = rate(value)
    canvas.add(tag("rect", tag("title", text), x=float(x), y=float(canvas.y), width=size[0] - 1,
                   height=size[1] - 1, fill=f"#{red:02x}{green:02x}{blue:02x}"))
    if width_of(text) + 2 < size[0]:
        canvas.text(x + size[0] / 2, canvas.y + size[1] / 2 + 4, text, "middle",
                    fill="#fff" if share > 0.55 else INK)

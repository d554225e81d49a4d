"""Draws charts, as SVG for the page and as files. Pictures have no title inside, so that papers can use them."""

import io
import math
import re
from pathlib import Path
from typing import Any, Callable, Sequence
from xml.etree import ElementTree

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from quartet.files import replacing, write_text
from quartet.text import rate

from . import style
from .page import Chart, Line, LineChart, Markup, Point, ShareChart, sound
from .style import plain

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
TOOLTIP = "tooltip: "  # begins the id of a drawn thing that has one
ENDINGS = ("svg", "png", "pdf")
ALONE = 640.0  # width of a picture of all kernels, in points
FURTHEST = 125  # per cent that are shown
PLOT = 250.0  # height of a plot of lines with its axes' names, in points
DASHES = {"limit": (0, (1, 2)), "ideal": (0, (9, 4)), "published": (0, (4, 3))}
TICKS_APART = 1 / 9  # of an axis
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def draw(chart: Chart, across: float = style.WIDTH) -> Figure:
    """The chart as a matplotlib figure. To be called within `style.applied`."""
    made = _bars(chart, across) if isinstance(chart, ShareChart) else _lines(chart, across)
    made.draw_without_rendering()
    made.set_layout_engine("none")  # laid out once for all files
    return made


def save(chart: Chart, stem: Path) -> Markup:
    """Writes the chart to stem.svg, .png and .pdf; returns its SVG, for a page that may hold others."""
    with style.applied():
        made = draw(chart)
        picture = _svg(made, stem.name, chart.title)
        alone = picture.replace("<title>", f"<style>{style.SCHEMES}</style><title>", 1)
        write_text(stem.with_name(stem.name + ".svg"), f'<?xml version="1.0" encoding="UTF-8"?>\n{alone}\n')
        for ending in ENDINGS[1:]:
            with replacing(stem.with_name(f"{stem.name}.{ending}")) as aside:
                style.save(made, aside)
    return picture


def save_alone(chart: Chart, file: Path) -> None:
    """Writes one picture, wider than on the page, in the format of the file's ending."""
    with style.applied():
        style.save(draw(chart, ALONE), file)


def _bars(chart: ShareChart, across: float) -> Figure:
    """Horizontal bars with names on the left and values on the right; a line through all groups is 100%."""
    made = style.figure((len(chart.bars) + len(chart.groups) * (len(chart.groups) > 1) + 3) * style.LINE, across)
    axes = made.subplots()
    names: list[tuple[float, str, str, bool]] = []  # place, left text, right text, whether it is a heading
    place = 0.0
    for heading, limit, bars in chart.groups:
        if len(chart.groups) > 1:
            names.append((place, heading, limit, True))
            place += 1
        for bar in bars:
            shade = style.colour(bar.formulation)
            drawn, = axes.barh(place, 100 * bar.share, 0.72, color=style.PAPER if bar.mark else shade,
                               edgecolor=shade, hatch="///" if bar.mark else None, linewidth=1)
            drawn.set_gid(f"{TOOLTIP}{bar.label}: {bar.text} {bar.about}".strip())
            names.append((place, bar.label, bar.text, False))
            place += 1
    axes.set_ylim(place - 0.4, -0.6)
    axes.set_xlim(0, min(FURTHEST, max(102, *(100 * bar.share for bar in chart.bars))))
    axes.set_xticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])
    axes.axvline(100, color=style.INK, linewidth=1.2, zorder=3)
    axes.grid(True, axis="x")
    axes.spines[:].set_visible(False)
    axes.set_xlabel("of the limit")
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    right.spines[:].set_visible(False)
    for side, texts in ((axes, [left for _, left, _, _ in names]), (right, [text for _, _, text, _ in names])):
        side.set_yticks([y for y, *_ in names], list(map(plain, texts)), color=style.INK)
        side.tick_params(axis="y", length=0)
    for label, (*_, is_heading) in zip(axes.get_yticklabels(), names):
        label.set_weight("bold" if is_heading else "normal")
    return made


def _lines(chart: LineChart, across: float) -> Figure:
    """Lines with logarithmic axes; each line's name is at its right end."""
    made = style.figure(PLOT, across)
    axes = made.subplots()
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    points = [point for line in chart.lines for point in line.points]
    _scale(axes, [point.x for line in chart.lines if line.role != "published" for point in line.points],
           [value for point in points for value in (point.y, *point.interval)], chart.x_text)
    for line in sorted(chart.lines, key=lambda each: each.role == "measured"):
        _line(axes, line, chart.y_label)
    _mark_points(axes, chart.lines)
    axes.grid(True, axis="y")
    axes.set_xlabel(plain(chart.x_label))
    axes.set_title(plain(chart.y_label), loc="left", size=style.TEXT, color=style.GREY)
    _name_lines(axes, chart.lines)
    return made


def _line(axes: Any, line: Line, unit: str) -> None:
    shade = style.colour(line.formulation)
    is_measured = line.role == "measured"
    drawn, = axes.plot([point.x for point in line.points], [point.y for point in line.points], color=shade,
                       linestyle="-" if is_measured else DASHES[line.role], linewidth=1.8 if is_measured else 1.2)
    drawn.set_gid(TOOLTIP + line.label)
    for point in line.points if is_measured or len(line.points) == 1 else ():
        if point.interval:
            axes.vlines(point.x, *point.interval, color=shade, linewidth=1.2)
        spot, = axes.plot([point.x], [point.y], color=shade, clip_on=False, zorder=3 if point.mark else 2,
                          marker=style.TRANSPORTS.get(line.transport, "D"),
                          markerfacecolor=style.PAPER if point.mark or not is_measured else shade)
        spot.set_gid(TOOLTIP + _about(line, point, unit))


def _mark_points(axes: Any, shown: Sequence[Line]) -> None:
    """Draws the mark above each marked point, once for points that overlap, in the colour of its line."""
    drawn: list[tuple[float, float]] = []
    marked = [(line.formulation, point) for line in shown for point in line.points if point.mark]
    for formulation, point in marked:
        x, y = axes.transData.transform((point.x, point.y)) * style.POINTS_PER_INCH / axes.figure.dpi
        if not any(abs(x - left) < style.LINE and abs(y - low) < style.LINE for left, low in drawn):
            drawn.append((x, y))
            axes.annotate(point.mark, (point.x, point.y), xytext=(0, 6), ha="center", textcoords="offset points",
                          weight="bold", color=style.colour(formulation))


def _about(line: Line, point: Point, unit: str) -> str:
    between = f" ({rate(point.interval[0])} to {rate(point.interval[1])})" if point.interval else ""
    return f"{line.label}: {rate(point.y)}{point.mark} {unit}{between} {point.about}".strip()


def _scale(axes: Any, xs: Sequence[float], ys: Sequence[float], x_text: Callable[[float], str]) -> None:
    """Sets axes that contain all values; the vertical one begins and ends at a round number."""
    left, right = (math.log2(choose(xs)) for choose in (min, max))
    beside = 0.04 * (right - left) or 1
    axes.set_xlim(2 ** (left - beside), 2 ** (right + beside))
    ticks: list[float] = []
    for x in sorted(set(xs)):
        if not ticks or math.log2(x / ticks[-1]) >= TICKS_APART * (right - left):
            ticks.append(x)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: x_text(value)))
    low, high = min(value for value in ys if value > 0), max(ys)
    tens = (1,) if high / low > 1000 else (1, 2, 5)
    known = [float(tick) for tick in LogLocator(subs=tens, numticks=30).tick_values(low, high)]
    first = max((tick for tick in known if tick <= low), default=low)
    last = min((tick for tick in known if tick >= high), default=high)
    axes.set_ylim(first, last if last > first else 2 * first)
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in known if first <= tick <= last]))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:g}" if value < 1e5 else f"{value / 1000:g}k"))
    axes.tick_params(axis="y", length=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    axes.spines["left"].set_visible(False)


def _name_lines(axes: Any, shown: Sequence[Line]) -> None:
    """Writes the lines' names at the right, in their colours, moved apart if they would overlap."""
    low, high = (math.log(bound) for bound in axes.get_ylim())
    ends = sorted((((math.log(max(line.points[-1].y, 1e-30)) - low) / (high - low), line) for line in shown),
                  key=lambda end: end[0])
    step = style.LINE / (PLOT - 3 * style.LINE)
    places: list[float] = []
    for place, _ in ends:
        places.append(max(place, places[-1] + step) if places else place)
    over = max(0.0, places[-1] - 1.02) if places else 0.0
    for index in range(len(places) - 1, -1, -1):  # names above the top are moved down again
        highest = places[index + 1] - step if index + 1 < len(places) else places[index] - over
        places[index] = min(places[index], highest)
    names = axes.twinx()
    names.set_ylim(0, 1)
    names.spines[:].set_visible(False)
    names.tick_params(axis="y", length=0)
    names.set_yticks(places, [plain(line.label) for _, line in ends])
    for label, (_, line) in zip(names.get_yticklabels(), ends):
        label.set_color(style.colour(line.formulation))


def _svg(made: Figure, name: str, label: str) -> Markup:
    """The figure as an SVG element that scales. Its ids begin with `name`; tooltips become titles."""
    text = io.StringIO()
    made.savefig(text, format="svg", metadata={"Date": None}, facecolor="none")
    root = ElementTree.fromstring(sound(text.getvalue()))
    ElementTree.register_namespace("", SVG)
    for child in [*root.findall(f"{{{SVG}}}metadata"), *root.findall(f"{{{SVG}}}defs")]:
        if child.tag.endswith("metadata") or child.find(f"{{{SVG}}}style") is not None:
            root.remove(child)  # such a style would apply to the whole page
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    for key in ("width", "height"):  # with the viewBox alone the page decides the size
        root.attrib.pop(key, None)
    for element in root.iter():
        for key in {"style", "fill", "stroke"} & set(element.attrib):
            element.set(key, _COLOUR.sub(_by_scheme, element.attrib[key]))
    _unique(root, name)
    root.set("role", "img")
    root.set("aria-label", sound(label))
    root.insert(0, _title(label))
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _title(text: str) -> Any:
    title = ElementTree.Element(f"{{{SVG}}}title")
    title.text = sound(text)
    return title


def _by_scheme(found: re.Match[str]) -> str:
    """A colour as a variable of the page; unchanged if there is no such variable."""
    name = style.VARIABLES.get(found[0].lower())
    return f"var(--{name}, {found[0]})" if name else found[0]


def _unique(root: ElementTree.Element, name: str) -> None:
    """Makes ids unique: renames those that are referred to, and drops the others."""
    used = set()
    for element in root.iter():
        reference = element.attrib.pop(f"{{{XLINK}}}href", "")
        if reference:
            element.set("href", f"#{name}-{reference[1:]}")
        for key, value in element.attrib.items():
            used.update(_REFERENCE.findall(value))
            element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
        used.add(reference[1:])
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in used and own:
            element.set("id", f"{name}-{own}")
        elif own.startswith(TOOLTIP):
            element.insert(0, _title(own[len(TOOLTIP):]))

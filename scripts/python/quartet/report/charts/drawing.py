"""Draws a chart: as SVG for a page, and as files."""

import io
import re
import warnings
from pathlib import Path
from typing import Any, Callable
from xml.etree import ElementTree

from quartet.files import replacing, write_text

from . import bars, heat_map, lines, roofline, style, timeline
from .markup import Markup, sound
from .model import BarChart, Chart, HeatMap, LineChart, Roofline, ShareChart, StackChart, Timeline
from .parts import TOOLTIP

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ENDINGS = ("svg", "png", "pdf")
WIDE = 600.0  # of a picture that stands alone, in points
_DRAW: dict[type, Callable[..., Any]] = {LineChart: lines.draw, BarChart: bars.draw_bars, ShareChart: bars.draw_shares,
         StackChart: bars.draw_stacks, HeatMap: heat_map.draw, Roofline: roofline.draw,
         Timeline: timeline.draw}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def draw(chart: Chart, across: float = style.WIDTH) -> Any:
    """The chart as a matplotlib figure; within `style.applied`."""
    figure = _DRAW[type(chart)](chart, across)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that no font has
        figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once for all files
    return figure


def save(chart: Chart, stem: Path) -> Markup:
    """Writes the chart to stem.svg, .png and .pdf; returns its SVG, for a page that may hold others."""
    with style.applied(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = draw(chart)
        picture = svg(figure, stem.name, chart.title)
        alone = picture.replace("<title>", f"<style>{style.SCHEMES}</style><title>", 1)
        write_text(stem.with_name(stem.name + ".svg"), f'<?xml version="1.0" encoding="UTF-8"?>\n{alone}\n')
        for ending in ENDINGS[1:]:
            with replacing(stem.with_name(f"{stem.name}.{ending}")) as aside:
                style.save(figure, aside)
    return picture


def save_alone(chart: Chart, file: Path) -> None:
    """One picture, wider than in a page, by the ending of its file."""
    with style.applied(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        style.save(draw(chart, WIDE), file)


def svg(figure: Any, name: str, label: str) -> Markup:
    """The figure as an SVG element that scales. Its ids begin with `name`, so that a page can hold
    several; tooltips become titles."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, facecolor="none")
    root = ElementTree.fromstring(sound(text.getvalue()))
    ElementTree.register_namespace("", SVG)
    for child in [*root.findall(f"{{{SVG}}}metadata"), *root.findall(f"{{{SVG}}}defs")]:
        if child.tag.endswith("metadata") or child.find(f"{{{SVG}}}style") is not None:
            root.remove(child)  # such a style would hold for the whole page
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    for key in ("width", "height"):  # the viewBox alone: the page decides
        root.attrib.pop(key, None)
    for element in root.iter():
        for key in {"style", "fill", "stroke"} & set(element.attrib):
            element.set(key, _COLOUR.sub(_by_scheme, element.attrib[key]))
    _unique(root, name)
    root.set("role", "img")
    root.set("aria-label", sound(label))
    title = ElementTree.Element(f"{{{SVG}}}title")
    title.text = sound(label)
    root.insert(0, title)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _by_scheme(found: re.Match[str]) -> str:
    """A colour as a variable of the page, or as it was where there is none."""
    name = style.VARIABLES.get(found[0].lower())
    return f"var(--{name}, {found[0]})" if name else found[0]


def _unique(root: ElementTree.Element, name: str) -> None:
    """Renames the ids that are referred to, and drops the others."""
    for parent in list(root.iter()):
        reference = parent.attrib.pop(f"{{{XLINK}}}href", None)
        if reference:
            parent.set("href", f"#{name}-{reference.lstrip('#')}")
        for key, value in parent.attrib.items():
            parent.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
    used = {element.get("href", "")[1:] for element in root.iter()} | {
        match for element in root.iter() for value in element.attrib.values()
        for match in _REFERENCE.findall(value)}
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if f"{name}-{own}" in used:
            element.set("id", f"{name}-{own}")
        elif own.startswith(TOOLTIP):
            title = ElementTree.Element(f"{{{SVG}}}title")
            title.text = own[len(TOOLTIP):]
            element.insert(0, title)

"""What all charts have: a title and keys above a body, and texts that a page shows where the pointer rests."""

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from . import style
from .model import Chart
from .text import lines_of, wrapped

TOOLTIP = "tooltip: "  # begins the id of a drawn thing that has one
SAMPLE = 40.0  # width of a key's sample with its space, in points
ABOUT = 14.0  # height of a line of what a chart is about
KEY, MORE = 14.6, 12.8  # height of a key and of each further line of its text, in points


def framed(chart: Chart, keys: list[tuple[Artist, str]], height: float, across: float,
           columns: int = 1) -> tuple[Figure, Figure]:
    """A figure with the chart's title, what it is about and its keys (sample, text) on top, and the
    part below, of this height, to draw in."""
    heading = wrapped(chart.title, across - 8, **style.TITLE)
    about = wrapped(chart.about, across - 8, style.TEXT - 1)
    texts = [wrapped(text, across / columns - SAMPLE) for _, text in keys]
    more = sum(map(lines_of, texts)) - len(texts)
    lower = style.LINE * lines_of(heading) + 5  # where the second text begins
    above = (lower + ABOUT * lines_of(about) * bool(about) + 0.4 * style.LINE
             + KEY * -(-len(texts) // columns) + MORE * more)
    figure = style.figure(above + height, across)
    top, body = figure.subfigures(2, 1, height_ratios=(above, height))
    top.text(4 / across, 1 - 3 / above, heading, va="top", **style.TITLE)
    top.text(4 / across, 1 - lower / above, about, va="top", size=style.TEXT - 1, color=style.GREY)
    if keys:
        top.legend([sample for sample, _ in keys], texts, loc="lower left", ncol=columns,
                   bbox_to_anchor=(4 / across, 0), handlelength=2.6 if columns < 3 else 1,
                   labelspacing=0.35)
    return figure, body


def tooltip(artist: Artist, text: str) -> None:
    artist.set_gid(TOOLTIP + text)

"""Maps of pairs of ranks."""

import math
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from quartet.text import rate

from . import style
from .model import HeatMap
from .parts import framed
from .text import plain, width, wrapped

MOST_NAMES = 16  # beside an axis
LOWEST, HIGHEST = 18.0, 34.0  # height of a row, in points


def draw(chart: HeatMap, across: float) -> Figure:
    """Draws the map. Colours begin at zero: stretched over noise they would show differences that are not there."""
    known = [value for row in chart.values for value in row if value is not None]
    high = max(known)
    rows = max(1, len(chart.rows_named))
    tall = min(HIGHEST, max(LOWEST if rows < 20 else 5.0, 320 / rows))
    about = wrapped(f"{chart.unit}: colour from 0 (light) to {rate(high)} (dark); "
                    f"least {rate(min(known))}", across - 40)
    figure, body = framed(chart, [], rows * tall + 5 * style.LINE, across)
    axes = body.subplots()
    values = [[math.nan if value is None else value for value in row] for row in chart.values]
    axes.pcolormesh(values, cmap="Blues", vmin=0, vmax=high, edgecolors="white", linewidth=1)
    axes.invert_yaxis()
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    _name(axes.xaxis, chart.columns_named, f"{chart.column_label} rank")
    _name(axes.yaxis, chart.rows_named, f"{chart.row_label} rank")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _write_values(axes, chart, (across - 60) / len(chart.columns_named), high)
    body.supxlabel(about, size=style.TEXT, color=style.GREY)
    return figure


def _name(axis: Any, names: tuple[str, ...], label: str) -> None:
    every = math.ceil(len(names) / MOST_NAMES)
    axis.set_major_locator(FixedLocator([index + 0.5 for index in range(0, len(names), every)]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: names[int(value)]))
    axis.set_label_text(plain(label))


def _write_values(axes: Any, chart: HeatMap, wide: float, high: float) -> None:
    """Into the cells, where all of them have room."""
    texts = [(row, column, value, rate(value)) for row, values in enumerate(chart.values)
             for column, value in enumerate(values) if value is not None]
    if max(width(text) for *_, text in texts) + 4 > wide:
        return
    for row, column, value, text in texts:
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline",
                  color="white" if value > 0.6 * high else style.ON_COLOUR)

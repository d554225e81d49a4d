"""Charts as PNG, drawn by matplotlib where it is."""

import textwrap

from .chart import GREY, PALETTE, BarChart, Chart, HeatMap, LineChart, StackChart
from .svg_bars import PHASE_COLOURS

INCHES, DOTS = 6.4, 150
_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "down": "v", "diamond": "D",
            "cross": "x", "plus": "+", "ring": "$\u25cb$"}
_STYLES = {"": "-", "7 3": "--", "2 2": (0, (2, 2))}
_ROLES = {"limit": ":", "ideal": (0, (8, 4)), "published": "--"}


def pyplot():
    """matplotlib's; None where there is no matplotlib."""
    try:
        import matplotlib  # optional, and slow to load
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams["font.size"] = 9
    from matplotlib import pyplot as plots
    return plots


def save(plots, chart: Chart, path) -> None:
    """Writes the chart to `path`."""
    figure, axes = plots.subplots(figsize=(INCHES, _height(chart)), layout="constrained")
    axes.set_title(_plain(chart.title), fontsize=10, loc="left", wrap=True)
    {LineChart: _lines, BarChart: _bars, StackChart: _stacks, HeatMap: _map}[type(chart)](
        figure, axes, chart)
    figure.savefig(path, dpi=DOTS)
    plots.close(figure)


def _height(chart: Chart) -> float:
    if isinstance(chart, LineChart):
        return 3.6 + 0.2 * len(chart.series)
    if isinstance(chart, BarChart):
        return 1.2 + sum(0.3 + 0.42 * len(bars) for _, bars in chart.groups)
    if isinstance(chart, StackChart):
        return 1.8 + 0.5 * len(chart.stacks)
    return INCHES * 0.8


def _lines(figure, axes, chart: LineChart) -> None:
    for series in chart.series:
        xs, ys = [point.x for point in series.points], [point.y for point in series.points]
        measured = series.role == "measured"
        lone = len(xs) == 1
        mark = f"{series.mark}: " if series.mark else ""
        axes.plot(xs, ys, label=mark + _plain(series.label), color=series.colour,
                  linestyle=_STYLES.get(series.dash, "-") if measured else _ROLES[series.role],
                  linewidth=1.6 if measured else 1.1,
                  marker=_MARKERS[series.marker] if measured else "D" if lone else None,
                  markerfacecolor=series.colour if measured else "white", markersize=5)
        for point in series.points:
            if point.interval:
                axes.vlines(point.x, *point.interval, color=series.colour, linewidth=1.2)
    axes.set_xlabel(chart.x.label)
    axes.set_ylabel(chart.y.label)
    if chart.x.logarithmic:
        axes.set_xscale("log", base=2)
        axes.set_xticks([value for value, _ in chart.x.ticks], [name for _, name in chart.x.ticks])
    if chart.y.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(True, color="#dddddd")
    _legend(axes, 1)


def _legend(axes, columns: int) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncol=columns, fontsize=7.5,
                frameon=False)


def _plain(text: str) -> str:
    """Text in which a $ starts no formula."""
    return text.replace("$", r"\$")


def _bars(_figure, axes, chart: BarChart) -> None:
    place, names = 0.0, []
    for heading, bars in chart.groups:
        if heading:
            axes.text(0, place, f" {_plain(heading)}", weight="bold", va="center", fontsize=8)
            place += 0.8
        for bar in bars:
            colour = PALETTE[bar.style % len(PALETTE)]
            axes.barh(place, bar.value, 0.62, color="white" if bar.flagged else colour,
                      edgecolor=colour, hatch="//" if bar.flagged else None)
            if bar.interval:
                axes.hlines(place, *bar.interval, color="black", linewidth=1.2)
            axes.annotate(f" {bar.text}", (bar.interval[1] if bar.interval else bar.value, place),
                          va="center", fontsize=7.5)
            names.append((place, bar.label))
            place += 1
    if chart.reference:
        axes.axvline(chart.reference[0], color=GREY, linestyle="--", linewidth=1)
    axes.set_xlim(0, chart.greatest() * 1.45)
    _name_bars(axes, names, chart.unit)


def _name_bars(axes, names: list[tuple[float, str]], unit: str) -> None:
    axes.set_yticks([place for place, _ in names], [_folded(name) for _, name in names],
                    fontsize=7.5)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.spines[["top", "right"]].set_visible(False)


def _folded(text: str, width: int = 34) -> str:
    return "\n".join(textwrap.wrap(_plain(text), width)[:3])


def _stacks(figure, axes, chart: StackChart) -> None:
    used = {name for stack in chart.stacks for name in stack.parts}
    left = [0.0] * len(chart.stacks)
    for index, name in enumerate(chart.names):
        if name not in used:
            continue
        shares = [100 * stack.parts.get(name, 0) / stack.whole for stack in chart.stacks]
        axes.barh(range(len(shares)), shares, 0.6, left=left, label=name,
                  color=PHASE_COLOURS[index % len(PHASE_COLOURS)])
        left = [a + b for a, b in zip(left, shares)]
    axes.axvline(100, color="black", linestyle="--", linewidth=1)
    _name_bars(axes, [(float(index), f"{stack.label} ({stack.text})")
                      for index, stack in enumerate(chart.stacks)], f"{chart.unit}, per cent")
    _legend(axes, 5)


def _map(figure, axes, chart: HeatMap) -> None:
    values = [[float("nan") if value is None else value for value in row] for row in chart.values]
    image = axes.imshow(values, cmap="Blues", vmin=0)
    axes.set_xticks(range(len(chart.columns_named)), chart.columns_named)
    axes.set_yticks(range(len(chart.rows_named)), chart.rows_named)
    axes.set_xlabel(chart.column_label)
    axes.set_ylabel(chart.row_label)
    figure.colorbar(image, label=chart.unit)

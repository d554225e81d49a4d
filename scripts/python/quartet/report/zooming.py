"""Curves over time that can be zoomed, by dygraphs, which a page with such curves carries where it is installed
(Debian: libjs-dygraphs). Without it, or without scripts, the page keeps the pictures."""

import json
import time

from .charts.markup import Markup, tag
from .charts.model import Timeline
from .charts.style import NODES
from .sorting import carried

LIBRARY = ("dygraphs/dygraph.min.js",)
HOW = "Drag to zoom, double-click for all."
START = """const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
for (const box of document.querySelectorAll(".zoom")) {
  const {labels, colors, marks} = JSON.parse(box.dataset.about);
  box.previousElementSibling.style.display = "none";
  box.hidden = false;
  new Dygraph(box.lastElementChild, box.dataset.rows, {labels, colors, labelsDiv: box.children[1], legend: "always",
    connectSeparatedPoints: true, axisLineColor: colour("rule"), gridLineColor: colour("rule"), axisLabelFontSize: 13,
    underlayCallback(canvas, area, graph) {
      canvas.fillStyle = colour("quiet");
      canvas.font = "bold 14px sans-serif";
      marks.forEach((ends, index) => {
        const [left, right] = ends.map(end => graph.toDomXCoord(Date.parse(end)));
        canvas.globalAlpha = right > left ? 0.2 : 1;
        canvas.fillRect(left, area.y, Math.max(1, right - left), area.h);
        canvas.globalAlpha = 1;
        canvas.fillText(index + 1, left + 4, area.y + 14 + index % 3 * 16);
      });
    }});
}"""


def scripts() -> tuple[str, ...]:
    return carried(LIBRARY, START)


def box(chart: Timeline) -> Markup:
    """What the library fills, hidden until then."""
    table: dict[float, list[str]] = {}
    for place, curve in enumerate(chart.curves):
        for seconds, value in curve.points:
            table.setdefault(seconds, [""] * len(chart.curves))[place] = f"{value:.6g}"
    about = {"labels": ["time", *(curve.label for curve in chart.curves)], "colors": NODES,
             "marks": [[_moment(end) for end in ends] for ends in chart.marks]}
    rows = "".join(f"{_moment(seconds)},{','.join(cells)}\n" for seconds, cells in sorted(table.items()))
    return tag("div", tag("p", tag("strong", chart.title), f" ({chart.unit}). {HOW}"), tag("div"), tag("div"),
               class_="zoom", hidden="", data_about=json.dumps(about), data_rows=rows)


def _moment(seconds: float) -> str:
    """As the library reads times."""
    return time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(seconds))

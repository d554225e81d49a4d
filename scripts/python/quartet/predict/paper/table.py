"""The published numbers, the models beside them and what the fits are worth, 80 columns wide."""

import itertools
import textwrap
from typing import Any

from quartet.predict.paper.fit import Fit, fitted
from quartet.predict.paper.points import Point, published
from quartet.text import WIDTH, aligned, counted, rate, widths_of

HEADINGS = ("published number", "published", "data flow", "off", "native", "off")
ABOUT = ("data flow: the paper's program as a model, with the fitted constants below. native: ours, computed "
         "from the same rates of the machines, nothing fitted. Neither was measured.")


def fits() -> list[Fit]:
    """One for each kernel that the paper prints numbers of."""
    groups = itertools.groupby(published(), key=lambda point: point.kernel.name)
    return [fitted(list(points)) for _, points in groups]


def _cells(point: Point, constants: dict[str, float]) -> tuple[str, ...]:
    cells = [point.label, point.text]
    for value in (point.data_flow(constants), point.native()):
        factor = value / point.value
        far = f"{factor:.1f}x" if factor >= 2 else f"{factor - 1:+.0%}"
        cells += [rate(value), far if point.is_number else ""]
    return tuple(cells)


def _worth(fit: Fit) -> list[str]:
    program = fit.points[0].program
    constants = "; ".join(f"{constant.meaning} {fit.constants[name] / constant.scale:.2g} {constant.unit}"
                          for name, constant in program.constants.items())
    left_out = ", ".join(f"{value:+.0%}" for value in fit.left_out)
    text = (f"{fit.points[0].kernel.name}: {counted(len(fit.numbers), 'number')}, "
            f"{counted(len(program.constants), 'constant')} fitted ({constants}): off by {fit.worst:.0%} "
            f"at most, {fit.mean:.0%} on average. {fit.how_left_out}: {left_out}. {program.verdict}.")
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def render(every: list[Fit]) -> str:
    rows = [_cells(point, fit.constants) for fit in every for point in fit.points]
    widths = widths_of([HEADINGS, *rows])
    lines = [aligned(row, widths, left=(0,)) for row in (HEADINGS, *rows)]
    lines += ["", *textwrap.wrap(ABOUT, WIDTH), ""]
    for fit in every:
        lines += _worth(fit)
    return "\n".join(lines) + "\n"


def as_json(every: list[Fit]) -> list[dict[str, Any]]:
    return [{"kernel": fit.points[0].kernel.name, "verdict": fit.points[0].program.verdict,
             "constants": fit.constants, "worst": fit.worst, "mean": fit.mean,
             "left_out": list(fit.left_out),
             "points": [{"point": point.label, "published": point.text, "unit": point.unit,
                         "data_flow": point.data_flow(fit.constants), "native": point.native()}
                        for point in fit.points]} for fit in every]

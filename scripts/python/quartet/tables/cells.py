"""What all tables of results share: how a cell is written, and how rows stand below each other."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Optional, Union

from quartet.text import WIDTH, aligned, rate, widths_of

CHECKS = {True: "ok", False: "WRONG", None: "off"}  # whether what was verified is right


def median_cell(value: float, mark: str) -> str:
    """Writes the median with its `?`; `!` stands behind the fraction."""
    return rate(value) + ("?" if mark == "?" else "")


def interval_cell(bounds: Optional[tuple[float, float]]) -> str:
    return "-".join(map(rate, bounds)) if bounds else ""


def fraction_cell(value: Optional[float], mark: str) -> str:
    """The fraction of the limit; empty if there is none, and of a row in doubt."""
    return f"{value:.0%}{mark}" if value and mark != "?" else ""


def aligned_rows(rows: Sequence[Union[str, tuple[str, ...]]],
                 left: Iterable[int] = (), indent: str = "  ") -> list[str]:
    """Rows of cells, aligned; a text between them is a heading. `left` are the columns that are no numbers."""
    widths = widths_of([row for row in rows if isinstance(row, tuple)])
    left = tuple(left)
    return [line for row in rows for line in (
        [aligned(row, widths, left)] if isinstance(row, tuple) else
        textwrap.wrap(row, WIDTH, subsequent_indent=indent) or [""])]

"""Rows of result documents as flat rows, for spreadsheets and data frames.

The columns and their names are stable (docs/reading-the-numbers.md): the factors that all rows have, the other factors
by name, then the results. Unknown values are empty."""

import csv
import io
from collections.abc import Iterable
from typing import Any, Callable

from quartet.kernels import WORDS
from quartet.results import Name, Row, whole_number
from quartet.text import in_markdown, size_in_bytes

FlatRow = dict[str, Any]  # cells by column

PUBLISHED = ("value", "unit", "bound", "conditions", "source", "caveat", "nodes", "device", "ours", "ratio")
FACTORS = ("kernel", "formulation", "device", "transport", "size", "ranks", "nodes", "threads")
RESULTS = ("rate", "unit", "rate_low", "rate_high", "runs", "seconds", "limit_rate", "limit_decided_by",
           "fraction_of_limit", "fraction_low", "fraction_high", "flags", "distrusted", "verified", "error", "workers",
           *(f"published_{key}" for key in PUBLISHED), "measured_on", "host", "date", "commit", "name")
FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
           "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # a spreadsheet computes such cells


def flat_rows(rows: Iterable[Row]) -> list[FlatRow]:
    """Returns a flat row for each (judged) row, with the same columns in the same order."""
    found = [_flat(row) for row in rows]
    others = sorted({key for flat in found for key in flat} - {*FACTORS, *RESULTS})
    return [{key: flat.get(key) for key in (*FACTORS, *others, *RESULTS)} for flat in found]


def factors(name: Name) -> FlatRow:
    """The factors of a name, as newer documents have them: numbers as numbers, sizes with a unit in bytes, and words
    under the names that the kernel gives them."""
    keys = list(WORDS.get(name.kernel, ()))
    keys += [f"word{index}" for index in range(len(keys), len(name.words))]
    values = {key: value if whole_number(value) is None else int(value)
              for key, value in name.values.items() if key not in ("size", "n")}
    found = {"kernel": name.kernel, "formulation": name.formulation, "device": name.device, "transport": name.transport,
             **dict(zip(keys, name.words)), "size": size_in_bytes(name.size) if name.size else "", **values}
    return {key: value for key, value in found.items() if value != ""}


def _flat(row: Row) -> FlatRow:
    context = row.context
    flat = {**factors(row.name), "nodes": row.nodes, **row.median.get("factors", {}),
            "distrusted": bool(row.mark), "flags": " ".join(row.flags), "error": row.error,
            "measured_on": row.machine, "host": context.get("host_name"), "date": context.get("date"),
            "commit": context["quartet"].get("commit", ""), "name": row.text}
    if not row.error:
        for name, whole in (("rate", 1.0), ("fraction", row.limit_rate)):
            low, high = (bound / whole for bound in row.interval) if row.interval and whole else (None, None)
            flat.update({f"{name}_low": low, f"{name}_high": high})
        flat.update({"rate": row.rate, "unit": row.unit, "runs": row.median.get("iterations", 1),
                     "seconds": row.seconds, "workers": row.workers, "limit_rate": row.limit_rate,
                     "limit_decided_by": row.median.get("limit_decided_by"),
                     **{f"published_{key}": value for key, value in (row.published or {}).items() if key in PUBLISHED},
                     "fraction_of_limit": row.fraction_of_limit, "verified": row.verified})
    return flat


def as_csv(found: list[FlatRow]) -> str:
    """CSV with a heading. No cell is a formula for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found[0] if found else (*FACTORS, *RESULTS))
    writer.writerows([safe_cell(cell) for cell in flat.values()] for flat in found)
    return text.getvalue()


def safe_cell(cell: Any) -> Any:
    """The cell in a form that no spreadsheet computes as a formula."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return "'" + cell if isinstance(cell, str) and cell.lstrip().startswith(FORMULA) else cell


def as_markdown(found: list[FlatRow]) -> str:
    """A Markdown table without the columns that are empty in all rows."""
    keys = [key for key in next(iter(found), ()) if any(flat[key] not in (None, "") for flat in found)]
    texts = [["" if flat[key] is None else f"{flat[key]:.6g}" if isinstance(flat[key], float)
              else str(safe_cell(flat[key])) for key in keys] for flat in found]
    lines = [map(in_markdown, keys), ["---"] * len(keys), *(map(in_markdown, cells) for cells in texts)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) if keys else ""


FORMATS: dict[str, Callable[[list[FlatRow]], str]] = {"csv": as_csv, "markdown": as_markdown}

"""Result documents as flat rows, one for each case, for spreadsheets and data frames.

The columns and their names are stable (docs/reading-the-numbers.md): the factors that every case has,
the other factors by name, then the results. What a row does not know is empty."""

import csv
import io
from collections.abc import Iterable
from typing import Any, Callable

from quartet.kernels import WORDS
from quartet.results import Case, Name, whole_number
from quartet.text import in_markdown, size_in_bytes

Row = dict[str, Any]  # plain cells

PUBLISHED = ("value", "unit", "bound", "conditions", "source", "caveat", "nodes", "device", "ours", "ratio")
FACTORS = ("kernel", "formulation", "device", "transport", "size", "ranks", "nodes", "threads")
RESULTS = ("rate", "unit", "rate_low", "rate_high", "runs", "seconds", "limit_rate", "limit_decided_by",
           "fraction_of_limit", "fraction_low", "fraction_high", "flags", "distrusted", "verified", "error", "workers",
           *(f"published_{key}" for key in PUBLISHED), "measured_on", "host", "date", "commit", "name")
FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
           "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # a spreadsheet computes such cells


def rows(all_cases: Iterable[Case]) -> list[Row]:
    """Returns a row for each (judged) case, with the same columns in the same order."""
    found = [_row(case) for case in all_cases]
    others = sorted({key for row in found for key in row} - {*FACTORS, *RESULTS})
    return [{key: row.get(key) for key in (*FACTORS, *others, *RESULTS)} for row in found]


def factors(name: Name) -> Row:
    """The factors of a name, as the rows of newer documents hold them: numbers are numbers, the size is bytes
    where it has a unit, words are named by the kernel."""
    keys = list(WORDS.get(name.kernel, ()))
    keys += [f"word{index}" for index in range(len(keys), len(name.words))]
    values = {key: value if whole_number(value) is None else int(value)
              for key, value in name.values.items() if key not in ("size", "n")}
    found = {"kernel": name.kernel, "formulation": name.formulation, "device": name.device, "transport": name.transport,
             **dict(zip(keys, name.words)), "size": size_in_bytes(name.size) if name.size else "", **values}
    return {key: value for key, value in found.items() if value != ""}


def _row(case: Case) -> Row:
    context = case.context
    row = {**factors(case.name), "nodes": case.nodes, **case.median.get("factors", {}),
           "distrusted": bool(case.mark), "flags": " ".join(case.flags), "error": case.error,
           "measured_on": case.machine, "host": context.get("host_name"), "date": context.get("date"),
           "commit": context["quartet"].get("commit", ""), "name": case.text}
    if not case.error:
        for name, bounds in (("rate", case.interval), ("fraction", case.fraction_interval)):
            row.update(zip((f"{name}_low", f"{name}_high"), bounds or (None, None)))
        row.update({"rate": case.rate, "unit": case.unit, "runs": case.runs, "seconds": case.seconds,
                    "workers": case.workers, "limit_rate": case.limit_rate,
                    "limit_decided_by": case.median.get("limit_decided_by"),
                    **{f"published_{key}": value for key, value in (case.published or {}).items() if key in PUBLISHED},
                    "fraction_of_limit": case.fraction_of_limit, "verified": case.verified})
    return row


def as_csv(found: list[Row]) -> str:
    """Writes CSV with a heading. No cell is a formula for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found[0] if found else (*FACTORS, *RESULTS))
    writer.writerows([safe_cell(cell) for cell in row.values()] for row in found)
    return text.getvalue()


def safe_cell(cell: Any) -> Any:
    """Returns the text in a form that a spreadsheet does not compute."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return "'" + cell if isinstance(cell, str) and cell.lstrip().startswith(FORMULA) else cell


def as_markdown(found: list[Row]) -> str:
    """A table of the columns that any row fills."""
    keys = [key for key in next(iter(found), ()) if any(row[key] not in (None, "") for row in found)]
    texts = [["" if row[key] is None else f"{row[key]:.6g}" if isinstance(row[key], float) else str(safe_cell(row[key]))
              for key in keys] for row in found]
    lines = [map(in_markdown, keys), ["---"] * len(keys), *(map(in_markdown, row) for row in texts)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) if keys else ""


FORMATS: dict[str, Callable[[list[Row]], str]] = {"csv": as_csv, "markdown": as_markdown}

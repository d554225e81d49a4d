"""Sorting and filtering of the page's long tables by DataTables, which the page carries where it is installed
(Debian: libjs-jquery-datatables). Without it, or without scripts, the tables are as they are."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

FOLDERS = (Path("/usr/share/javascript"), Path("/usr/local/share/javascript"))
LIBRARY = ("jquery/jquery.min.js", "jquery-datatables/jquery.dataTables.min.js")
LEAST_ROWS = 8  # of a table of numbers that is worth it
SORTED = "sorted"  # the class of such tables
START = f"""jQuery.fn.dataTable.ext.errMode = "none";
jQuery("table.{SORTED}").DataTable({{dom: "ft", paging: false, order: [], autoWidth: false,
  language: {{search: "Filter:"}}}});"""


def scripts() -> tuple[str, ...]:
    """What the page runs, in order; empty if the library is not installed."""
    return carried(LIBRARY, START)


def carried(files: Sequence[str], start: str) -> tuple[str, ...]:
    """A library of the system, and what begins it."""
    for folder in FOLDERS:
        try:
            library = [(folder / name).read_text(encoding="utf-8") for name in files]
        except OSError:
            continue
        return tuple(text.replace("</script", r"<\/script") for text in [*library, start])
    return ()


def allowed(texts: tuple[str, ...]) -> str:
    """The page's security policy for exactly these scripts, and no others."""
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return "".join(f" 'sha256-{each}'" for each in hashes)

"""Rates over time, of folders that span several days, and the changes that quartet history finds in them."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Sequence

from quartet.history.changes import LEAST
from quartet.history.store import Series, Store
from quartet.history.table import row_name
from quartet.paths import SCRIPTS
from quartet.text import counted

from .charts.model import Curve, Timeline
from .charts.style import NODES
from .factors import natural
from .sections import Section

DAY = 24 * 3600.0
MOST = 12  # charts


def section(documents: Sequence[tuple[str, dict[str, Any]]], paths: Sequence[Path]) -> Section:
    """The documents are those at the paths, which quartet history reads itself."""
    rows: dict[tuple[str, str], list[Series]] = {}
    for series in Store((Path(name), document) for name, document in documents).series():
        rows.setdefault((series.row, series.unit), []).append(series)
    rows = {row: members for row, members in rows.items()
            if any(len(one.rates) >= 2 * LEAST and one.times[-1] - one.times[0] >= DAY for one in members)}
    if not rows:
        return Section("history", "History", missing=f"No row has {2 * LEAST} launches on several days.",
                       command="quartet nodes")
    found, why_not = _changes(paths)
    charts = sorted((_chart(*row, members, found, not why_not) for row, members in rows.items()),
                    key=lambda chart: -len(chart.marks))
    about = f"Changes are not marked: {why_not}." if why_not else \
        "Numbers mark what quartet history found, with what else changed then, which need not be the cause."
    more = counted(len(charts) - MOST, "more row")
    return Section("history", "History", f"What each launch reached, by day and node. {about}", charts[:MOST],
                   notes=[f"{more} without curves: name documents of fewer rows"] * (len(charts) > MOST))


def _changes(paths: Sequence[Path]) -> tuple[list[dict[str, Any]], str]:
    """What quartet history prints, run by a Python that has Apache Otava; or the reason why it says nothing."""
    command = SCRIPTS / "quartet"
    environment = {key: value for key, value in os.environ.items() if key != "QUARTET_PYTHON"}
    if find_spec("otava"):
        environment["QUARTET_PYTHON"] = sys.executable
    done = subprocess.run([*([command] if command.exists() else [sys.executable, "-m", "quartet"]), "history", "--json",
                           "--", *paths], env=environment, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    try:
        return json.loads(done.stdout), ""
    except ValueError:
        return [], (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1].partition(": ")[2]


def _chart(name: str, unit: str, members: Sequence[Series], found: Sequence[dict[str, Any]],
           is_looked_at: bool) -> Timeline:
    mine = [(change, row) for change in found for row in change["rows"] if (row["name"], row["unit"]) == (name, unit)]
    changed = {node for _, row in mine for node in row["nodes"]}
    first = sorted(members, key=lambda series: (series.node not in changed, natural(series.node)))[:len(NODES)]
    left_out = f"; {len(first)} of {len(members)} nodes, those with changes first" * (len(members) > len(first))
    told = f": {counted(len(mine), 'change')}" if mine else ": no change found" if is_looked_at else ""
    return Timeline(
        row_name(name) + told, unit, tuple(Curve(series.node, tuple(zip(series.times, series.rates)))
                                           for series in sorted(first, key=lambda series: natural(series.node))),
        tuple((change["begin"] if change["is_drift"] else change["end"], change["end"]) for change, _ in mine),
        f"each launch{left_out}",
        tuple(f"{number}: {'; '.join([change['what'], _by_how_much(row), *change['why']])}"
              for number, (change, row) in enumerate(mine, 1)))


def _by_how_much(row: dict[str, Any]) -> str:
    low, high = row["interval"] or (None, None)
    return f"here {row['ratio']:.3f} times as fast" + (f" ({low:.3f} to {high:.3f})" if low else "")

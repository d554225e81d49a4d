"""References that renew themselves: for each kind of node a file with the medians of its newest sound stretch, which is
after the last change of each node."""

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from quartet.exit_codes import UNDECIDED, ScriptError
from quartet.files import make_folder
from quartet.history.moments import Moment
from quartet.history.store import Launched, Series, Store
from quartet.history.table import day
from quartet.results.reference import ENDING, slow_below, write
from quartet.results.statistics import LEAST_VALUES, median_interval
from quartet.text import slug


def renew(folder: Path, store: Store, every: Sequence[Series], found: Sequence[Moment],
          sources: Iterable[str]) -> list[Path]:
    """Writes the files anew. Raises ScriptError."""
    rows: dict[str, dict[tuple[str, str, tuple[object, ...]], list[Launched]]] = {}
    for node in sorted({series.node for series in every}):
        begin = max((moment.end for moment in found if node in moment.nodes), default=float("-inf"))
        for one in store.launched(node, begin):
            rows.setdefault(slug(one.kind), {}).setdefault((one.row, one.unit, one.place), []).append(one)
    written = []
    for name, by_row in sorted(rows.items()):
        lines = [_row(*key, members) for key, members in sorted(by_row.items(), key=str)
                 if len(members) >= LEAST_VALUES]
        if lines:
            written.append(make_folder(folder) / f"{name}{ENDING}")
            write(written[-1], next(iter(by_row.values()))[0].kind, sources, lines)
    if not written:
        raise ScriptError(f"no row has {LEAST_VALUES} launches after its node's last change: wait for more", UNDECIDED)
    return written


def _row(name: str, unit: str, place: tuple[object, ...], launches: list[Launched]) -> dict[str, object]:
    rates, times = [one.rate for one in launches], [one.time for one in launches]
    fractions = [one.fraction for one in launches if one.fraction]
    low, high = median_interval(rates) or (min(rates), max(rates))
    rounded = {key: float(f"{value:.5g}") for key, value in {
        "median": statistics.median(rates), "low": low, "high": high, "slow_below": slow_below(rates),
        **({"fraction_of_limit": statistics.median(fractions)} if fractions else {})}.items()}
    return {"name": name, "unit": unit, **rounded, "launches": len(rates), "nodes": len({one.node for one in launches}),
            "first": day(min(times)), "last": day(max(times)), "place": place}

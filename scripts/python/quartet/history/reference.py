"""References that renew themselves: for each kind of node the documents of its newest sound stretch, which is after the
last change of its node, in a folder that `quartet compare` and `quartet node-check` take; and a line for each row, for
people to review."""

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path

from quartet.exit_codes import UNDECIDED, ScriptError
from quartet.files import make_folder, write_text
from quartet.history.changes import LEAST
from quartet.history.moments import Moment
from quartet.history.store import Series, Store
from quartet.history.table import day
from quartet.results.statistics import median_interval
from quartet.text import rate, slug

ROWS = "rows.txt"


def write(folder: Path, store: Store, every: Sequence[Series], found: Sequence[Moment]) -> int:
    """Fills a folder that is new or empty. Returns the number of documents. Raises ScriptError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ScriptError(f"{folder} is not empty (references are compared with the old ones): name a new folder")
    sound = {node: max((moment.end for moment in found if node in moment.nodes), default=float("-inf"))
             for node in {series.node for series in every}}
    stretches = [(series, [value for value in zip(series.times, series.rates) if value[0] >= sound[series.node]])
                 for series in every]
    by_row: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for series, values in stretches:
        if len(values) >= LEAST:
            by_row.setdefault((series.kind, series.row, series.unit), []).extend(values)
    lines = []
    for (kind, row, unit), values in sorted(by_row.items()):
        rates, times = [one for _, one in values], [time for time, _ in values]
        band = median_interval(rates)
        lines.append(f"{kind}; {row}; {rate(statistics.median(rates))} {unit}; "
                     f"{'-'.join(map(rate, band)) if band else 'no band'}; {len(rates)} launches; "
                     f"{day(min(times))} to {day(max(times))}")
    documents = [one for node, begin in sorted(sound.items()) for one in store.files(node, begin)]
    if not lines:
        raise ScriptError(f"no row has {LEAST} launches after its node's last change: wait for more", UNDECIDED)
    for number, (kind, file) in enumerate(documents):
        target = folder / slug(kind)
        make_folder(target)
        shutil.copyfile(file, target / f"{number:04}-{file.name}")
    write_text(folder / ROWS, "\n".join(lines) + "\n")
    return len(documents)

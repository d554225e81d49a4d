"""What nodes of a kind usually reach: the median of launches that something measured before, and the least that is
not slow. From documents, or from files that people review, one for each kind of node (quartet history --reference)."""

import json
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.files import FileProblem, read_json, with_bounds, write_text
from quartet.results import Case, Launches, collect, judged_cases
from quartet.results.outliers import LEAST_VALUES, scored
from quartet.terminal import printable

FALSE_ALARMS = 0.05  # of one look: a node is sick by two
ENDING = ".reference.json"
Key = tuple[str, tuple[object, ...]]  # a row's name and its kind of machine: rates of one kind say nothing of another's


@dataclass(frozen=True)
class Known:
    """Of one row."""

    rate: float  # median
    bound: float  # what is below it is slow
    fraction: Optional[float]  # of the limit
    launches: int
    interval: Optional[tuple[float, float]] = None  # 95% of the median
    source: str = "documents"


@dataclass(frozen=True)
class Reference:
    rows: dict[Key, Known]

    def of(self, case: Case) -> Optional[Known]:
        return self.rows.get((case.text, case.place))

    def why_not(self, case: Case) -> str:
        """The reason why there is nothing about this row."""
        if not self.rows:
            return "no reference"
        is_other = any(text == case.text for text, _ in self.rows)
        return f"the reference has {case.name.kernel} " + ("of other kinds of nodes only" if is_other
                                                           else "of other sizes or ranks only")


def read(paths: Iterable[Path], least: float = 0) -> Reference:
    """From documents, files of references, or folders of either. A row must be at least the share `least` below the
    median to be slow. Raises ScriptError where something is named and nothing is there."""
    named = list(paths)
    rows = {key: known for file in files(named) for key, known in _read(file, least).items()}
    launches: dict[Key, list[Case]] = {}
    found = collect(path for path in named if not path.name.endswith(ENDING))
    for case in judged_cases(document for _, document in found.documents):
        if not case.error and case.rate > 0 and case.verified and not case.is_distrusted:
            launches.setdefault((case.text, case.place), []).append(case)
    rows.update({key: _known(Launches(tuple(cases)), least) for key, cases in launches.items()})
    if named and not rows:
        why = found.skipped[0] if found.skipped else "every row failed, is wrong or in doubt"
        raise ScriptError(f"no reference in {named[0]} ({why}): name documents, or a folder of them")
    return Reference(rows)


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files of references at these paths, or in them as folders."""
    for path in paths:
        yield from sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path] if path.name.endswith(ENDING) else []


def slow_below(rates: Iterable[float]) -> float:
    """What is lower is further from their median than their spread explains. At least LEAST_VALUES rates."""
    return scored({str(number): rate for number, rate in enumerate(rates)}, FALSE_ALARMS).bound(0)


def _known(row: Launches, least: float) -> Known:
    rates = [case.rate for case in row.counting]
    highest = statistics.median(rates) * (1 - least)
    bound = min(highest, slow_below(rates)) if len(rates) >= LEAST_VALUES else highest
    return Known(statistics.median(rates), bound, row.fraction, len(rates))


def write(file: Path, kind: str, sources: Iterable[str], rows: list[dict[str, Any]]) -> None:
    """A row is a line, so that versions of the file can be compared. Raises ScriptError."""
    head = f'{{"kind": {json.dumps(kind)}, "from": {json.dumps(list(sources))}, "rows": ['
    write_text(file, head + ",".join(f"\n {json.dumps(row)}" for row in rows) + "\n]}\n")


def _read(file: Path, least: float) -> dict[Key, Known]:
    try:
        rows = with_bounds(read_json(file), printable)["rows"]
        return {(str(row["name"]), tuple(row["place"])): _as_known(row, file, least) for row in rows}
    except OSError as error:
        raise FileProblem(f"{file}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise FileProblem(f"{file}: no reference of quartet history ({error!r}): write it again") from None


def _as_known(row: dict[str, Any], file: Path, least: float) -> Known:
    median, bound, low, high = (float(row[key]) for key in ("median", "slow_below", "low", "high"))
    if not (0 < bound <= median and 0 < low <= median <= high):
        raise ValueError(f"{row['name']}: slow_below, low, median and high are in no order")
    fraction = row.get("fraction_of_limit")
    return Known(median, min(bound, median * (1 - least)), fraction and float(fraction), int(row["launches"]),
                 (low, high), f"{file.name}, {row['first']} to {row['last']}")

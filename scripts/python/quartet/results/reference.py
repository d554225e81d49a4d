"""What nodes of a kind usually reach: the median of launches that something measured before, and the least that is
not slow, from their documents."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.results import Case, Launches, collect, judged_cases
from quartet.results.outliers import LEAST_VALUES, scored

FALSE_ALARMS = 0.05  # of one look: a node is sick by two
Key = tuple[str, tuple[object, ...]]  # a row's name and its kind of machine: rates of one kind say nothing of another's


@dataclass(frozen=True)
class Known:
    """Of one row."""

    rate: float  # median
    bound: float  # what is below it is slow
    fraction: Optional[float]  # of the limit
    launches: int


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
    """From documents, or folders of them. A row must be at least the share `least` below the median to be slow. Raises
    ScriptError where something is named and nothing is there."""
    named = list(paths)
    launches: dict[Key, list[Case]] = {}
    found = collect(named)
    for case in judged_cases(document for _, document in found.documents):
        if not case.error and case.rate > 0 and case.verified and not case.is_distrusted:
            launches.setdefault((case.text, case.place), []).append(case)
    rows = {key: _known(Launches(tuple(cases)), least) for key, cases in launches.items()}
    if named and not rows:
        why = found.skipped[0] if found.skipped else "every row failed, is wrong or in doubt"
        raise ScriptError(f"no reference in {named[0]} ({why}): name documents, or a folder of them")
    return Reference(rows)


def _known(row: Launches, least: float) -> Known:
    rates = [case.rate for case in row.counting]
    highest = statistics.median(rates) * (1 - least)
    if len(rates) < LEAST_VALUES:
        return Known(statistics.median(rates), highest, row.fraction, len(rates))
    spread = scored({str(number): rate for number, rate in enumerate(rates)}, FALSE_ALARMS)
    return Known(statistics.median(rates), min(highest, spread.bound(0)), row.fraction, len(rates))

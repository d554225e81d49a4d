"""What nodes of this kind usually reach: the median of launches that something measured before, and the least that is
not slow."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.nodes.outliers import LEAST_VALUES, scored
from quartet.results import Case, Launches, collect, judged_cases

FALSE_ALARMS = 0.05  # of one look: a node is sick by two


@dataclass(frozen=True)
class Known:
    """Of one row."""

    rate: float  # median
    bound: float  # what is below it is slow
    fraction: Optional[float]  # of the limit
    launches: int


@dataclass(frozen=True)
class Reference:
    """Rows by name and kind of machine: rates of one kind say nothing of another's."""

    rows: dict[tuple[str, tuple[object, ...]], Known]

    def of(self, case: Case) -> Optional[Known]:
        return self.rows.get((case.text, case.place))

    def why_not(self, case: Case) -> str:
        """The reason why there is nothing about this row."""
        if not self.rows:
            return "no reference"
        is_other = any(text == case.text for text, _ in self.rows)
        return f"the reference has {case.name.kernel} " + ("of other kinds of nodes only" if is_other
                                                           else "of other sizes or ranks only")


def read(paths: Iterable[Path], least: float) -> Reference:
    """From documents, or folders of them. A row must be at least the share `least` below the median to be slow. Raises
    ScriptError where something is named and nothing is there."""
    named = list(paths)
    launches: dict[tuple[str, tuple[object, ...]], list[Case]] = {}
    found = collect(named)
    for case in judged_cases(document for _, document in found.documents):
        if not case.error and case.rate > 0 and case.verified and not case.is_distrusted:
            launches.setdefault((case.text, case.place), []).append(case)
    if named and not launches:
        why = found.skipped[0] if found.skipped else "every row failed, is wrong or in doubt"
        raise ScriptError(f"no reference in {named[0]} ({why}): name documents, or a folder of them")
    return Reference({key: _known(Launches(tuple(cases)), least) for key, cases in launches.items()})


def _known(row: Launches, least: float) -> Known:
    rates = {str(number): case.rate for number, case in enumerate(row.counting)}
    median = statistics.median(rates.values())
    bound = scored(rates, FALSE_ALARMS).bound(least) if len(rates) >= LEAST_VALUES else median * (1 - least)
    return Known(median, bound, row.fraction, len(rates))

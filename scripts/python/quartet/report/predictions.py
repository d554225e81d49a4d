"""What a machine file gives for the cases of a chart, as curves with a band: never a measurement."""

from typing import Optional

from quartet.predict.expectation import Expectations

from .charts.model import Point, Series
from .factors import grouped
from .lines import Line


def series(lines: list[Line], expected: Optional[Expectations]) -> list[Series]:
    """One for each line, or for several of a formulation that should be equally fast."""
    curves = [(line.formulation, points) for line, points in
              ((line, _points(line, expected)) for line in lines) if points]
    alike = grouped(curves, lambda curve: curve)
    made = []
    for number, (formulation, points) in enumerate(alike):
        which = f" ({number + 1})" if [name for name, _ in alike].count(formulation) > 1 else ""
        made.append(Series(f"predicted, not measured: {formulation}{which}, with its 90% band", points,
                           "predicted", formulation=formulation))
    return made


def _points(line: Line, expected: Optional[Expectations]) -> tuple[Point, ...]:
    found = [(x, expected.of(result.case, result.nodes)) for x, result in line.points] if expected else []
    return tuple(Point(x, prediction.rate, (prediction.low, prediction.high))
                 for x, prediction in found if prediction)

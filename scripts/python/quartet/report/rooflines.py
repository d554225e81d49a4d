"""A roofline of each machine: how much arithmetic a case does for a byte, and how fast."""

from typing import Optional

from .cases import Result
from .charts.model import Roofline, Spot
from .factors import by_kernel, grouped, is_pair, label, size_of
from .sections import Section

GIGA = 1e9


def section(results: list[Result]) -> Section:
    """A chart for each machine whose memory and arithmetic were measured."""
    usable = [result for result in results if result.verified and result.unit == "GFLOP/s"
              and _count(result, "flops") and _count(result, "bytes") and not is_pair(result)]
    groups = grouped(usable, lambda result: (result.machine, result.series, result.name.device))
    charts = [chart for chart in map(_chart, groups.values()) if chart]
    return Section(
        "roofline", "Roofline",
        "Each case at its operations a byte, both counted by the kernel's formula, below what the "
        "machine allows: the rate at which limits read memory and multiplied matrices, the fastest "
        "measured. Left of the bend memory decides, right of it arithmetic. A case above the slope "
        "has found its data in a cache.",
        charts, missing="A roofline needs limits of both memory and arithmetic.",
        command="quartet run")


def _count(result: Result, key: str) -> float:
    return float(result.case.median.get(key) or 0)


def _intensity(result: Result) -> float:
    return _count(result, "flops") / _count(result, "bytes")


def _chart(results: list[Result]) -> Optional[Roofline]:
    limited = [(result, result.limit, result.case.limit) for result in results
               if result.limit and result.case.limit and result.case.limit.get("seconds")]
    if not limited:
        return None
    memory = max(_count(result, "bytes") / limit["seconds"] for result, _, limit in limited) / GIGA
    arithmetic = max(limit.rate for _, limit, _ in limited)
    spots = [_spot(result) for result in _largest(results)]
    sides = {spot.intensity < arithmetic / memory for spot in spots}
    if len(sides) == 1:  # one of the two was no limit here
        return None
    slow, fast = (list(dict.fromkeys(spot.group for spot in spots
                                     if (spot.intensity < arithmetic / memory) is side))
                  for side in (True, False))
    title = f"Memory limits {' and '.join(slow)}, arithmetic {' and '.join(fast)}"
    where = ", ".join(filter(None, (results[0].series * results[0].told_by_folder, results[0].machine)))
    notes = tuple(f"{spot.mark} {spot.group} {spot.label}: {result.doubts}"
                  for spot, result in zip(spots, _largest(results)) if spot.mark)
    return Roofline(title, memory, arithmetic, tuple(spots), where, notes)


def _largest(results: list[Result]) -> list[Result]:
    """Returns each way's case on the most workers, then with the largest problem."""
    ways = grouped(sorted(results, key=by_kernel), lambda result: (
        result.name.kernel, result.name.formulation, result.name.words))
    return [max(group, key=lambda item: (item.workers, size_of(item), item.rate)) for group in ways.values()]


def _spot(result: Result) -> Spot:
    return Spot(result.name.kernel, label(result, ("nodes", "folder", "machine")), _intensity(result),
                result.rate, result.name.formulation, result.name.transport, result.mark,
                result.case.text)

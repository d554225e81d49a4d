"""A roofline of each machine: how much arithmetic a case does for a byte, and how fast."""

from collections.abc import Iterator
from typing import Optional

from quartet.kernels import KERNELS

from .cases import Result
from .charts.model import Roofline, Spot
from .factors import by_kernel, grouped, is_pair, label
from .kernels_chart import on_one_problem
from .sections import Section

GIGA = 1e9
MEMORY, ARITHMETIC = {"reading the matrix", "memory copy"}, {"SGEMM", "float64 arithmetic"}  # parts of limits


def section(results: list[Result]) -> Section:
    """A chart for each machine whose memory and arithmetic were measured."""
    usable = [result for result in results if result.verified and result.unit == "GFLOP/s"
              and _count(result, "flops") and _count(result, "bytes") and not is_pair(result)]
    groups = grouped(usable, lambda result: (result.machine, result.series, result.name.device))
    charts = [chart for chart in map(_chart, groups.values()) if chart]
    return Section(
        "roofline", "Roofline",
        "Each case at its operations a byte, both counted by the kernel's formula, below what the machine allows: "
        "the rate at which limits read or copied memory, and for each precision that at which they computed, the "
        "fastest measured (FP64: multiply-adds in registers; others: the BLAS). Left of a bend memory decides, right "
        "of it arithmetic. A case above the slope has found its data in a cache. All ways of a kernel have the same "
        "size: the largest that most formulations have.",
        charts, missing="A roofline needs limits of both memory and arithmetic.",
        command="quartet run")


def _count(result: Result, key: str) -> float:
    return float(result.case.median.get(key) or 0)


def _precision(result: Result) -> str:
    kernel = KERNELS.get(result.name.kernel)
    return (result.name.math or (kernel.precision if kernel else "")).upper()


def _rates(results: list[Result], parts: set[str], counted: str) -> Iterator[float]:
    """The rates of those parts of limits, in billions of flops or bytes a second."""
    for result in results:
        limit = result.case.limit or {}
        components = result.case.median.get("limit_components") or [{"name": limit.get("what"), **limit}]
        yield from (_count(result, counted) / part["seconds"] / GIGA for part in components
                    if part["name"] in parts and part.get("seconds"))


def _chart(results: list[Result]) -> Optional[Roofline]:
    memory = max(_rates(results, MEMORY, "bytes"), default=0)
    by_precision = grouped(sorted(results, key=by_kernel), _precision)
    fastest = {precision: max(_rates(members, ARITHMETIC, "flops"), default=0)
               for precision, members in by_precision.items()}
    roofs = {precision: rate for precision, rate in fastest.items() if rate}
    if not memory or not roofs:
        return None
    kernels = grouped(sorted(results, key=by_kernel), lambda result: (result.name.kernel, _precision(result)))
    shown = [result for members in kernels.values() for found in on_one_problem(members) for result in found]
    spots = tuple(map(_spot, shown))
    where = ", ".join(filter(None, (results[0].series * results[0].told_by_folder, results[0].machine)))
    notes = tuple(f"{spot.mark} {spot.group} {spot.label}: {result.doubts}"
                  for spot, result in zip(spots, shown) if spot.mark)
    return Roofline(_title(spots, memory, roofs), memory, roofs, spots, where, notes)


def _title(spots: tuple[Spot, ...], memory: float, roofs: dict[str, float]) -> str:
    """Says which kernels memory limits, and which arithmetic. Where a precision has no roof the highest counts."""
    highest = max(roofs.values())
    sides: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for spot in spots:
        sides[spot.intensity * memory < roofs.get(spot.precision, highest)][spot.group] = None
    text = ", ".join(f"{what} {' and '.join(names)}" for what, names in
                     zip(("memory limits", "arithmetic limits"), sides.values()) if names)
    return text[:1].upper() + text[1:]


def _spot(result: Result) -> Spot:
    return Spot(result.name.kernel, label(result, ("nodes", "folder", "machine")), _intensity(result),
                result.rate, result.name.formulation, result.name.transport, result.mark,
                result.case.text, _precision(result))


def _intensity(result: Result) -> float:
    return _count(result, "flops") / _count(result, "bytes")

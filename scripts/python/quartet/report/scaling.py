"""Speed-ups with their base case, beside the published ones."""

from collections.abc import Sequence
from typing import Any, Optional

from quartet.results.published import Number
from quartet.text import rate

from .cases import Result
from .factors import grouped, label, size_of
from .lines import FOLLOW_RANKS
from .sections import Table


def speedups(title: str, lines: Any, unit: str) -> list[Table]:
    """One table for a chart's lines that have more than one number of workers."""
    rows = []
    for line in lines:
        if len(line.points) < 2:
            continue
        first, base = line.points[0]
        for x, result in line.points:
            gained = result.rate / base.rate
            low, high = result.interval or (0, 0)
            rows.append((line.label, f"{x:g}", rate(result.rate) + result.mark,
                         f"{rate(low)} to {rate(high)}" if result.interval else "",
                         f"{gained:.2f}x", f"{gained * first / x:.0%}",
                         f"{rate(base.rate)} {unit} on {first:g}",
                         result.fraction_text))
    if not rows:
        return []
    return [Table(("line", "workers", unit, "interval", "speed-up", "efficiency",
                   "base: rate on workers", "of its limit"), rows,
                  frozenset({"workers", unit, "interval", "speed-up", "efficiency",
                             "of its limit"}),
                  f"Speed-up, {title}")]


def published_steps(results: list[Result], numbers: Sequence[Number]) -> list[Table]:
    """The published speed-ups for which there is one of ours: of the same step in workers, on the same
    kind of device, at a like size."""
    rows = []
    for number in numbers:
        ours = _ours(results, number) if number.unit == "speed-up" else None
        if ours:
            rows.append((number.text, number.conditions, *ours, number.source, number.caveat))
    if not rows:
        return []
    return [Table(("published", "conditions", "ours", "our base", "our case", "source", "caveat"),
                  rows, frozenset({"published", "ours"}),
                  "Published speed-ups, and ours for the same step in workers at a like size")]


def _ours(results: list[Result], number: Number) -> Optional[tuple[str, str, str]]:
    """Speed-up, base in absolute terms, and case, of the largest such problem that was run so."""
    alike = [result for result in results if number.is_of(result)]
    lines = grouped(alike, lambda result: (label(result, FOLLOW_RANKS), result.machine, result.series))
    pairs = []
    for members in lines.values():
        by_workers = {result.workers: result for result in sorted(members, key=lambda item: item.rate)}
        if number.base in by_workers and number.workers in by_workers:
            pairs.append((by_workers[number.base], by_workers[number.workers]))
    if not pairs:
        return None
    base, more = max(pairs, key=lambda pair: (size_of(pair[1]), pair[1].rate))
    return (f"{more.rate / base.rate:.2f}x", f"{rate(base.rate)} {base.unit} on {base.workers}", label(more))

"""The table of a sweep, 80 columns wide: every block with its series of rates. Above a series is the base of its
speed-ups with its rate. Speed-ups are over workers, not ranks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Optional

from quartet.exit_codes import VERIFIED
from quartet.results import Launches, Row, grouped, load
from quartet.sweep.folder import Launch, SweepFolder, judged_launches, launches
from quartet.sweep.plan import Block
from quartet.text import (
    ABOVE_LIMIT,
    CHECKS,
    DISTRUSTED,
    aligned_rows,
    counted,
    fraction_cell,
    interval_cell,
    median_cell,
    rate,
    wrapped,
)

HEADINGS = ("size", "nodes", "ranks", "workers", "median", "range", "launches", "speed-up", "effic.",
            "fraction", "check")
VARYING = ("size", "n", "ranks", "tiles")  # within a series; tiles depend on size and ranks


@dataclass(frozen=True)
class Point(Launches):
    """One case on the nodes that were asked for, over all its launches."""

    where: str = ""  # the requested nodes
    is_misplaced: bool = False  # a launch ran elsewhere

    @property
    def rate_mark(self) -> str:
        return "?" if self.is_misplaced or self.mark == "?" else ""


def _points(block: Block, measured: dict[Launch, list[Row]], misplaced: set[Launch]) -> list[Point]:
    """The points of a block. Launches of two configurations are of one case if their rows have the same name, as where
    the transport is "auto" in one and "shm" in the other."""
    order = {number: place for place, number in enumerate(block.members)}
    found: dict[tuple[str, str, int], dict[Launch, Row]] = {}
    for launch in sorted((each for each in measured if each.number in order), key=lambda each: order[each.number]):
        where = ",".join(launch.configuration.hosts) or str(launch.configuration.nodes or "")
        for row in measured[launch]:
            if not row.error:
                found.setdefault((where, row.text, row.nodes), {})[launch] = row
    return [Point(tuple(rows.values()), where, not misplaced.isdisjoint(rows)) for (where, _, _), rows in found.items()]


def _series(point: Point) -> str:
    """The heading of a point's series: the factors that all its points share."""
    name = point.name
    more = [f"{key}:{value}" for key, value in name.values.items() if key not in VARYING]
    return ", ".join([f"{name.kernel} {point.unit}", name.formulation, name.transport, name.device, *name.words, *more])


def base_of(point: Point, series: list[Point], scaling: str) -> Optional[Point]:
    """The base of a point's speed-up: the point with the fewest workers, in strong scaling of the same size. None if
    the block has no scaling, or all points have equally many workers."""
    candidates = [other for other in series if other.verified is not False
                  and (scaling == "weak" or other.name.size == point.name.size)]
    if scaling == "none" or len({other.workers for other in candidates}) < 2:
        return None
    return min(candidates, key=lambda other: other.workers)


def _base_in_words(base: Point, scaling: str) -> str:
    growth = ", the size growing with the workers" if scaling == "weak" else ""
    return (f"  speed-up against {rate(base.rate)}{base.rate_mark} {base.row.unit} on "
            f"{counted(base.workers, 'worker')} at {base.name.plain_size}{growth}")


def _cells(point: Point, base: Optional[Point]) -> tuple[str, ...]:
    speed_up = efficiency = ""
    if base is point:
        speed_up = "base"
    elif base and point.verified is not False:
        ratio, mark = point.rate / base.rate, point.rate_mark or base.rate_mark
        speed_up, efficiency = f"{ratio:.2f}x{mark}", f"{ratio * base.workers / point.workers:.0%}{mark}"
    launched, counting = str(len(point.rows)), len(point.undisturbed)
    return (point.name.plain_size, point.where, point.name.values.get("ranks", ""), str(point.workers),
            median_cell(point.rate, point.rate_mark),
            interval_cell(point.interval), f"{counting} of {launched}" if point.disturbance else launched, speed_up,
            efficiency, fraction_cell(point.fraction, point.mark), CHECKS[point.verified])


def _block_rows(points: list[Point], scaling: str) -> list[Any]:
    """Headings, which are texts, and table rows, which are cells that are aligned over the whole table."""
    rows: list[Any] = []
    for heading, series in grouped(points, _series).items():
        bases = [base_of(point, series, scaling) for point in series]
        rows += [heading, *dict.fromkeys(_base_in_words(base, scaling) for base in bases if base),
                 *(_cells(point, base) for point, base in zip(series, bases))]
    return rows


def _in_doubt(points: Iterable[Point]) -> list[str]:
    """Why points are in doubt. Those with the same short name have the factors that differ, too."""
    found: list[str] = []
    for short, alike in grouped(points, lambda point: point.name.short).items():
        factors = [{*each.name.values.items(), ("device", each.name.device), ("nodes", each.where)} for each in alike]
        shared = set.intersection(*factors)
        for point, own in zip(alike, factors):
            others = [f", {key}:{value}" for key, value in sorted(own - shared) if value and key != "tiles"]
            why = dict.fromkeys(text for row in point.undisturbed if row.is_distrusted for text in row.doubts)
            found += [f"{short}{''.join(others)}: {'; '.join(why) or point.disturbance}"] if point.mark == "?" else []
    return list(dict.fromkeys(found))


def _grouped(problems: Iterable[tuple[Launch, str]], mark: str) -> list[str]:
    """A note for each problem, with the number of launches that have it."""
    said = grouped(problems, lambda problem: f"{problem[0].configuration.title}: {problem[1]}")
    return [line for text, members in said.items()
            for line in wrapped(mark, f"{counted(len(members), 'launch')} of {text}")]


def _failure(folder: SweepFolder, launch: Launch) -> str:
    """How a launch failed; empty if it did not, or was not run."""
    outcome = folder.outcome(launch)
    if not outcome:
        return ""
    if outcome.exit_code != VERIFIED:
        return f"{outcome.message} (exit code {outcome.exit_code})"
    try:
        load(folder.document(launch))
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def render(folder: SweepFolder) -> str:
    """The table of all launches so far; below it how many launches are left, and the failures."""
    everything = launches(folder.plan)
    misplacements = [(launch, text) for launch in everything for text in folder.misplacement(launch)]
    measured = judged_launches(folder, everything)
    rows: list[Any] = [HEADINGS]
    shown: list[Point] = []
    for block in folder.plan.blocks:
        points = _points(block, measured, {launch for launch, _ in misplacements})
        shown += points
        rows += ["", block.title, *_block_rows(points, block.scaling)]
    if not any(one.nodes or one.hosts for one in folder.plan.configurations):
        rows = [(row[0], *row[2:]) if isinstance(row, tuple) else row for row in rows]
    is_empty = not any(isinstance(row, tuple) for row in rows[1:])
    below = wrapped("", "nothing was measured" if is_empty else "median: of the launches' medians; range: from the "
                    "lowest to the highest of them, with one launch the 95% interval of its median"
                    + "; launches: those not in doubt, of those that ended" * any(one.disturbance for one in shown))
    below += [line for note in folder.plan.notes for line in wrapped("", note)]
    left = sum(folder.outcome(launch) is None for launch in everything)
    below += wrapped("", f"{counted(left, 'launch')} not complete yet") if left else []
    below += [line for mark, text in (("!", ABOVE_LIMIT), ("?", DISTRUSTED))
              if mark in {point.mark for point in shown} for line in wrapped(mark, text)]
    below += [line for text in _in_doubt(shown) for line in wrapped("", text)] + _grouped(misplacements, "?")
    below += _grouped(((launch, text) for launch in everything if (text := _failure(folder, launch))), "x")
    return "\n".join([*([] if is_empty else [*aligned_rows(rows, indent="    "), ""]), *below]).rstrip() + "\n"

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
    size,
    wrapped,
)

HEADINGS = ("size", "nodes", "ranks", "workers", "median", "range", "launches", "speed-up", "effic.",
            "fraction", "check")
VARYING = ("size", "n", "ranks", "tiles")  # within a series; tiles depend on size and ranks


@dataclass(frozen=True)
class Point(Launches):
    """One case of one configuration, over all its launches."""

    where: str = ""  # the requested nodes
    is_misplaced: bool = False  # a launch ran elsewhere


def _points(folder: SweepFolder, block: Block, measured: dict[Launch, list[Row]], misplaced: set[int]) -> list[Point]:
    found: dict[tuple[int, str, int], list[Row]] = {}
    for launch, rows in measured.items():
        for row in rows if launch.number in block.members else ():
            if not row.error:
                found.setdefault((launch.number, row.text, row.nodes), []).append(row)
    order = {number: place for place, number in enumerate(block.members)}
    asked = folder.plan.configurations
    return [Point(tuple(members), ",".join(asked[number].hosts) or str(asked[number].nodes or ""), number in misplaced)
            for (number, _, _), members in sorted(found.items(), key=lambda item: order[item[0][0]])]


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
    return (f"  speed-up against {rate(base.rate)} {base.row.unit} on "
            f"{counted(base.workers, 'worker')} at {size(base.name.size)}{growth}")


def _cells(point: Point, base: Optional[Point]) -> tuple[str, ...]:
    speed_up = efficiency = ""
    if base is point:
        speed_up = "base"
    elif base and point.verified is not False:
        ratio = point.rate / base.rate
        speed_up, efficiency = f"{ratio:.2f}x", f"{ratio * base.workers / point.workers:.0%}"
    launched, counting = str(len(point.rows)), len(point.undisturbed)
    return (size(point.name.size), point.where, point.name.values.get("ranks", ""), str(point.workers),
            median_cell(point.rate, "?" if point.is_misplaced else point.mark),
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


def _grouped(problems: Iterable[tuple[Launch, str]], mark: str) -> list[str]:
    """A note for each problem, with the number of launches that have it."""
    said: dict[str, set[Launch]] = {}
    for launch, text in problems:
        said.setdefault(f"{launch.configuration.title}: {text}", set()).add(launch)
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
    """The table of all launches so far; below it the failures, and how many launches are left."""
    everything = launches(folder.plan)
    misplacements = [(launch, text) for launch in everything for text in folder.misplacement(launch)]
    misplaced = {launch.number for launch, _ in misplacements}
    measured = judged_launches(folder, everything)
    rows: list[Any] = [HEADINGS]
    marks: set[str] = set()
    disturbed: dict[str, None] = {}
    for block in folder.plan.blocks:
        points = _points(folder, block, measured, misplaced)
        marks |= {point.mark for point in points}
        disturbed.update({f"{point.name.short}: {point.disturbance}": None for point in points if point.disturbance})
        rows += ["", block.title, *_block_rows(points, block.scaling)]
    if not any(one.nodes or one.hosts for one in folder.plan.configurations):
        rows = [(row[0], *row[2:]) if isinstance(row, tuple) else row for row in rows]
    is_empty = not any(isinstance(row, tuple) for row in rows[1:])
    below = wrapped("", "nothing was measured" if is_empty else "median: of the launches' medians; range: from the "
                    "lowest to the highest of them, with one launch the 95% interval of its median")
    below += [line for mark, text in (("!", ABOVE_LIMIT), ("?", DISTRUSTED)) if mark in marks
              for line in wrapped(mark, text)]
    below += [line for text in disturbed for line in wrapped("", text)]
    below += _grouped(misplacements, "?") + [line for note in folder.plan.notes for line in wrapped("", note)]
    below += _grouped(((launch, text) for launch in everything if (text := _failure(folder, launch))), "x")
    left = sum(folder.outcome(launch) is None for launch in everything)
    below += wrapped("", f"{counted(left, 'launch')} not run yet") if left else []
    return "\n".join([*([] if is_empty else [*aligned_rows(rows, indent="    "), ""]), *below]).rstrip() + "\n"

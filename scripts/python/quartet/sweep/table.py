"""The table of a sweep, 80 columns wide: every block with its series of rates. The base of a speed-up
stands above its series, in absolute terms. Speed-ups count workers, not ranks."""

from dataclasses import dataclass
from typing import Any, Optional

from quartet.exit_codes import VERIFIED
from quartet.predict.expectation import Expectations
from quartet.predict.residue import unexplained
from quartet.results import Case, Launches, load
from quartet.sweep import placement
from quartet.sweep.folder import Launch, SweepFolder, judged_launches, launches
from quartet.sweep.plan import Block, Configuration
from quartet.tables.cells import CHECKS, aligned_rows, fraction_cell, interval_cell, median_cell
from quartet.text import (
    ABOVE_LIMIT,
    DISTRUSTED,
    counted,
    rate,
    size,
    wrapped,
)

HEADINGS = ("size", "nodes", "ranks", "workers", "median", "range", "launches", "speed-up", "effic.",
            "of limit", "check")
VARYING = ("size", "n", "ranks", "tiles")  # within a series; tiles follow size and ranks


@dataclass(frozen=True)
class Point(Launches):
    """One case over all its launches, as one configuration asked for it."""

    where: str = ""  # nodes that were asked for
    is_misplaced: bool = False  # a launch ran elsewhere

    @property
    def is_right(self) -> bool:
        return self.verified is not False

    @property
    def mark_of_rate(self) -> str:
        return "?" if self.is_misplaced or self.mark == "?" else ""


def _points(folder: SweepFolder, block: Block, measured: dict[Launch, list[Case]], misplaced: set[int]) -> list[Point]:
    found: dict[tuple[int, str, int], list[Case]] = {}
    for launch, cases in measured.items():
        for case in cases if launch.number in block.members else ():
            if not case.error:
                found.setdefault((launch.number, case.text, case.nodes), []).append(case)
    order = {number: place for place, number in enumerate(block.members)}
    return [Point(tuple(members), _where(folder.plan.configurations[number]), number in misplaced)
            for (number, _, _), members in sorted(found.items(), key=lambda item: order[item[0][0]])]


def _where(one: Configuration) -> str:
    return ",".join(one.hosts) or (str(one.nodes) if one.nodes else "")


def _series(points: list[Point]) -> dict[str, list[Point]]:
    """Points by what is alike in a series, in words."""
    result: dict[str, list[Point]] = {}
    for point in points:
        name = point.name
        others = [f"{key}:{value}" for key, value in name.values.items() if key not in VARYING]
        heading = ", ".join([f"{name.kernel} {point.case.unit}", name.formulation,
                             name.transport, name.device, *name.words, *others])
        result.setdefault(heading, []).append(point)
    return result


def base_of(point: Point, series: list[Point], scaling: str) -> Optional[Point]:
    """The base of a point's speed-up: the point with the fewest workers, in strong scaling at the
    same size. None if nothing scales."""
    fellows = [other for other in series if other.is_right
               and (scaling == "weak" or other.name.size == point.name.size)]
    if scaling == "none" or len({other.workers for other in fellows}) < 2:
        return None
    return min(fellows, key=lambda other: other.workers)


def _base_in_words(base: Point, scaling: str) -> str:
    growth = ", the size growing with the workers" if scaling == "weak" else ""
    return (f"speed-up against {rate(base.rate)} {base.case.unit} on "
            f"{counted(base.workers, 'worker')} at {size(base.name.size)}{growth}")


def _cells(point: Point, base: Optional[Point]) -> tuple[str, ...]:
    speed_up = efficiency = ""
    if base is point:
        speed_up = "base"
    elif base and point.is_right:
        ratio = point.rate / base.rate
        speed_up, efficiency = f"{ratio:.2f}x", f"{ratio * base.workers / point.workers:.0%}"
    return (size(point.name.size), point.where, point.name.values.get("ranks", ""), str(point.workers),
            median_cell(point.rate, point.mark_of_rate), interval_cell(point.interval), str(len(point.cases)), speed_up,
            efficiency, fraction_cell(point.fraction, point.mark), CHECKS[point.verified])


def _predicted(series: list[Point], expected: Optional[Expectations]) -> list[str]:
    """Says in a line what the series should give; nothing if nothing can be said."""
    found = [(point, expected.of(point.case, point.nodes)) for point in series] if expected else []
    bands = [f"{rate(one.low)}-{rate(one.high)} at {size(point.name.size)} on "
             f"{counted(point.workers, 'worker')}" for point, one in found if one]
    return [f"  predicted (90%), not measured: {', '.join(bands)}"] if bands else []


def _surprises(points: list[Point], expected: Optional[Expectations]) -> list[str]:
    """A line for each point outside its band."""
    found = [(point, expected.surprise(point.case, point.nodes, point.rate)) for point in points
             if point.is_right and not point.mark_of_rate] if expected else []
    return [line for point, text in found if text for line in wrapped(
        "~", f"{point.name.kernel} {point.name.formulation} {point.name.transport} "
        f"{size(point.name.size)}, {counted(point.workers, 'worker')}: {text}")]


def _residues(points: list[Point], expected: Optional[Expectations]) -> list[str]:
    """A line for each series of which the model leaves something unexplained."""
    lines = []
    for series in _series(points).values():
        found = [(point, expected.of(point.case, point.nodes)) for point in series
                 if point.is_right and not point.mark_of_rate] if expected else []
        text = unexplained((point, one) for point, one in found if one)
        name = series[0].name
        lines += wrapped("~", f"{name.kernel} {name.formulation} {name.transport}: {text}") if text else []
    return lines


def _block_rows(points: list[Point], scaling: str, expected: Optional[Expectations]) -> list[Any]:
    """Lines of text, and cells that are aligned over the whole table."""
    rows: list[Any] = []
    for heading, series in _series(points).items():
        rows.append(heading)
        bases = [base_of(point, series, scaling) for point in series]
        rows += [f"  {_base_in_words(base, scaling)}" for base in _unique(bases) if base]
        rows += [_cells(point, base) for point, base in zip(series, bases)]
        rows += _predicted(series, expected)
    return rows


def _unique(points: list[Any]) -> list[Any]:
    return [point for place, point in enumerate(points) if all(point is not other for other in points[:place])]


def _failures(folder: SweepFolder, everything: list[Launch]) -> list[str]:
    """Lists the launches that did not end well, once for all that say the same."""
    said: dict[str, list[Launch]] = {}
    for launch in everything:
        outcome = folder.outcome(launch)
        if outcome and outcome.exit_code != VERIFIED:
            code = f"(exit code {outcome.exit_code})"
            text = f"{launch.configuration.title}: {outcome.message} {code}"
            said.setdefault(text, []).append(launch)
        elif outcome:
            try:
                load(folder.document(launch))
            except (OSError, ValueError) as error:
                said.setdefault(f"{launch.configuration.title}: {error}", []).append(launch)
    lines = [line for text, members in said.items()
             for line in wrapped("x", f"{counted(len(members), 'launch')} of {text}")]
    left = sum(folder.outcome(launch) is None for launch in everything)
    return lines + (wrapped("", f"{counted(left, 'launch')} not run yet") if left else [])


def _misplacements(folder: SweepFolder, everything: list[Launch]) -> dict[str, list[int]]:
    """Lists the launches that ran elsewhere than they should, by what is said of them."""
    said: dict[str, list[int]] = {}
    for launch in everything:
        for problem in placement.problems_of(folder, launch):
            said.setdefault(f"{launch.configuration.title}: {problem}", []).append(launch.number)
    return said


def _notes(folder: SweepFolder, everything: list[Launch], marks: set[str],
           misplacements: dict[str, list[int]]) -> list[str]:
    lines = wrapped("", "median: of the launches' medians; range: from the lowest to the highest "
                        "of them, with one launch the 95% interval of its median")
    if "!" in marks:
        lines += wrapped("!", ABOVE_LIMIT)
    if "?" in marks:
        lines += wrapped("?", DISTRUSTED)
    lines += [line for text, members in misplacements.items()
              for line in wrapped("?", f"{counted(len(members), 'launch')} of {text}")]
    return lines + [line for note in folder.plan.notes for line in wrapped("", note)] \
        + _failures(folder, everything)


def render(folder: SweepFolder, expected: Optional[Expectations] = None) -> str:
    """The table over all that was measured so far, with what failed and what is left below. Beside it
    what was `expected`, and which points are outside of that."""
    everything = launches(folder.plan)
    misplacements = _misplacements(folder, everything)
    misplaced = {number for members in misplacements.values() for number in members}
    rows: list[Any] = [HEADINGS]
    surprises: list[str] = []
    measured = judged_launches(folder, everything)
    marks: set[str] = set()
    for block in folder.plan.blocks:
        points = _points(folder, block, measured, misplaced)
        marks |= {point.mark for point in points}
        rows += ["", block.title, *_block_rows(points, block.scaling, expected)]
        surprises += [*_surprises(points, expected), *_residues(points, expected)]
    missing = [line for text in (expected.missing if expected else ()) for line in wrapped("~", text)]
    if not any(one.nodes or one.hosts for one in folder.plan.configurations):
        rows = [(row[0], *row[2:]) if isinstance(row, tuple) else row for row in rows]
    below = [*surprises, *missing, *_notes(folder, everything, marks, misplacements)]
    return "\n".join([*aligned_rows(rows, indent="    "), "", *below]).rstrip() + "\n"

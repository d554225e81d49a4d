"""The acceptance report of a check of nodes, for the buyer and the vendor of a cluster: one PDF with who passed and who
did not, against which reference, on how many launches, and every rate. Needs matplotlib."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from quartet.files import replacing
from quartet.nodes.findings import NETWORK, Earlier, Findings, Measure
from quartet.nodes.plan import PAIR
from quartet.report.charts import style
from quartet.report.charts.markup import sound
from quartet.report.factors import natural
from quartet.results.outliers import LEAST_VALUES
from quartet.sweep.folder import launches
from quartet.sweep.plan import Plan
from quartet.text import ABOVE_LIMIT, DISTRUSTED, aligned, counted, rate, widths_of

HEIGHT, WIDTH, MARGIN = 842.0, 595.0, 48.0  # A4, in points
COLUMNS = 102  # of a line of a table
CHARTS = 4  # on a page
GOOD, BAD = style.FORMULATIONS["library"], style.FORMULATIONS["dataflow"]
SIGNATURE = "Accepted by: " + "_" * 34 + "   Date: " + "_" * 14


@dataclass(frozen=True)
class Line:
    text: str
    size: float = 10
    weight: str = "normal"
    colour: str = style.INK
    family: str = "sans-serif"


@dataclass(frozen=True)
class Acceptance:
    machine: str
    date: str
    folder: str
    plan: Plan
    found: Findings
    earlier: Earlier
    false_alarms: float
    least: float

    @cached_property
    def nodes(self) -> list[str]:
        return sorted({host for one in self.plan.configurations for host in one.hosts}, key=natural)

    @cached_property
    def links(self) -> list[str]:
        """Those that no slow node explains."""
        slow = {one.who for one in self.found.slow if one.what == NETWORK}
        return sorted({" - ".join(one.hosts) for one in self.plan.configurations
                       if one.nodes == 2 and not slow & set(one.hosts)}, key=natural)

    @property
    def explained(self) -> int:
        """How many links are left to their slow node."""
        return sum(len(block.members) for block in self.plan.blocks if block.title == PAIR) - len(self.links)

    @cached_property
    def problems(self) -> dict[str, str]:
        """The reason why each node or link has not passed, for those."""
        found: dict[str, list[str]] = {}
        for one in self.found.slow:
            since = self.earlier.since(one.who, one.what)
            below = "reference" if one.score is None else "median"
            found.setdefault(one.who, []).append(
                f"{one.what} {one.share:.0%} below the {below}" + f", since {since}" * (not since.startswith("now")))
        for (who, what), why in self.found.failures.items():
            found.setdefault(who, []).append(f"{what} failed: {why}")
        rated = {(who, measure.what) for measure in self.found.measures for who in measure.rates}
        links = set(self.links)
        for block in self.plan.blocks:
            for place in block.members:
                who = " - ".join(self.plan.configurations[place].hosts)
                missing = (who, block.title) not in rated and (who, block.title) not in self.found.failures
                if missing and (block.title != PAIR or who in links):
                    found.setdefault(who, []).append(f"{block.title} not run")
        order = sorted(found, key=lambda who: (" - " in who, natural(who)))
        return {who: "; ".join(found[who]) for who in order}

    @property
    def verdict(self) -> tuple[str, str]:
        """In a line, and its colour."""
        bad = list(self.problems)
        if self.found.left:
            return f"INCOMPLETE: {counted(self.found.left, 'launch')} not run yet", style.GREY
        if bad:
            return f"NOT PASSED: {', '.join(bad[:6])}{f' and {len(bad) - 6} more' * (len(bad) > 6)}", BAD
        if not self.found.is_decided:
            return f"UNDECIDED: too few nodes to tell who stands out ({LEAST_VALUES} at least)", style.GREY
        return "PASSED", GOOD


def write(report: Acceptance, file: Path) -> None:
    """Replaces the file."""
    import matplotlib
    from matplotlib.backends.backend_pdf import PdfPages
    with style.applied(), matplotlib.rc_context({"pdf.fonttype": 42}), replacing(file) as aside, PdfPages(
            aside, metadata={"Title": f"Acceptance of {report.machine}", "CreationDate": None}) as pdf:
        figures = [*_sheets(_lines(report)), *_charts(report)]
        for number, figure in enumerate(figures, 1):
            _put(figure, 24, Line(f"Quartet, acceptance of {report.machine}, {report.date}: "
                                  f"page {number} of {len(figures)}", 8, colour=style.GREY))
            pdf.savefig(figure)


def _lines(report: Acceptance) -> Iterable[Line]:
    """What the report says, from top to bottom."""
    text, colour = report.verdict
    yield Line(f"Acceptance of {report.machine}", 20, "bold")
    yield Line("", 4)
    yield Line(f"written {report.date} from {report.folder}", 9, colour=style.GREY)
    yield Line("")
    yield from _folded(Line(text, 14, "bold", colour), 66)
    yield Line("")
    for name, members in (("nodes", report.nodes), ("links", report.links)):
        passed = sum(who not in report.problems for who in members)
        explained = f"; {report.explained} more belong to nodes with a slow network" * (
            name == "links" and report.explained > 0)
        yield Line(f"{passed} of {len(members)} {name} passed{explained}" if members else f"no {name} were judged", 11)
    yield Line("")
    yield from (line for fact in _facts(report) for line in _folded(Line(fact)))
    if report.problems:
        yield from _heading("Not passed")
        yield from (line for who, why in report.problems.items() for line in _folded(Line(f"{who}: {why}")))
    yield from (Line(""), Line(""), Line(SIGNATURE), Line(""))
    yield from _heading("Every node")
    yield from _table(report, [measure for measure in report.found.measures if measure.what != PAIR], report.nodes)
    pairs = [measure for measure in report.found.measures if measure.what == PAIR]
    if pairs:
        yield from _heading("Every link that no slow node explains")
        yield from _table(report, pairs, report.links)


def _facts(report: Acceptance) -> Iterable[str]:
    """Reference, launches and problems."""
    yield ("Reference: the median of all nodes, or links, of this check. One passes unless it is "
           f"{report.least:.0%} or more below the median, and further than chance explains: alike and undisturbed "
           f"nodes would give a false alarm in {report.false_alarms:.0%} of such checks.")
    for measure in report.found.measures:
        for known in list(measure.known.values())[:1]:
            yield (f"{measure.what}: nor may one be below {rate(known.bound)} {measure.unit}, by the reference "
                   f"(median {rate(known.rate)} of {counted(known.launches, 'launch')})")
        if measure.sample:
            yield (f"{measure.what}: median {rate(measure.sample.median)} {measure.unit} of {len(measure.rates)}, "
                   f"robust deviation {measure.sample.deviation:.1%}, "
                   f"passes from {rate(measure.sample.bound(report.least))} on")
    done = len(launches(report.plan)) - report.found.left
    most = max(one.launches for one in report.plan.configurations)
    yield (f"{counted(done, 'launch')}, {most} of each; the best counts. Every result that counts was verified by its "
           "program.")
    programs = "; ".join(f"{name} {version}" for name, version in report.plan.programs.items())
    yield f"Programs: {programs}"
    marks = {mark for measure in report.found.measures for _, mark in measure.rates.values()}
    yield from (f"{mark} {text}." for mark, text in (("!", ABOVE_LIMIT), ("?", DISTRUSTED)) if mark in marks)
    for block in report.plan.blocks:
        one = report.plan.configurations[block.members[0]]
        yield f"{block.title}: {one.kernel} {one.size} {' '.join(one.arguments)}, {counted(one.ranks, 'rank')}"


def _heading(text: str) -> tuple[Line, ...]:
    return Line(""), Line(text, 12, "bold"), Line("", 4)


def _folded(line: Line, columns: int = 96) -> list[Line]:
    return [Line(text, line.size, line.weight, line.colour) for text in textwrap.wrap(line.text, columns)]


def _table(report: Acceptance, measures: list[Measure], members: list[str]) -> Iterable[Line]:
    heading = ("", *(f"{measure.what}, {measure.unit}" for measure in measures), "")
    rows = [heading, *((who, *(_rated(measure, who) for measure in measures), report.problems.get(who, "passed"))
                       for who in members)]
    widths = widths_of(rows)
    for row in rows:
        text = aligned(row, widths, (0, len(heading) - 1))
        yield Line(text if len(text) <= COLUMNS else text[:COLUMNS - 3] + "...", 8,
                   "bold" if row is heading else "normal", BAD if row[0] in report.problems else style.INK, "monospace")


def _rated(measure: Measure, who: str) -> str:
    value, mark = measure.rates.get(who, (0.0, ""))
    return rate(value) + mark if value else "-"


def _sheets(lines: Iterable[Line]) -> list[Any]:
    """The lines on as many pages as they need."""
    figures: list[Any] = []
    y = 0.0
    for line in lines:
        if y < MARGIN + line.size:
            figures.append(style.figure(HEIGHT, WIDTH))
            y = HEIGHT - MARGIN
        y -= line.size * 1.35
        _put(figures[-1], y, line)
    return figures


def _put(figure: Any, y: float, line: Line) -> None:
    figure.text(MARGIN / WIDTH, y / HEIGHT, sound(line.text).replace("$", r"\$"), size=line.size, weight=line.weight,
                color=line.colour, family=line.family)


def _charts(report: Acceptance) -> list[Any]:
    """Each measure's rates in order, with the median, the bound, and the names of who is below it."""
    measures = [measure for measure in report.found.measures if measure.sample]
    figures = []
    for start in range(0, len(measures), CHARTS):
        figure = style.figure(HEIGHT, WIDTH)
        figure.get_layout_engine().set(rect=(0.06, 0.05, 0.88, 0.9))
        for axes, measure in zip(figure.subplots(CHARTS, 1, squeeze=False).flat, measures[start:start + CHARTS]):
            _draw(axes, report, measure)
        for axes in figure.axes[len(measures[start:start + CHARTS]):]:
            axes.set_visible(False)
        figures.append(figure)
    return figures


def _draw(axes: Any, report: Acceptance, measure: Measure) -> None:
    assert measure.sample, "only what was judged is drawn"
    ordered = sorted(measure.rates.items(), key=lambda item: item[1])
    slow = {one.who for one in report.found.slow if one.what == measure.what}
    for place, (who, (value, mark)) in enumerate(ordered):
        shade = BAD if who in slow else style.FORMULATIONS["native"]
        axes.plot(place, value, "o", color=shade, markerfacecolor=style.PAPER if mark else shade, clip_on=False)
        if who in slow:
            axes.annotate(sound(who).replace("$", r"\$"), (place, value), xytext=(6, 0), textcoords="offset points",
                          va="center", color=BAD)
    axes.axhline(measure.sample.median, color=style.INK, linewidth=1, label="median")
    axes.axhline(measure.sample.bound(report.least), color=style.GREY, linewidth=1, linestyle="--",
                 label="passes from here on")
    axes.set_ylim(0, 1.05 * ordered[-1][1][0])
    axes.set_xticks([])
    kind = "links" if measure.what == PAIR else "nodes"
    axes.set_title(f"{measure.what}, {measure.unit}, of {len(ordered)} {kind} in order", loc="left", **style.TITLE)
    axes.legend(loc="lower right", ncol=2)

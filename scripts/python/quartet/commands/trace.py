"""Draws one run of a timeline (--trace FILE) as a picture: a group of lines for each rank, a line for
each of its streams, a colour for each phase (the paper's Fig. 3). Needs matplotlib.

    quartet trace trace.json picture.png
    quartet trace trace.json picture.png --run 2 --case dataflow --from 10"""

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quartet import schema
from quartet.command_line import integer, seconds_or_none
from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import FileProblem, check_output, read_json, replacing, with_bounds
from quartet.report import style
from quartet.report.data import factor
from quartet.results import Name, grouped
from quartet.terminal import printable
from quartet.text import counted
from quartet.units import GIB

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = tuple[int, int]  # of a process and a thread
Stretch = tuple[float, float, str]  # begin and length in microseconds, phase
Spans = dict[Line, list[Stretch]]
EXAMPLE = "quartet trace trace.json picture.png"
ACROSS, LONGEST_LINE = 760, 80  # of the picture in points, and of its title in characters
LEAST_WIDTH = 1 / 700  # of a span, as a share of the picture: a dot
MOST_BYTES = GIB  # of a trace; a span takes about 100


class Timeline:
    """The events of a trace, by kind."""

    def __init__(self, document: dict[str, Any]):
        events = document["traceEvents"]
        self.processes = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.lines = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                      if event["name"] == "thread_name"}
        spans = [event for event in events if event["ph"] == "X"]
        self.runs = [event for event in spans if event["cat"] == "run"]
        self.spans = [event for event in spans if event["cat"] in style.PHASES]

    def run(self, case: str, number: int) -> tuple[float, float, str]:
        """Begin and end over all ranks, in microseconds, and the name of a run of a case. Runs are numbered from 0,
        with those that warm up; negative numbers count from the last one."""
        names = [run["name"] for run in self.runs if case in run["name"]]
        if not names:
            there = ", ".join(sorted({run["name"] for run in self.runs})) or "none"
            raise ScriptError(f"no run of {case!r} in the trace (there are: {there})")
        by_rank = grouped((run for run in self.runs if run["name"] == names[-1]), lambda run: run["pid"])
        count = min(map(len, by_rank.values()))
        if not -count <= number < count:
            raise ScriptError(f"no run {number} (the trace has {counted(count, 'run')} of this case, with those that "
                              f"warm up): use 0 to {count - 1}")
        chosen = [runs[number] for runs in by_rank.values()]
        return min(run["ts"] for run in chosen), max(run["ts"] + run["dur"] for run in chosen), names[-1]

    def within(self, begin: float, end: float) -> Spans:
        """The parts of spans between `begin` and `end`, by line."""
        found: Spans = {}
        for span in self.spans:
            first, last = max(span["ts"], begin), min(span["ts"] + span["dur"], end)
            if last > first:
                found.setdefault((span["pid"], span["tid"]), []).append((first, last - first, span["cat"]))
        return dict(sorted(found.items()))


def read(path: Path) -> Timeline:
    """The timeline in a file. Raises ScriptError."""
    try:
        document = with_bounds(read_json(path, MOST_BYTES), printable)
        problem = schema.problem("trace", document)
    except FileNotFoundError:
        raise ScriptError(f"{path} is no timeline (there is no such file): a program's --trace {path} makes it"
                          ) from None
    except FileProblem as error:
        problem = str(error)
    if problem:
        raise ScriptError(f"{path} is no timeline ({problem})")
    return Timeline(document)


def draw(timeline: Timeline, spans: Spans, begin: float, end: float, title: str) -> "Figure":
    """A figure with one row for each line that has spans; rank 0 is on top. To be called within `style.applied`."""
    from matplotlib.patches import Patch

    figure = style.figure(110 + 26 * len(spans), ACROSS)
    axes = figure.subplots()
    axes.set_xlim(0, (end - begin) / 1e3)
    for row, stretches in enumerate(spans.values()):
        _draw_line(axes, row, stretches, begin)
    rows = list(spans)
    axes.set_yticks(range(len(rows)), [timeline.lines[line] for line in rows])
    axes.invert_yaxis()
    _name_ranks(axes, timeline, rows, Name.parse(title).formulation == "dataflow")
    axes.set_xlabel("ms")
    axes.set_title(textwrap.fill(_plain(title), LONGEST_LINE), loc="left", pad=32)  # the legend is below it
    used = {phase for stretches in spans.values() for _, _, phase in stretches}
    axes.legend(handles=[Patch(color=shade, label=phase.replace("_", " ")) for phase, shade in style.PHASES.items()
                         if phase in used],
                ncol=len(style.PHASES), loc="lower left", bbox_to_anchor=(0, 1), handlelength=1)
    return figure


def _plain(title: str) -> str:
    """The name of a row in words, as in the report."""
    name = Name.parse(title)
    words = [*name.words, *(factor(name, key) for key in name.values)]
    return ", ".join([f"{name.kernel}: {name.formulation} {name.device} {name.transport}", *words])


def _draw_line(axes: "Axes", row: int, stretches: list[Stretch], begin: float) -> None:
    """Draws the spans of one line."""
    least = (axes.get_xlim()[1] or 1) * LEAST_WIDTH  # thinner spans would not be visible
    for phase, members in grouped(stretches, lambda stretch: stretch[2]).items():
        parts = [((first - begin) / 1e3, max(length / 1e3, least)) for first, length, _ in members]
        axes.broken_barh(parts, (row - 0.4, 0.8), facecolors=style.PHASES[phase], edgecolors="white",
                         linewidth=0.3 if len(parts) < 200 else 0)


def _name_ranks(axes: "Axes", timeline: Timeline, rows: list[Line], is_flow: bool) -> None:
    """Writes each rank and its role beside its rows."""
    for process, name in timeline.processes.items():
        of_rank = [row for row, line in enumerate(rows) if line[0] == process]
        if of_rank:
            # With several cases a rank may be "worker or reducer": in a data flow it is then the reducer.
            role = name.split(", ")[-1].replace("worker or ", "") if is_flow else "worker"
            axes.annotate(f"rank {process}\n{role}", (-0.11, (of_rank[0] + of_rank[-1]) / 2),
                          xycoords=("axes fraction", "data"), ha="right", va="center", annotation_clip=False)
            axes.axhline(of_rank[0] - 0.5, color=style.INK, linewidth=0.8 * (of_rank[0] > 0))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", type=Path, help="the file that --trace wrote")
    parser.add_argument("picture", type=Path, help="the file to draw to (png, svg, pdf)")
    parser.add_argument("--case", default="", help="part of the name of the case (the last one)")
    parser.add_argument("--run", type=integer(10**9, -10**9), default=-1, help="number of the run (the last one)")
    parser.add_argument("--from", dest="begin", type=seconds_or_none, default=0, metavar="MS",
                        help="where the picture begins, from the start of the run")
    parser.add_argument("--to", dest="end", type=seconds_or_none, metavar="MS", help="where it ends")


def run(wanted: argparse.Namespace) -> int:
    if wanted.picture.suffix not in (".png", ".svg", ".pdf"):
        raise ScriptError(f"{wanted.picture} (a picture's name ends with .png, .svg or .pdf): name another file")
    check_output(wanted.picture, [wanted.trace])
    timeline = read(wanted.trace)
    begin, end, title = timeline.run(wanted.case, wanted.run)
    first = begin + 1e3 * wanted.begin
    last = end if wanted.end is None else min(end, begin + 1e3 * wanted.end)
    spans = timeline.within(first, last)
    if not spans:
        raise ScriptError(f"nothing happens in that time: the run has {(end - begin) / 1e3:.4g} ms, use another --from "
                          "and --to")
    style.require_matplotlib()
    with style.applied(), replacing(wanted.picture) as aside:
        style.save(draw(timeline, spans, first, last, title), aside)
    return VERIFIED

"""The table of `quartet peers`, at most 80 columns wide: for each kernel and size TensorFlow's program, our
data flow and our best, with what is not alike in them below."""

import statistics
import textwrap
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from quartet.kernels import KERNELS
from quartet.results import TENSORFLOW, Case, load
from quartet.results import statistics as own_statistics
from quartet.text import WIDTH, Footnotes, aligned, rate, ratio, widths_of, wrapped
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.match import Match
from quartet_dev.peers.tensorflow.matches import BESIDE, FLOW_OVER_TCP, LABELS

HEADINGS = ("", "median", "95% interval", "over TF", "95% interval", "rounds")
LEFT_ALIGNED = (0,)
PAPER_CLOCK = "until the last tile has come"
ALIKE = ("Alike: cores, processes, threads that compute, queues, data, warm-up. A median is that of the "
         "launches' medians; sides run in turn, every other round in reverse. An interval needs six "
         "rounds, that of a ratio four.")
UNLIKE = (
    "In TensorFlow's favour: it may move its processes between these cores, and has further threads "
    "for gRPC and Python; a rank of ours is bound to one core and has one thread. Its workers keep two "
    "tiles under way.",
    "In ours: our ranks ask for messages without pause, TensorFlow's wait in the kernel; on cores that "
    "others want, too, that turns round. TensorFlow takes memory for each result, ours before the "
    "clock starts.",
    "What TensorFlow does in Python is what the paper's programs do there: a run of a graph for each "
    "push, iteration or tile, and sums of tiles in NumPy.")


@dataclass
class Line:
    """A side of a match."""

    label: str
    rates: list[float] = field(default_factory=list)  # of each launch, its median
    paper: list[float] = field(default_factory=list)  # by the paper's clock
    marked: int = 0  # launches in doubt
    trouble: str = ""  # why a launch has no rate


def lines_of(match: Match, folder: LimitsFolder) -> list[Line]:
    """TensorFlow's first, if only because all others are compared with it."""
    lines = {name: Line(label) for name, label in LABELS.items()}
    for number, results in enumerate(folder.rounds(match), start=1):
        for side in match.sides:
            if side.name not in results:
                continue
            line, result = lines[side.name], results[side.name]
            case = next(iter(result.cases), None)
            problem = _problem(case, result.outcome.message)
            if problem or case is None:
                line.trouble = problem
                continue
            document = load(folder.files(match, side, number).document)
            if side.name == FLOW_OVER_TCP and _not_tcp(document):
                line.trouble = _not_tcp(document)
                continue
            line.rates.append(case.rate)
            line.paper += _paper_rates(document, case.unit)
            line.marked += bool(case.mark)
    return list(lines.values())


def _problem(case: Optional[Case], message: str) -> str:
    """The reason why a launch's rate does not count; empty if it does."""
    if case is None:
        return message or "left no row"
    if case.error:
        return case.error
    return "a wrong result" if case.verified is False else ""


def _not_tcp(document: dict[str, Any]) -> str:
    """The reason why its messages took another way; empty if they took TCP."""
    ways = document["context"]["quartet"].get("mpi_settings", {}).get("btl", "")
    return "" if ways == "self,tcp" else "MPI did not say that its messages take TCP (this is for Open MPI)"


def paper_lines(lines: list[Line]) -> list[Line]:
    """The same by the paper's clock, of those sides that have it."""
    return [replace(line, rates=line.paper, trouble="") for line in lines if line.paper]


def _paper_rates(document: dict[str, Any], unit: str) -> list[float]:
    """The median by the paper's clock; none if there is no such clock."""
    return [row[unit] for row in document["benchmarks"]
            if row["name"].endswith("/paper_median") and row["run_type"] == "aggregate"]


def render(matches: list[Match], folder: LimitsFolder) -> str:
    troubles = Footnotes(map(str, range(1, 1000)))
    blocks = []
    for match in matches:
        lines = lines_of(match, folder)
        blocks.append((heading(match), _cells(lines, troubles)))
        if BESIDE[match.kernel].paper_clock:
            blocks.append((heading(match, PAPER_CLOCK), _cells(paper_lines(lines), troubles)))
    widths = widths_of([HEADINGS, *(cells for _, rows in blocks for cells in rows)])
    text = [aligned(HEADINGS, widths, LEFT_ALIGNED)]
    for headings, rows in blocks:
        text += [*headings, *(aligned(cells, widths, LEFT_ALIGNED) for cells in rows)]
    text += ["", *troubles.lines(), *wrapped("", ALIKE)]
    for remark in UNLIKE:
        text += wrapped("", remark)
    for name in dict.fromkeys(match.kernel for match in matches):
        for remark in BESIDE[name].remarks:
            text += wrapped("", f"{name}: {remark}")
    return "\n".join(text) + "\n"


def heading(match: Match, *more: str) -> list[str]:
    """Says what is computed, by the programs' flags."""
    size = match.sides[0].arguments[1] + ("" if KERNELS[match.kernel].unit == "GFLOP/s" else " MiB")
    words = BESIDE[match.kernel].arguments.replace("--", "").split()
    text = ", ".join([f"{match.kernel} {KERNELS[match.kernel].unit}", f"size {size}",
                      *(f"{flag} {value}" for flag, value in zip(words[::2], words[1::2])),
                      str(match.sides[0].setup), *more])
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _cells(lines: list[Line], troubles: Footnotes) -> list[tuple[str, ...]]:
    base = next((line.rates for line in lines if line.label == LABELS[TENSORFLOW]), [])
    return [_of_line(line, base, troubles) for line in lines]


def _of_line(line: Line, base: list[float], troubles: Footnotes) -> tuple[str, ...]:
    mark = f" [{troubles.mark(line.trouble)}]" if line.trouble else ""
    if not line.rates:
        return (f"  {line.label}{mark}", "-", "", "", "", "0")
    interval = own_statistics.median_interval(line.rates)
    doubt = "?" if 2 * line.marked > len(line.rates) else ""
    cells = (f"  {line.label}{mark}", rate(statistics.median(line.rates)) + doubt,
             f"{rate(interval[0])}-{rate(interval[1])}" if interval else "")
    if not base or line.rates is base:
        return (*cells, "1x" if base else "", "", str(len(line.rates)))
    over = own_statistics.ratio(base, line.rates)
    bounds = f"{ratio(over.interval[0])}-{ratio(over.interval[1])}" if over.interval else ""
    return (*cells, ratio(over.value), bounds, str(len(line.rates)))

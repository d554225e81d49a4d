"""Says since when rows are slower, on which nodes, by how much, and what else changed then.

    quartet history results/nodes results/runs

Each document is a launch. Rows that failed, are wrong, disturbed or held back do not count; those that are only slow or
unsteady do. docs/history.md explains the rule, which finds something in one of a hundred sound histories, and names
the recorded facts that changed then. What was always slow is no change: quartet nodes compares nodes.

Exit codes: 0 no change for the worse lasts; 1 one does; 2 no row can be used; 4 there are too few usable launches to
tell, in all or of late."""

import argparse
import itertools
import math
import operator
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from statistics import median, median_low
from typing import Any

from quartet.command_line import UsageError
from quartet.exit_codes import UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.files import check_output, write_text
from quartet.history import rule
from quartet.report import page, style
from quartet.results import Name, collect, grouped, identity, rows_of
from quartet.results import nodes as nodes_of
from quartet.results.document import written
from quartet.text import WIDTH, counted, listed, percent_range, rate, say, shortened

EXAMPLE = "quartet history results/nodes"
DAY = 24 * 3600
Document = dict[str, Any]
NOT_USED = "are wrong, disturbed, held back, or in doubt without a reason"
INCOMPARABLE = {"disturbed", "held_back"}  # flags: something else took the processors, or slowed the GPU
UNLIKE = 1.7  # times the smallest loss of a row or node of a finding: above it, the range is printed
AND = "+"  # between nodes that ran a row together
NAMED = 6  # nodes, rows and facts of a finding that are printed
WIDE, HIGH = 560, 220  # of a picture
_TRANSPORT = re.compile(r"^((?:[^/:]+/){3})[^/:]+")  # in a row's name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="documents, or folders of them")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also draws the curves: a page that needs no network")


def run(options: argparse.Namespace) -> int:
    for folder in options.folders:
        if not folder.exists():
            raise UsageError(f"there is no {folder} (it should hold documents)")
    if options.html:
        check_output(options.html)
    found = collect(options.folders)
    every, undated = launches(found.documents)
    for why in [*found.skipped, *(f"{file}: invalid date" for file in undated)]:
        say(f"skipped {why}")
    sound = [one for one in every if one.is_sound]
    if not sound:
        why = "every row failed, is wrong or in doubt: quartet table says why" if every else "no documents"
        raise ScriptError(f"no usable result in {', '.join(map(str, options.folders))} ({why})")
    answer = rule.judge(every)
    times, nodes, rows = zip(*((one.time, one.node, one.row) for one in sound))
    count, left_out = len(found.documents) - len(undated), len(every) - len(sound)
    unused = f"; {counted(left_out, 'row')} not used that failed, {NOT_USED}" if left_out else ""
    hosts = {host for node in nodes for host in node.partition(" (")[0].split(AND)}
    parts = [[f"{counted(count, 'launch')} of {counted(len({*rows}), 'row')} on {counted(len(hosts), 'node')}, "
              f"{_day(min(times))} to {_day(max(times))}{unused}"], *_parts(answer)]
    for number, part in enumerate(parts):
        print("\n" * bool(number) + "\n".join(textwrap.fill(
            text, WIDTH, initial_indent="  " * bool(place), subsequent_indent="    " * bool(place),
            break_on_hyphens=False) for place, text in enumerate(part)))
    if options.html:
        write_text(options.html, _page(parts, found.skipped, sound, answer))
    if any(finding.is_lasting_loss for finding in answer.findings):
        return WRONG_RESULT
    is_sound = answer.is_decided and not (answer.slow or answer.stopped)
    return VERIFIED if is_sound else UNDECIDED


def launches(documents: Iterable[tuple[Path, Document]]) -> tuple[list[rule.Launch], list[Path]]:
    """A launch for each row, and the files whose date is invalid. Rows that failed, are wrong, or are in doubt for
    another reason than being slow or unsteady are not sound. A node is identified by its short name; its CPUs and the
    transports that `auto` chose are facts. Machines with one name but different processors are different nodes."""
    found: list[tuple[float, str, str, Document]] = []
    undated = []
    for file, document in documents:
        try:
            time = written(document)
        except (ValueError, OverflowError):
            undated.append(file)
            continue
        processor = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
        found.append((time / DAY, identity.hosts(document), str(processor.get("name", "unknown processor")), document))
    machines = {hosts: {one[2] for one in same} for hosts, same in grouped(found, lambda one: one[1]).items()}
    every: list[rule.Launch] = []
    chosen: dict[str, dict[str, str]] = defaultdict(dict)  # by node: a document has the choice for its own kernel only
    for time, hosts, processor, document in sorted(found, key=lambda one: one[0]):
        several = hosts.replace(" ", AND) if nodes_of(document) > 1 and identity.host(document) else ""
        node = f"{several or hosts} ({processor})" if len(machines[hosts]) > 1 else several or hosts
        rows, is_automatic = rows_of(document), document["context"]["quartet"]["options"].get("transport") == "auto"
        chosen[node].update({f"transport of {row.name.kernel} {row.name.formulation}": row.name.transport
                             for row in rows if is_automatic})
        known = {**identity.facts(document, (row.network_path.most for row in rows)), **chosen[node]}
        for row in rows:
            is_sound = not row.error and row.verified is not False and not (
                row.is_distrusted and (not row.flags or INCOMPARABLE & {*row.flags}))
            text = _TRANSPORT.sub(r"\1auto", row.text) if is_automatic else row.text
            every.append(rule.Launch(time, node, text, row.rate, is_sound, known, row.unit))
    return every, undated


def _page(parts: list[list[str]], skipped: list[str], sound: list[rule.Launch], answer: rule.Answer) -> str:
    """The page: the findings, then the curves of each row; rows with findings come first."""
    rows = grouped(sound, lambda one: one.row)
    slow = {row: [seen for one in answer.findings for seen in one.observations if seen.row == row] for row in rows}
    names = sorted(rows, key=lambda row: (not slow[row], row))
    charts = [page.LineChart(_short(row), "", "", (), "Each line is a node; the coloured ones have a finding, dated "
                             "at the upright line." if slow[row] else "") for row in names]
    section = page.Section("rates", "Rates", charts=charts)
    pictures = dict(zip(section.file_names(), (_curves(rows[row], slow[row]) for row in names)))
    texts = [page.tag("span", "\n".join(part), style="white-space: pre-line") for part in parts]
    warnings = list(map(page.PageWarning, [f"Rows that failed, {NOT_USED}, are not drawn.", *skipped]))
    return page.render(page.Page(texts, warnings, [section]), pictures, (), "Quartet history")


def _curves(launches: list[rule.Launch], observations: list[rule.Observation]) -> page.Markup:
    """Rates over time as SVG; the axis begins at 0."""
    first, last = (choose(one.time for one in launches) for choose in (min, max))
    most = max(one.rate for one in launches)
    colours = dict(zip(dict.fromkeys(seen.node for seen in observations), itertools.cycle(style.FORMULATIONS.values())))

    def place(time: float, rate_there: float) -> tuple[float, float]:
        return (WIDE * (0.12 + 0.78 * (time - first) / max(last - first, 1)), HIGH * (0.9 - 0.85 * rate_there / most))

    def text(words: str, time: float, rate_there: float, colour: str = style.GREY, anchor: str = "") -> page.Markup:
        x, y = map(round, place(time, rate_there))
        return page.tag("text", words, fill=colour, font_size=13, x=x, y=y, text_anchor=anchor or None)

    parts = [text(f"{rate(most)} ", first, most, anchor="end"), text("0 ", first, 0, anchor="end"),
             text(f"{launches[0].unit} ", first, 0.9 * most, anchor="end"),
             text(_day(first), first, -0.1 * most), text(_day(last), last, -0.1 * most, anchor="end")]
    by_node = grouped(sorted(launches, key=lambda one: one.time), lambda one: one.node)
    below = math.inf
    for node in sorted(colours, key=lambda node: -by_node[node][-1].rate):  # names do not overlap
        below = min(by_node[node][-1].rate, below - most * 15 / (0.85 * HIGH))
        parts.append(text(f" {node}", last, below, colours[node]))
    for node in sorted(by_node, key=lambda node: node in colours):  # those with findings lie on the others
        line = " L".join("{:.1f} {:.1f}".format(*place(one.time, one.rate)) for one in by_node[node])
        parts.append(page.tag("path", page.tag("title", node), d=f"M{line} h.1", fill="none", stroke_width=1.5,
                              stroke_linecap="round", stroke=colours.get(node, style.GREY)))
    for seen in observations:
        (x, top), (_, bottom) = place(seen.start, most), place(seen.start, 0)
        parts.append(page.tag("path", page.tag("title", f"{seen.node}: {_day(seen.start)}"), stroke=colours[seen.node],
                              d=f"M{x:.1f} {top:.1f} V{bottom:.1f}", stroke_dasharray="4 3"))
    return page.tag("svg", *parts, viewBox=f"0 0 {WIDE} {HIGH}", role="img")


def _day(time: float) -> str:
    return datetime.fromtimestamp(time * DAY).strftime("%Y-%m-%d")


def _parts(answer: rule.Answer) -> Iterator[list[str]]:
    """The answer in parts: each is a headline and the lines below it."""
    for finding in sorted(answer.findings, key=lambda one: (
            not one.is_lasting_loss, one.loss < 0, min(seen.start for seen in one.observations))):
        yield [*_finding(finding, answer.nodes, answer.interval)]
    for (count, rows), nodes in grouped(answer.slow, lambda node: answer.slow[node][::2]).items():
        share, run = 1 - math.exp(-median([answer.slow[node][1] for node in nodes])), answer.least_launches // 2
        what = f"last {counted(count, 'launch')} on {listed(nodes, NAMED)}".replace("last 1 ", "last ")
        yield [f"{what}: {share:.0%} below the launches before; a step is {run} such launches after {run + 1} others",
               listed([_short(row) for row in rows], NAMED)]
    alike = grouped(sorted(answer.stopped), lambda key: (key[0], _day(answer.stopped[key][0]), answer.stopped[key][1]))
    for (node, day, unusable), keys in alike.items():
        why = f"{counted(unusable, 'later launch')} cannot be used" if unusable else "other nodes have later ones"
        yield [f"{node}: last usable launch on {day} ({why})", listed([_short(row) for _, row in keys], NAMED)]
    none = "" if answer.findings or answer.slow or answer.stopped else "No change was found. "
    steps, drifts = (" to ".join(dict.fromkeys(f"{least:.{digits}%}" for least in found))
                     for found, digits in ((answer.least_step, 1), (answer.least_drift, 2)))
    steps += " (by row)" * (" to " in steps)
    drift = f", or drifts of {drifts} a day throughout," * any(answer.least_drift)
    yield [f"{none}With this noise, 9 of 10 lasting steps of {steps} in mid-history{drift} are "
           "found, and fewer of those smaller or nearer an end. A step is a difference of "
           f"{answer.step_errors:.1f} standard errors. What was always slow is no change: quartet nodes compares nodes."
           if answer.is_decided else f"too few launches to tell: a row on a node needs {answer.least_launches}"]


def _finding(finding: rule.Finding, nodes: int, interval: float) -> Iterator[str]:
    def dates(which: str) -> str:
        by_node = [median_low([getattr(seen, which) for seen in same])
                   for same in grouped(finding.observations, lambda one: one.node).values()]
        first, last = _day(min(by_node)), _day(max(by_node))
        is_far = max(by_node) - min(by_node) > (rule.NEAR + 1) * interval
        differ = is_far if finding.is_drift else which in finding.rolling
        return f"{first} .. {last}" if differ and first != last else _day(median_low(by_node))

    share, which = abs(1 - math.exp(-finding.loss)), "slower" if finding.loss > 0 else "faster"
    losses = [abs(1 - math.exp(-median([seen.loss for seen in some]))) for key in ("row", "node")
              for some in grouped(finding.observations, operator.attrgetter(key)).values()]
    amount = percent_range(min(losses), max(losses)) if max(losses) > UNLIKE * min(losses) else f"{share:.0%}"
    since = f"{'about ' * finding.is_drift}{dates('start')}"
    has_ended = all(seen.end for seen in finding.observations)
    after = ", and is over" if all(seen.is_undone for seen in finding.observations) else ", not recovered"
    when = f"from {since} to {dates('end')}{after * finding.is_drift}" if has_ended else f"since {since}"
    own = ", each node at its own moment" if " .. " in when and not finding.is_drift else ""
    is_all = 1 < nodes == len(finding.nodes) and AND not in "".join(finding.nodes)
    named = dict.fromkeys(seen.node for seen in sorted(finding.observations, key=lambda seen: seen.start if own else 0))
    names = listed(list(named) if own else finding.nodes, NAMED)
    where = f"on all {nodes} nodes" if is_all else f"{'in this order: ' if own else 'on '}{names}"
    how = f"{share:.2%} {which} each day" if finding.is_drift else f"{amount} {which}"
    yield f"{how} {when}{own}, {where}"
    yield listed([_short(row) for row in finding.rows], NAMED)
    for cause in finding.causes[:NAMED]:
        fact, *values = cause.change
        often = f", as in {cause.often:.0%} of launches" * bool(cause.often)
        sound = f"; also on {counted(cause.sound_with, 'sound node')}" if cause.sound_with else ""
        yield (f"changed then{often}: {fact}: {' -> '.join(shortened(*values))} on {cause.slow_with} of "
               f"{counted(cause.slow_with + cause.slow_without, 'such node')}{sound}")
    if not finding.causes:
        yield "no fact is named: its start is not exact" if finding.is_drift else "no recorded fact explains it"


def _short(row: str) -> str:
    name = Name.parse(row)
    pair = f" pair {name.pair[0]}-{name.pair[1]}" if name.pair else ""
    return f"{name.short} on {counted(name.ranks, 'rank')}{pair}"

"""Says since when rows are slower, on which nodes, by how much, and what else changed then.

    quartet history results/nodes results/runs

The documents in the folders are the history: each is a launch, and rows in doubt do not count. Steps and drifts are
found by one rule, which docs/history.md explains: in one of a hundred sound histories it finds something. For each
step, the recorded facts (kernel, microcode, drivers, MPI, build, settings) are named that changed at each slow node's
own moment, with the number of sound nodes on which they changed as well.

Exit codes: 0 nothing became slower; 1 something did; 4 no row has enough launches to tell."""

import argparse
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from quartet.command_line import UsageError
from quartet.exit_codes import UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.files import check_output, write_text
from quartet.history import rule
from quartet.report import page, style
from quartet.results import Case, Name, collect, device, grouped, identity, judged
from quartet.text import counted, rate, say, shortened, wrapped

EXAMPLE = "quartet history results/nodes"
DAY = 24 * 3600
Document = dict[str, Any]
NAMED = 6  # nodes, rows and facts of a finding
WIDE, HIGH = 560, 220  # of a picture


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
        raise ScriptError(f"no usable result in {', '.join(map(str, options.folders))} (every row failed, is wrong or "
                          "in doubt): quartet table shows them")
    answer = rule.judge(every)
    left_out = counted(len(every) - len(sound), "row")
    unused = f"; {left_out} in doubt, wrong or failed not used" if len(every) > len(sound) else ""
    nodes, rows = {one.node for one in sound}, {one.row for one in sound}
    times = [one.time for one in sound]
    lines = wrapped("", f"{counted(len(found.documents) - len(undated), 'launch')} of {counted(len(rows), 'row')} on "
                    f"{counted(len(nodes), 'node')}, {_day(min(times))} to {_day(max(times))}{unused}")
    for finding in sorted(answer.findings, key=lambda one: (one.loss < 0, one.start)):
        lines += ["", *_finding(finding)]
    for node, time in sorted(answer.silent.items()):
        lines += ["", f"{node}: no sound launch since {_day(time)}"]
    if not answer.is_decided:
        lines += ["", *wrapped("", f"too few launches to tell: a row on a node needs {answer.least_launches}")]
    else:
        none = "" if answer.findings else "Nothing was found. "
        lines += ["", *wrapped("", f"{none}Would have been seen in 9 of 10 histories: a lasting step of "
                               f"{answer.least_step:.1%}, a drift of {answer.least_drift:.2%} a day. A step is a "
                               f"difference of {answer.step_errors:.1f} standard errors.")]
    print("\n".join(lines))
    if options.html:
        shown = [[*group] for is_text, group in itertools.groupby(lines, bool) if is_text]
        texts = ["; ".join(map(str.strip, each)) for each in shown]
        write_text(options.html, _page(texts, found.skipped, sound, answer))
    if any(finding.loss > 0 for finding in answer.findings):
        return WRONG_RESULT
    return VERIFIED if answer.is_decided else UNDECIDED


def launches(documents: Iterable[tuple[Path, Document]]) -> tuple[list[rule.Launch], list[Path]]:
    """A launch for each row, and the files whose date is invalid. Rows that failed, are wrong or in doubt are not
    sound. Machines that share a name, as every virtual machine that is called vm, are nodes of their own."""
    found: list[tuple[float, str, str, Document, list[Case]]] = []
    undated = []
    for file, document in documents:
        try:
            time = datetime.fromisoformat(str(document["context"]["date"]).replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            undated.append(file)
            continue
        # By itself: beside launches of better times a row that fell would be in doubt, and vanish.
        found.append((time / DAY, _hosts(document), _processor(document), document, judged([document])[0]))
    machines: dict[str, set[str]] = defaultdict(set)
    for _, hosts, processor, _, _ in found:
        machines[hosts].add(processor)
    return [rule.Launch(time, f"{hosts} ({processor})" if len(machines[hosts]) > 1 else hosts, case.text, case.rate,
                   not case.error and not case.is_distrusted and case.verified is not False, known)
            for time, hosts, processor, document, cases in found
            for known in [identity.facts(document, (case.network_path.most for case in cases))]
            for case in cases], undated


def _hosts(document: Document) -> str:
    """The hosts of its ranks. Where a container hid them, the kind of machine stands for them."""
    if not identity.host(document):
        return device(document)
    hosts = {str(place["host"]) for place in document["context"]["quartet"].get("placement") or []}
    return " ".join(sorted(hosts)) or str(document["context"]["host_name"])


def _processor(document: Document) -> str:
    known = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    return f"{known.get('name', 'unknown processor')}, {document['context']['num_cpus']} CPUs"


def _page(texts: list[str], skipped: list[str], sound: list[rule.Launch], answer: rule.Answer) -> str:
    """The findings, and below them the curves of each row, those with findings first."""
    rows = grouped(sound, lambda one: one.row)
    slow = {row: [seen for one in answer.findings for seen in one.observations if seen.row == row] for row in rows}
    names = sorted(rows, key=lambda row: (not slow[row], row))
    charts = [page.LineChart(_short(row), "", "", (), "Each line is a node; the coloured ones have a finding, which "
                             "begins at the upright line." if slow[row] else "") for row in names]
    section = page.Section("rates", "Rates", charts=charts)
    pictures = dict(zip(section.file_names(), (_curves(rows[row], slow[row]) for row in names)))
    doubts = [page.Doubt("Rows that failed, are wrong or in doubt are not drawn."), *map(page.Doubt, skipped)]
    return page.render(page.Page(texts, doubts, [section]), pictures, (), "Quartet history")


def _curves(launches: list[rule.Launch], observations: list[rule.Observation]) -> page.Markup:
    """Rates from 0 on, over time."""
    first, last = (choose(one.time for one in launches) for choose in (min, max))
    most = max(one.rate for one in launches)
    colours = dict(zip(dict.fromkeys(seen.node for seen in observations), itertools.cycle(style.FORMULATIONS.values())))

    def place(time: float, rate_there: float) -> tuple[float, float]:
        return (WIDE * (0.08 + 0.82 * (time - first) / max(last - first, 1)), HIGH * (0.9 - 0.85 * rate_there / most))

    def text(words: str, time: float, rate_there: float, colour: str = style.GREY, anchor: str = "") -> page.Markup:
        x, y = place(time, rate_there)
        place_of_text = {"x": f"{x:.0f}", "y": f"{y:.0f}", "text_anchor": anchor or None}
        return page.tag("text", words, fill=colour, font_size=13, **place_of_text)

    parts = [text(f"{rate(most)} ", first, most, anchor="end"), text("0 ", first, 0, anchor="end"),
             text(_day(first), first, -0.1 * most), text(_day(last), last, -0.1 * most, anchor="end")]
    by_node = grouped(launches, lambda one: one.node)
    for node in sorted(by_node, key=lambda node: node in colours):  # those with findings lie on the others
        ordered = sorted(by_node[node], key=lambda one: one.time)
        line = " L".join("{:.1f} {:.1f}".format(*place(one.time, one.rate)) for one in ordered)
        parts.append(page.tag("path", page.tag("title", node), d=f"M{line} h.1", fill="none", stroke_width=1.5,
                              stroke_linecap="round", stroke=colours.get(node, style.GREY)))
        parts += [text(f" {node}", ordered[-1].time, ordered[-1].rate, colours[node])] if node in colours else []
    for seen in observations:
        (x, top), (_, bottom) = place(seen.start, most), place(seen.start, 0)
        parts.append(page.tag("path", page.tag("title", f"{seen.node}: {_day(seen.start)}"), stroke=colours[seen.node],
                              d=f"M{x:.1f} {top:.1f} V{bottom:.1f}", stroke_dasharray="4 3"))
    return page.tag("svg", *parts, viewBox=f"0 0 {WIDE} {HIGH}", role="img")


def _day(time: float) -> str:
    return datetime.fromtimestamp(time * DAY).strftime("%Y-%m-%d")


def _finding(finding: rule.Finding) -> Iterator[str]:
    starts = [seen.start for seen in finding.observations]
    ends = [seen.end for seen in finding.observations if seen.end]
    which, share = ("slower", 1 - math.exp(-finding.loss)) if finding.loss > 0 else (
        "faster", math.exp(-finding.loss) - 1)
    when = _day(min(starts))
    if not finding.is_drift and max(starts) - min(starts) > rule.NEAR + 1:
        when += f" .. {_day(max(starts))}, each node at its own moment"
    until = f" until {_day(max(ends))}" if 2 * len(ends) > len(starts) else ""
    is_all = finding.is_everywhere and len(finding.nodes) > 1
    where = f"all {len(finding.nodes)} nodes" if is_all else _some(finding.nodes)
    how = f"{share:.2%} {which} each day" if finding.is_drift else f"{share:.0%} {which}"
    yield from wrapped("", f"{how} since {when}{until}, on {where}")
    yield from wrapped("", f"  {_some([_short(row) for row in finding.rows])}")
    for cause in finding.causes[:NAMED]:
        fact, *values = cause.change
        yield from wrapped("", f"  changed then: {fact}: {' -> '.join(shortened(*values))} on {cause.slow_with} of "
                           f"{counted(cause.slow_with + cause.slow_without, 'such node')}; also on "
                           f"{counted(cause.sound_with, 'sound node')}")
    if not finding.causes and not finding.is_drift:
        yield "  no recorded fact changed there then"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _short(row: str) -> str:
    name = Name.parse(row)
    pair = f" pair {name.pair[0]}-{name.pair[1]}" if name.pair else ""
    return f"{name.short} on {counted(name.ranks, 'rank')}{pair}"

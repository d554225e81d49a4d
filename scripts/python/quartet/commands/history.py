"""Says since when rows are slower, on which nodes, by how much, and what else changed then.

    quartet history results/nodes results/runs

The documents in the folders are the history: each is a launch, and rows in doubt do not count. Steps and drifts are
found by one rule, which docs/history.md explains: in one of a hundred sound histories it finds something. For each
step, the recorded facts (kernel, microcode, drivers, MPI, build, settings) are named that changed at each slow node's
own moment, with the number of sound nodes on which they changed as well.

Exit codes: 0 nothing became slower; 1 something did; 4 no row has enough launches to tell."""

import argparse
import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from quartet.command_line import UsageError
from quartet.exit_codes import UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.history import rule
from quartet.history.documents import DAY, launches
from quartet.results import Name, collect
from quartet.text import counted, say, shortened, size, wrapped

EXAMPLE = "quartet history results/nodes"
NAMED = 6  # nodes, rows and facts of a finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="documents, or folders of them")


def run(options: argparse.Namespace) -> int:
    for folder in options.folders:
        if not folder.exists():
            raise UsageError(f"there is no {folder} (it should hold documents)")
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
    if any(finding.loss > 0 for finding in answer.findings):
        return WRONG_RESULT
    return VERIFIED if answer.is_decided else UNDECIDED


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
    words = (name.kernel, name.formulation, name.transport, *name.words, size(name.size))
    return f"{' '.join(words)} on {counted(name.ranks, 'rank')}{pair}"

"""The table of `quartet limits`, at most 80 columns wide: a line for each goal."""

import textwrap
from dataclasses import dataclass
from typing import Any

from quartet.results import cases, device, isa, warnings
from quartet.text import ABOVE_LIMIT, WIDTH, Footnotes, aligned, counted, fraction, rate, widths_of, wrapped
from quartet_dev.limits.comparisons import OfLimit, Round, moved
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.goals import GoalResult, Verdict, is_forgiven, judge
from quartet_dev.limits.match import Match, Section

HEADINGS = ("", "measured", "against", "", "ratio", "min..max", "goal", "")
LEFT_ALIGNED = (0, 2, 7)  # columns; the others are numbers
FORGIVEN = ("the median is below the goal, but the 95% interval of the ratio reaches it, and so does "
            "a round: noise (needs five rounds)")
# How the warnings begin that may come once a launch: they are counted, not listed.
# As the programs begin the texts of flags; what is said of that many launches.
DISTURBANCES = {"other processes ran": "other processes took the cores' time",
                "threads waited for a core": "threads waited for a core",
                "the hypervisor withheld": "the hypervisor withheld a core's time (\"steal\")",
                "the cores had": "the cores were slow (a lower clock, or two hyperthreads of one core)",
                "pages of memory": "pages of memory had to be found"}
MARKED = ("? ", "! ")  # warnings about one row


@dataclass(frozen=True)
class Judged:
    """A section and what was found for its goals."""

    match: Match
    section: Section
    results: list[GoalResult]


def judge_all(matches: list[Match], folder: LimitsFolder) -> list[Judged]:
    found = []
    for match in matches:
        rounds = folder.rounds(match)
        found += [Judged(match, section, [judge(goal, rounds) for goal in section.goals])
                  for section in match.sections]
    return found


def _cells(result: GoalResult, troubles: Footnotes) -> tuple[str, ...]:
    goal = result.goal
    marks = " ".join(troubles.mark(text) for text in result.troubles)
    if not result.rounds:
        return (goal.what, "", goal.comparison.label, "", "", "", str(result.bound), f"? {marks}")
    low, high = map(fraction, result.spread)
    return (goal.what, rate(result.measured), goal.comparison.label, rate(result.against),
            fraction(result.ratio) + "!" * result.is_above, f"{low}..{high}",
            str(result.bound),
            f"{result.verdict.value}{'~' * is_forgiven(result)} {marks}".strip())


def _lines(headings: tuple[str, ...], sections: list[tuple[str, list[tuple[str, ...]]]],
           left_aligned: tuple[int, ...]) -> list[str]:
    """Sections, each a heading and its rows, in columns that are as wide in all of them."""
    rows = [headings, *(row for _, members in sections for row in members)]
    widths = widths_of(rows)
    lines = [aligned(headings, widths, left_aligned)]
    for heading, members in sections:
        lines += textwrap.wrap(heading, WIDTH, subsequent_indent="  ")
        lines += [aligned(cells, widths, left_aligned) for cells in members]
    return lines


def _heading(judged: Judged) -> str:
    units = dict.fromkeys(result.unit for result in judged.results if result.unit)
    rounds = max((result.rounds for result in judged.results), default=0)
    how_often = counted(rounds, "round") if rounds else "not measured"
    return ", ".join([judged.section.title, *units, how_often])


def _peers(all_judged: list[Judged]) -> list[str]:
    """Lists the libraries' own notes."""
    notes = {f"{result.goal.comparison.label}: {result.note}": None
             for judged in all_judged for result in judged.results
             if result.note and not isinstance(result.goal.comparison, OfLimit)}
    return [line for text in notes for line in wrapped("", text)]


def _disturbances(documents: list[dict[str, Any]]) -> list[str]:
    """Counts the launches that were disturbed."""
    found = [[case.flags.get("disturbed", "") for case in cases(document)] for document in documents]
    lines = []
    for begin, said in DISTURBANCES.items():
        count = sum(any(text.startswith(begin) for text in texts) for texts in found)
        if count:
            lines += wrapped("", f"{said.capitalize()} in {count} of {len(documents)} launches")
    return lines


def _moves(rounds: list[Round]) -> list[str]:
    """Says so if the host has moved the cores."""
    distances = [distance for results in rounds for result in results.values() for distance in result.core_distances]
    if not moved(distances):
        return []
    low, high = (f"{1e9 * distance:.0f}" for distance in (min(distances), max(distances)))
    return wrapped("", f"The host moved the cores: a word took {low} to {high} ns from one to the other. Where they "
                       "share a cache memory and messages have other rates than where they do not; launches before and "
                       "after such a move are not compared.")


def _summary(all_judged: list[Judged]) -> str:
    verdicts = [result.verdict for judged in all_judged for result in judged.results]
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    wanted = len(verdicts) - counts[Verdict.NOT_WANTED]
    text = f"{wanted} goals: {counts[Verdict.MET]} met, {counts[Verdict.MISSED]} missed"
    for verdict, words in ((Verdict.ABOVE, "above their limits"), (Verdict.UNKNOWN, "not measured")):
        text += f", {counts[verdict]} {words}" if counts[verdict] else ""
    return text


def render(matches: list[Match], folder: LimitsFolder) -> str:
    """The table over what the folder holds of these matches."""
    all_judged = judge_all(matches, folder)
    troubles = Footnotes(map(str, range(1, 1000)))
    sections = [(_heading(judged), [_cells(result, troubles) for result in judged.results])
                for judged in all_judged]
    lines = _lines(HEADINGS, sections, LEFT_ALIGNED)
    documents = [document for match in matches for document in folder.documents(match)]
    rounds = [results for match in matches for results in folder.rounds(match)]
    machines = dict.fromkeys(", ".join(filter(None, (device(document), isa(document),
                                                     document["context"]["host_name"]))) for document in documents)
    said = dict.fromkeys(text for document in documents for text in warnings(document)
                         if not text.startswith(MARKED))
    lines += ["", _summary(all_judged),
              *wrapped("", "Medians of the rounds; in each round the launches of a heading follow one "
                       "another, in every other one backwards, ratios are between them. A limit was "
                       "measured in the same launch."),
              *(line for text in machines for line in wrapped("", text)),
              *_moves(rounds), *_disturbances(documents),
              *troubles.lines(),
              *_peers(all_judged)]
    if any("!" in row[4] for _, members in sections for row in members):
        lines += wrapped("!", ABOVE_LIMIT)
    if any(is_forgiven(result) for judged in all_judged for result in judged.results):
        lines += wrapped("~", FORGIVEN)
    lines += [line for text in said for line in wrapped("", f"warning: {text}")]
    return "\n".join(lines) + "\n"

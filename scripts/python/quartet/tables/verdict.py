"""What a run says in at most ten lines: how much is verified, where native is slower than the library, how near each
kernel comes to its limit, how far native is ahead, and what to do next. Of pairs of ranks the last line names the host
that is slow in all of its pairs.

A distrusted row (?) is in no range and in no ratio. A row above its limit (!) is in no range: its limit is wrong. Its
rate is sound, and so are ratios of it."""

import re
import textwrap
from dataclasses import dataclass
from typing import Optional

from quartet.results import OWN_FORMULATIONS, Case, is_alike, judge, statistics
from quartet.results.launches import DISTURBING
from quartet.tables import doubts
from quartet.tables.pairs import slowest
from quartet.terminal import BOLD, GREEN, RED, YELLOW, Style
from quartet.text import WIDTH, aligned, counted, percent_range, ratio, size, widths_of

HEADINGS = ("of the limit", *OWN_FORMULATIONS, "native over library")
MOST_SLOWER = 3  # lines of rows that are slower than the library
JOINED = "\N{NO-BREAK SPACE}"  # inside of what no line may break


@dataclass(frozen=True)
class Lead:
    """How many times as fast native is as the library formulation, in one pair of rows."""

    via: str  # native's transport
    words: tuple[str, ...]
    value: float
    interval: Optional[tuple[float, float]]
    library: Case


def render(cases: list[Case], style: Style = Style()) -> str:
    """The verdict over the (judged) cases of a run."""
    measured = [case for case in cases if not case.error]
    if not measured:
        return style.paint("Nothing was measured.", RED) + "\n"
    slower = [style.paint(line, RED) for line in _slower(measured)]
    last = textwrap.wrap(slowest(measured), WIDTH, subsequent_indent="  ")
    return "\n".join([_verified(cases, style), *slower, *_kernels(measured), _next(cases), *last]) + "\n"


def _verified(cases: list[Case], style: Style) -> str:
    measured = [case for case in cases if not case.error]
    good = sum(case.verified is True for case in measured)
    wrong = sum(case.verified is False for case in measured)
    not_run = sum(case.is_not_run for case in cases)
    failed = len(cases) - len(measured) - not_run
    distrusted = sum(case.mark == "?" for case in measured)
    above = sum(case.mark == "!" for case in measured)
    text = f"All {counted(good, 'row')} verified" if good == len(cases) else \
        f"{good} of {counted(len(cases), 'row')} verified"
    parts = [f"{wrong} WRONG" if wrong else "", f"{failed} failed" if failed else "",
             f"{not_run} not run" if not_run else "",
             f"{distrusted} to distrust, left out below" if distrusted else "",
             f"{above} above a wrong limit" if above else ""]
    colour = RED if wrong or failed else YELLOW if not_run or distrusted or above else GREEN
    return style.paint(style.paint("; ".join(filter(None, [text, *parts])) + ".", colour), BOLD)


def _slower(measured: list[Case]) -> list[str]:
    """Names the native rows that are slower than the library in the same work: by the interval of the ratio, or by so
    much that the judge flagged them, though nothing else is wrong with them."""
    texts = []
    for case in measured:
        name = f"{case.name.kernel} {case.name.transport} {' '.join([*case.name.words, size(case.name.size)])}"
        if list(case.flags) == [judge.BELOW_LIBRARY]:
            texts.append(f"{name}: {case.flags[judge.BELOW_LIBRARY]}")
        for lead in leads([case], measured):
            if lead.interval and lead.interval[1] < 1:
                texts.append(f"{name}: {judge.slower_than(lead.library, lead.library.rate, case)}")
    return textwrap.wrap(f"SLOWER: {'; '.join(texts)}.", WIDTH, max_lines=MOST_SLOWER, subsequent_indent="  ",
                         placeholder=" ...") if texts else []


def _kernels(measured: list[Case]) -> list[str]:
    """A line for each, below the headings; the leads may need a second one."""
    rows: list[tuple[str, ...]] = []
    leads: list[str] = []
    for kernel in dict.fromkeys(case.name.kernel for case in measured):
        own = [case for case in measured if case.name.kernel == kernel]
        rows.append((kernel, *(_range(own, each) for each in OWN_FORMULATIONS)))
        leads.append(_leads(own))
    widths = widths_of([HEADINGS[:-1], *rows])
    lines = [f"{aligned(HEADINGS[:-1], widths, (0,))}  {HEADINGS[-1]}"]
    indent = " " * (sum(widths) + len(widths) + 1)
    for cells, lead in zip(rows, leads):
        start = aligned(cells, widths, (0,)).ljust(len(indent))
        lines += [line.replace(JOINED, " ") for line in
                  textwrap.wrap(start + lead, WIDTH, subsequent_indent=indent)]
    return lines


def _range(cases: list[Case], formulation: str) -> str:
    """The range of the fractions of the limit that can be trusted; how many cannot is said where none can."""
    of_it = [case for case in cases if case.name.formulation == formulation]
    sound = sorted(case.fraction_of_limit for case in of_it
                   if case.fraction_of_limit and not case.mark)
    if not sound:
        marks = {case.mark for case in of_it if case.mark}
        return next(iter(sorted(marks, reverse=True)), "-")
    return percent_range(sound[0], sound[-1])


def _leads(cases: list[Case]) -> str:
    """By native's transport and by what the words of the rows do not share."""
    found = leads(cases, cases)
    if not found:
        return _why_no_lead(cases)
    shared = _shared_words(cases)
    ways: dict[tuple[str, tuple[str, ...]], list[Lead]] = {}
    for lead in sorted(found, key=lambda lead: lead.value):
        own = tuple(word for word in lead.words if word not in shared)
        ways.setdefault((lead.via, own), []).append(lead)
    vias = {via for via, _ in ways}
    texts = [" ".join([*words, *([via] if len(vias) > 1 else []), _lead_text(ordered)])
             for (via, words), ordered in ways.items()]
    but = dict.fromkeys(handicap(lead.library) for lead in found)
    return ", ".join(text.replace(" ", JOINED) for text in texts) + "".join(f" ({text})" for text in but if text)


def handicap(library: Case) -> str:
    """What a library lacks here, so that a ratio over it is no praise: "FFTW without AVX2, planned by estimate"."""
    lacks = re.search(r"(\w+) of this package has no (\w+) code", library.note)
    return ", ".join(filter(None, (
        f"{lacks[1]} without {lacks[2]}" if lacks else "",
        "planned by estimate" if library.name.device == "host" and library.name.values.get("plan") == "estimate" else "")))


def _why_no_lead(cases: list[Case]) -> str:
    pairs = [pair for pair in ((one, other) for one in cases for other in cases) if is_alike(*pair)
             and [case.name.formulation for case in pair] == ["native", "library"]]
    if any(case.verified is False for pair in pairs for case in pair):
        return "? (a row is WRONG)"
    return "? (in doubt)" if pairs else "-"


def _shared_words(cases: list[Case]) -> set[str]:
    """The words that all names of a kernel's rows share."""
    return set.intersection(*(set(case.name.words) for case in cases))


def _lead_text(ordered: list[Lead]) -> str:
    low, high = ordered[0], ordered[-1]
    if len(ordered) > 1:
        return f"{ratio(low.value)[:-1]}-{ratio(high.value)}"
    if not low.interval:
        return ratio(low.value)
    bounds = ", ".join(ratio(bound)[:-1] for bound in low.interval)
    return f"{ratio(low.value)} [{bounds}]"


def leads(cases: list[Case], others: list[Case]) -> list[Lead]:
    """Compares every native row of `cases` that can be trusted with the library rows of `others` that did the same
    work."""
    found = []
    for native in cases:
        if native.name.formulation == "native" and native.mark != "?" and native.verified is not False:
            found += [_lead(native, peer) for peer in judge.library_rows(native, others)[:1]]
    return found


def _lead(native: Case, library: Case) -> Lead:
    """Returns the lead, from six runs a side on with the interval of the runs' ratio."""
    interval = None
    if min(len(native.rates), len(library.rates)) >= statistics.LEAST_VALUES:
        interval = statistics.ratio(list(library.rates), list(native.rates)).interval
    return Lead(native.name.transport, native.name.variant, native.rate / library.rate, interval, library)


def _next(cases: list[Case]) -> str:
    """Says what to do about the first cause that there is."""
    if any(case.verified is False for case in cases):
        return "Next: a result is WRONG: use no rate of this build before `make test` passes."
    kinds = {kind for case in cases if case.is_distrusted for kind in case.flags} or {
        "" for case in cases if case.is_distrusted}
    if not kinds:
        return "Next: `quartet report` (charts), `quartet sweep`, docs/reading-the-numbers.md."
    crowded = next((found for case in cases if case.is_distrusted for found in [doubts.crowding(case)] if found), "")
    if crowded:
        return f"Next: {crowded}: start fewer ranks, or lower --threads."
    if kinds & DISTURBING or "" in kinds:
        return "Next: `quartet check-machine` says what disturbs this machine; measure again."
    if "slow_library" in kinds:
        return "Next: the BLAS is slow here: see slow_library in docs/reading-the-numbers.md."
    if judge.SLOW_ROAD in kinds:
        return "Next: MPI took a slower way than there is: docs/reading-the-numbers.md."
    return "Next: measure these again; see docs/reading-the-numbers.md, Marks and flags."

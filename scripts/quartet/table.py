"""One table over result documents, at most 80 columns wide.

What does not fit a column stands under the table: the limits, published numbers with their
conditions (a, b ..), errors (1, 2 ..), and the documents' warnings."""

import itertools
import textwrap

from quartet.results import Case, cases, warnings
from quartet.wording import (ABOVE_LIMIT, BOUNDS, WIDTH, Footnotes, aligned, percent_of_limit, rate,
                             ratio, size, size_in_bytes, widths_of, wrapped)

HEADINGS = ("form", "via", "size", "ranks", "median", "95% interval", "limit", "of it", "check",
            "published")
LEFT_ALIGNED = range(3)  # columns; the others are numbers


def _letters():
    yield from "abcdefghijklmnopqrstuvwxyz"
    yield from (first + second for first in _letters() for second in "abcdefghijklmnopqrstuvwxyz")


def _order(case: Case) -> tuple[int, int]:
    return (int(case.name.values.get("ranks", 0)), size_in_bytes(case.name.size))


def _heading(case: Case) -> tuple[str, ...]:
    """What groups rows: the factors that have no column."""
    shown = {"size", "n", "ranks", "pair"}
    others = [f"{key}:{value}" for key, value in case.name.values.items() if key not in shown]
    return (case.name.device, *case.name.words, *others)


def _groups(all_cases: list[Case]) -> dict[tuple[str, str, tuple[str, ...]], list[Case]]:
    """By kernel, unit and heading. An error may know fewer factors: it joins the first group of its
    kernel that agrees with those it knows."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Case]] = {}
    for case in all_cases:
        if not case.error:
            groups.setdefault((case.name.kernel, case.unit, _heading(case)), []).append(case)
    for case in all_cases:
        if case.error:
            known = set(_heading(case))
            fitting = (key for key in groups
                       if key[0] == case.name.kernel and known <= {"", *key[2]})
            key = next(fitting, (case.name.kernel, "", _heading(case)))
            groups.setdefault(key, []).append(case)
    return dict(sorted(groups.items(), key=lambda item: _first_index(all_cases, item[0][0])))


def _first_index(all_cases: list[Case], kernel: str) -> int:
    return next(i for i, case in enumerate(all_cases) if case.name.kernel == kernel)


def _ranks(case: Case) -> str:
    pair = case.name.values.get("pair")
    return pair.replace("-", "->") if pair else case.name.values.get("ranks", "")


def _published(case: Case, footnotes: Footnotes) -> str:
    number = case.published
    if not number:
        return ""
    caveat = f" Note: {number['caveat']}." if number.get("caveat") else ""
    text = (f"{BOUNDS[number['bound']]} {number['value']:g} {number['unit']}: "
            f"{number['conditions']} ({number['source']}).{caveat}")
    return f"{ratio(number['ratio'])} {footnotes.mark(text)}"


def _cells(case: Case, published: Footnotes, errors: Footnotes) -> tuple[str, ...]:
    name = case.name
    who = (name.formulation, name.transport, size(name.size), _ranks(case))
    if case.error:
        return (*who, "failed", f"see {errors.mark(case.error)}", "", "", "", "")
    interval = "-".join(rate(bound) for bound in case.interval) if case.interval else ""
    limit = rate(case.limit["rate"]) if case.limit else ""
    fraction = percent_of_limit(case.fraction_of_limit, case.is_suspicious)
    check = {True: "ok", False: "WRONG", None: "off"}[case.verified]
    # A drift is marked: the median then fits neither the first runs nor the last.
    median = rate(case.rate) + ("~" if "drift" in case.median else "")
    return (*who, median, interval, limit, fraction, check, _published(case, published))


def _notes(all_cases: list[Case], all_warnings: list[str]) -> list[str]:
    limits = {f"{case.name.kernel}'s limit: {case.limit['what']}": None
              for case in all_cases if case.limit}
    lines = [line for text in limits for line in wrapped("", text)]
    flagged = [case for case in all_cases if case.is_suspicious]
    if flagged:
        lines += wrapped("!", ABOVE_LIMIT)
    for transport, note in dict.fromkeys((case.name.transport, case.note) for case in flagged):
        lines += wrapped("!", f"{transport}: {note}") if note else []
    for text in dict.fromkeys(all_warnings):
        lines += wrapped("", f"warning: {text}")
    return lines


def render(documents: list[dict]) -> str:
    """The table over all documents, with its footnotes."""
    all_cases = [case for document in documents for case in cases(document)]
    if not all_cases:
        return "no results\n"
    published, errors = Footnotes(_letters()), Footnotes(map(str, itertools.count(1)))
    groups = {key: [_cells(case, published, errors) for case in sorted(members, key=_order)]
              for key, members in _groups(all_cases).items()}
    rows = [HEADINGS, *(row for members in groups.values() for row in members)]
    widths = widths_of(rows)
    lines = [aligned(HEADINGS, widths, LEFT_ALIGNED)]
    for (kernel, unit, factors), members in groups.items():
        heading = ", ".join(filter(None, (f"{kernel} {unit}".strip(), *factors)))
        lines += textwrap.wrap(heading, WIDTH, subsequent_indent="  ")
        lines += [aligned(cells, widths, LEFT_ALIGNED) for cells in members]
    all_warnings = [text for document in documents for text in warnings(document)]
    lines += ["", *published.lines(), *errors.lines(), *_notes(all_cases, all_warnings)]
    return "\n".join(lines).rstrip() + "\n"

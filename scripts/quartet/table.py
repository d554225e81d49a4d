"""One table over result documents, at most 80 columns wide.

What does not fit a column stands under the table: the limits, published numbers with their
conditions (a, b ..), errors (1, 2 ..), and the documents' warnings."""

import itertools
import re
import textwrap

from quartet.results import Case, cases, warnings

WIDTH = 80
HEADINGS = ("form", "via", "size", "ranks", "median", "95% interval", "limit", "of it", "check",
            "published")
LEFT_ALIGNED = 3  # columns; the others are numbers
SUSPICIOUS_FRACTION = 1.05
BOUNDS = {"above": ">", "below": "<", "about": "~"}


class Footnotes:
    """Texts under the table, each once, by the marks that refer to them."""

    def __init__(self, marks):
        self._marks = iter(marks)
        self._texts: dict[str, str] = {}

    def mark(self, text: str) -> str:
        if text not in self._texts:
            self._texts[text] = next(self._marks)
        return self._texts[text]

    def lines(self) -> list[str]:
        return [line for text, mark in self._texts.items() for line in wrapped(mark, text)]


def wrapped(mark: str, text: str) -> list[str]:
    """A footnote's lines."""
    return textwrap.wrap(f"{mark:>2}  {' '.join(text.split())}", WIDTH, subsequent_indent="    ",
                         break_on_hyphens=False)


def _letters():
    yield from "abcdefghijklmnopqrstuvwxyz"
    yield from (first + second for first in _letters() for second in "abcdefghijklmnopqrstuvwxyz")


def rate(value: float) -> str:
    """At least three digits, at most the integer's: 0.123, 1.23, 12.3, 123, 1234."""
    for digits in (3, 2, 1):
        if value < 10 ** (3 - digits):
            return f"{value:.{digits}f}"
    return f"{value:.0f}"


def ratio(value: float) -> str:
    digits = 0 if value >= 9.95 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f}x"


def size(text: str) -> str:
    """ "2MiB" as "2 MiB", a large power of two as "2^24"."""
    count, unit = _split_size(text)
    power = count.bit_length() - 1
    if unit or count != 2**power or power < 17:
        return f"{count} {unit}".strip() if count else text
    return f"2^{power}"


def _split_size(text: str) -> tuple[int, str]:
    match = re.fullmatch(r"(\d+)((?:[KMGT]iB)?)", text)
    return (int(match[1]), match[2]) if match else (0, "")


def size_in_bytes(text: str) -> int:
    count, unit = _split_size(text)
    return count * 1024 ** " KMGT".index(unit[:1] or " ")


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
    fraction = f"{case.fraction_of_limit:.0%}" if case.fraction_of_limit else ""
    if (case.fraction_of_limit or 0) > SUSPICIOUS_FRACTION:
        fraction += "!"
    check = {True: "ok", False: "WRONG", None: "off"}[case.verified]
    # Marked where it stands for neither the first runs nor the last; a warning says more.
    median = rate(case.rate) + ("~" if "drift" in case.median else "")
    return (*who, median, interval, limit, fraction, check, _published(case, published))


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    aligned = [cell.ljust(width) if column < LEFT_ALIGNED else cell.rjust(width)
               for column, (cell, width) in enumerate(zip(cells, widths))]
    return " ".join(aligned).rstrip()


def _notes(all_cases: list[Case], all_warnings: list[str]) -> list[str]:
    limits = {f"{case.name.kernel}'s limit: {case.limit['what']}": None
              for case in all_cases if case.limit}
    lines = [line for text in limits for line in wrapped("", text)]
    flagged = [case for case in all_cases if (case.fraction_of_limit or 0) > SUSPICIOUS_FRACTION]
    if flagged:
        lines += wrapped("!", "above its limit: one of the two is wrong, or a cache is in play")
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
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [_line(HEADINGS, widths)]
    for (kernel, unit, factors), members in groups.items():
        heading = ", ".join(filter(None, (f"{kernel} {unit}".strip(), *factors)))
        lines += textwrap.wrap(heading, WIDTH, subsequent_indent="  ")
        lines += [_line(cells, widths) for cells in members]
    all_warnings = [text for document in documents for text in warnings(document)]
    lines += ["", *published.lines(), *errors.lines(), *_notes(all_cases, all_warnings)]
    return "\n".join(lines).rstrip() + "\n"

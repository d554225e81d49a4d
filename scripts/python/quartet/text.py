"""Formats the words, numbers and table lines that scripts print."""

import contextlib
import difflib
import html
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from quartet.terminal import printable

WIDTH = 80
LONGEST_LINE = 1000  # of a message
LONGEST_VALUE = 60  # characters of a fact
CHECKS = {True: "ok", False: "WRONG", None: "off"}  # by `verified`
BOUNDS = {"above": ">", "below": "<", "about": "~"}  # of a published number
_BUILD_OF_OPENBLAS = re.compile(r"(OpenBLAS \d[\w.]*)(?: [A-Z0-9_]{4,})*(?: \w+)? MAX_THREADS=\d+")
_MARKUP = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # within a word _ is no markup
ABOVE_LIMIT = ("above its limit: a cache helps, memory was slower while the limit was measured, or by chance; quote "
               "the rate, not the fraction")
DISTRUSTED = "in doubt (disturbed, or far slower than rows like it): not to be quoted"


def say(text: str) -> None:
    """Writes one line to standard error; very long ones are shortened."""
    line = printable(" ".join(text.split()))
    if len(line) > LONGEST_LINE:
        line = f"{line[:LONGEST_LINE // 2]} .. {line[-LONGEST_LINE // 2:]}"
    with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
        print(f"quartet: {line}", file=sys.stderr, flush=True)


def counted(count: int, noun: str) -> str:
    """ "1 launch", "2 launches"."""
    ending = "es" if noun.endswith(("ch", "s", "x")) else "s"
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{ending}"


def listed(names: Sequence[str], most: int) -> str:
    """ "a, b and 3 more": at most so many of the names."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def suggestion(word: str, known: Iterable[str]) -> str:
    """ " (did you mean X?)", if a known word is similar; else empty."""
    return "".join(f" (did you mean {meant}?)" for meant in difflib.get_close_matches(word, list(known), n=1))


def one_of(word: str, known: Iterable[str]) -> str:
    """ "one of X, Y; did you mean X?", for use within parentheses."""
    names = list(known)
    return f"one of {', '.join(names)}" + suggestion(word, names).replace(" (", "; ").replace(")", "")


def filled(text: str) -> str:
    """The text with its paragraphs filled to WIDTH; indented lines stay as they are."""
    parts = re.split(r"\n{2,}", text)
    return "\n\n".join(part if part.startswith(" ") else textwrap.fill(part, WIDTH, break_on_hyphens=False)
                       for part in parts)


def plain_versions(text: str) -> str:
    """The text without OpenBLAS's details, as in "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Zen MAX_THREADS=64"."""
    return _BUILD_OF_OPENBLAS.sub(r"\1", text)


def shown(path: Union[str, "os.PathLike[str]"]) -> str:
    """The path from the current folder; as it is if it leads elsewhere."""
    return str(path) if os.path.relpath(path).startswith("..") else os.path.relpath(path)


def slug(text: str) -> str:
    """The text as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def in_markdown(text: str) -> str:
    """The text escaped for Markdown, on one line, so that it is shown literally."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(html.escape(text, quote=False).split()))


def rate(value: float) -> str:
    """The value with three digits, or all digits of a larger integer: 0.123, 1.23, 12.3, 123, 1234."""
    for digits in (3, 2, 1):
        if value < 10 ** (3 - digits):
            return f"{value:.{digits}f}"
    return f"{value:.0f}"


def ratio(value: float) -> str:
    digits = 0 if value >= 9.95 else 1 if value >= 1.095 else 2
    return f"{value:.{digits}f}x"


def size(text: str, kernel: str) -> str:
    """A size for reading: "2 MiB" for "2MiB"; powers of two as "2^24" for fft alone."""
    count, unit = _split_size(text)
    if kernel == "fft" and not unit and count > 0 == count & (count - 1):
        return f"2^{count.bit_length() - 1}"
    return f"{count} {unit}".strip() if count else text


def _split_size(text: str) -> tuple[int, str]:
    match = re.fullmatch(r"([0-9]{1,18})((?:[KMGT]i)?B)?", text)
    return (int(match[1]), match[2] or "") if match else (0, "")


def size_in_bytes(text: str) -> int:
    count, unit = _split_size(text)
    return count << 10 * "BKMGT".index(unit[:1] or "B")


def in_bytes(count: float) -> str:
    """ "8 B", "64 KiB", "1.5 MiB"."""
    power = next((power for power in (4, 3, 2, 1) if count >= 1024**power), 0)
    return f"{count / 1024**power:g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def fraction(value: float) -> str:
    """The value with two digits after the point, or none from 100 on."""
    return f"{value:.2f}" if value < 99.5 else f"{value:.0f}"


def percent_range(low: float, high: float) -> str:
    """In whole per cent: "48-75%", or "48%" where both are."""
    least, most = f"{low:.0%}", f"{high:.0%}"
    return most if least == most else f"{least[:-1]}-{most}"


def shortened(*pair: str) -> list[str]:
    """Two values; long ones begin one word before the first difference."""
    words = [value.split() for value in pair]
    alike = len(os.path.commonprefix(words))
    if max(map(len, pair)) > LONGEST_VALUE and alike > 1:
        words = [[".."] + each[alike - 1:] for each in words]
    return [textwrap.shorten(" ".join(each), LONGEST_VALUE, placeholder=" ..") for each in words]


class Footnotes:
    """Texts under a table, each once, with the mark that refers to it."""

    def __init__(self, marks: Iterable[str]):
        self._marks = iter(marks)
        self._texts: dict[str, str] = {}

    def mark(self, text: str) -> str:
        if text not in self._texts:
            self._texts[text] = next(self._marks)
        return self._texts[text]

    def lines(self) -> list[str]:
        return [line for text, mark in self._texts.items() for line in wrapped(mark, text)]


def wrapped(mark: str, text: str) -> list[str]:
    """The lines of a footnote."""
    return textwrap.wrap(f"{mark:>2}  {' '.join(text.split())}", WIDTH, subsequent_indent="    ",
                         break_on_hyphens=False)


def aligned(cells: Sequence[str], widths: Sequence[int], left: Sequence[int]) -> str:
    """A line of a table; the columns in `left` are left-aligned, the others right-aligned."""
    return " ".join(cell.ljust(width) if column in left else cell.rjust(width)
                    for column, (cell, width) in enumerate(zip(cells, widths))).rstrip()


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """The widths of a table's columns."""
    return [max(map(len, column)) for column in zip(*rows)]


def median_cell(value: float, mark: str) -> str:
    """The median, with `?` if it has that mark; `!` is behind the fraction."""
    return rate(value) + ("?" if mark == "?" else "")


def interval_cell(bounds: Optional[tuple[float, float]]) -> str:
    return "-".join(map(rate, bounds)) if bounds else ""


def limit_cell(limit: Optional[dict[str, Any]]) -> str:
    """The rate of a limit, with `?` if all rows beside it are in doubt."""
    return rate(limit["rate"]) + "?" * limit.get("is_in_doubt", False) if limit else ""


def fraction_cell(value: Optional[float], mark: str) -> str:
    """The fraction of the limit; empty if there is none, and of a row in doubt."""
    return f"{value:.0%}{mark}" if value and mark != "?" else ""


def aligned_rows(rows: Sequence[Union[str, tuple[str, ...]]],
                 left: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Lines of aligned cells; texts between them are headings. Columns in `left` are left-aligned."""
    widths = widths_of([row for row in rows if isinstance(row, tuple)])
    return [line for row in rows for line in ([aligned(row, widths, left)] if isinstance(row, tuple) else
        textwrap.wrap(row, WIDTH, subsequent_indent=indent) or [""])]

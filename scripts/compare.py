#!/usr/bin/env python3
"""compare.py A B: whether the results B are faster or slower than the results A, case by case.

A and B are result documents or folders of them; commas join several paths of one side. Several
documents of a case count as its launches. A may also be `published` or a folder of published
numbers. It may be `reference`: what results/measured/ holds for B's device.

B/A is a ratio of rates: above 1, B is faster. Exit codes: 0 nothing is slower; 1 a case is slower
by more than the threshold, or was right in A and is wrong or failed in B; 2 nothing can be
compared."""

import argparse
from pathlib import Path

from quartet.command_line import parser_of, run_script
from quartet.compare import table as compare_table
from quartet.compare.published import is_published, read_numbers
from quartet.compare.rows import Row, Verdict, compare, compare_published
from quartet.compare.sides import Side, read_side
from quartet.exit_codes import ScriptError
from quartet.paths import RESULTS
from quartet.results import collect, device
from quartet.wording import say

NOTHING_SLOWER, SLOWER, NOTHING_COMPARED = 0, 1, 2


def _paths(text: str) -> list[Path]:
    return [Path(word) for word in text.split(",")]


def _side(label: str, paths: list[Path]) -> Side:
    side = read_side(label, paths)
    for text in side.skipped:
        say(f"skipped {text}")
    if not side.samples and not side.errors:
        raise ScriptError(f"no results in {' '.join(map(str, paths))}: name documents, or folders of "
                      "them")
    return side


def reference(side: Side, measured: Path) -> list[Path]:
    """The folders of `measured` for the devices of a side. Raises ScriptError where there is none."""
    wanted = {device(document) for _, document in side.documents}
    folders: dict[str, Path] = {}
    for folder in sorted(path for path in measured.iterdir() if path.is_dir()):
        for _, document in collect([folder]).documents:
            folders[device(document)] = folder
    found = sorted({folders[name] for name in wanted if name in folders})
    if not found:
        raise ScriptError(f"no reference for {', '.join(sorted(wanted))} in {measured} (there is "
                      f"{', '.join(sorted(folders)) or 'nothing'}): name results to compare with")
    return found


def rows_of(options: argparse.Namespace) -> tuple[list[Side], list[Row]]:
    """The sides that are results, and all rows."""
    second = _side("B", _paths(options.second))
    threshold = options.threshold / 100
    folder = options.published if options.first == "published" else Path(options.first)
    if options.first == "published" or is_published(folder):
        return [second], compare_published(read_numbers(folder), second, threshold)
    paths = reference(second, options.measured) if options.first == "reference" \
        else _paths(options.first)
    first = _side("A", paths)
    return [first, second], compare(first, second, threshold)


def exit_code(rows: list[Row], is_strict: bool) -> int:
    if all(row.verdict is Verdict.NOT_COMPARABLE and not row.is_broken for row in rows):
        return NOTHING_COMPARED
    undecided = (Verdict.NOT_COMPARABLE, Verdict.UNCLEAR)
    fails = [row.fails or (is_strict and row.verdict in undecided) for row in rows]
    return SLOWER if any(fails) else NOTHING_SLOWER


def percent(text: str) -> float:
    value = float(text[:-1] if text.endswith("%") else text)
    if not 0 <= value < 100:
        raise ValueError
    return value


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("first", metavar="A", help="what to compare with")
    parser.add_argument("second", metavar="B", help="what is compared")
    parser.add_argument("--threshold", type=percent, default=5, metavar="PERCENT",
                        help="differences of the rate that do not matter (%(default)s)")
    parser.add_argument("--strict", action="store_true",
                        help="fails also where a case is unclear or not comparable")
    parser.add_argument("--published", type=Path, default=RESULTS / "published",
                        help="folder behind the word (%(default)s)")
    parser.add_argument("--measured", type=Path, default=RESULTS / "measured",
                        help="folder behind the word reference (%(default)s)")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    try:
        sides, rows = rows_of(options)
    except (OSError, ValueError) as error:
        raise ScriptError(str(error), NOTHING_COMPARED) from None
    print(compare_table.render(sides, rows, options.threshold), end="")
    code = exit_code(rows, options.strict)
    if code == NOTHING_COMPARED:
        say("nothing could be compared (no case is in both, verified and below its limit): see the "
            "reasons above")
    return code


if __name__ == "__main__":
    run_script(main)

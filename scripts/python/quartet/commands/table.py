"""A table of result documents (files, or all in a folder) for each machine, at most 80 columns wide. Files that are no
documents are named and left out.

Of a kernel with more than three sizes it shows three, unless --all is given. Under the table are texts that fit no
column: published numbers with their conditions (a, b ..), errors (1, 2 ..), why rows are in doubt; then the verdict
with which `quartet run` ends.

With --csv or --markdown it writes one flat row for each result instead, with all factors."""

import argparse
import sys
from pathlib import Path

from quartet.exit_codes import BAD_USAGE, VERIFIED
from quartet.paths import given_or_measured
from quartet.results import collect, grouped, judged_rows
from quartet.tables import export, verdict
from quartet.tables.table import render
from quartet.terminal import Style
from quartet.text import say

EXAMPLE = "quartet table results/runs --markdown"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH",
                        help="documents, or folders of them (results/runs, else the shipped results/measured)")
    parser.add_argument("--all", action="store_true",
                        help="show every size and warning, not three of each, and what decided each limit")
    formats = parser.add_mutually_exclusive_group()
    for name in export.FORMATS:
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"flat rows as {name}")


def run(options: argparse.Namespace) -> int:
    found = collect(given_or_measured(options.paths))
    for text in found.skipped:
        say(f"left out {text}")
    if not found.documents:
        return BAD_USAGE
    rows = judged_rows(document for _, document in found.documents)
    if options.format:
        print(export.FORMATS[options.format](export.flat_rows(rows)), end="")
        return VERIFIED
    style = Style.of(sys.stdout)
    blocks = [f"{render(own, is_short=not options.all, style=style)}\n{verdict.render(own, style)}"
              for own in grouped(rows, lambda row: row.machine).values()]
    print("\n".join(blocks), end="")
    return VERIFIED

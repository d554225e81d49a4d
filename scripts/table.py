#!/usr/bin/env python3
"""table.py PATH...: one table over result documents (files, or all in a folder), at most 80
columns wide. Files that are no documents are named and left out.

What does not fit a column stands under the table: the limits, published numbers with their
conditions (a, b ..), errors (1, 2 ..), and the documents' warnings."""

import sys

from quartet.command_line import run_script
from quartet.exit_codes import BAD_USAGE, VERIFIED
from quartet.results import collect
from quartet.table import render
from quartet.wording import say


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return BAD_USAGE
    found = collect(sys.argv[1:])
    for text in found.skipped:
        say(f"left out {text}")
    if not found.documents:
        return BAD_USAGE
    print(render([document for _, document in found.documents]), end="")
    return VERIFIED


if __name__ == "__main__":
    run_script(main)

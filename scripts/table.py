#!/usr/bin/env python3
"""table.py PATH...: one table over result documents (files, or all in a folder), at most 80
columns wide. What is no document is named and left out.

What does not fit a column stands under the table: the limits, published numbers with their
conditions (a, b ..), errors (1, 2 ..), and the documents' warnings."""

import sys

from quartet.results import collect
from quartet.table import render


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    found = collect(sys.argv[1:])
    for text in found.skipped:
        print(f"table.py: left out {text}", file=sys.stderr)
    if not found.documents:
        return 2
    print(render([document for _, document in found.documents]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

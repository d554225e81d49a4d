"""Says since when rows are slower, on which nodes, by how much, and what else changed then.

    quartet history results/nodes results/runs

The documents in the folders are the history: each is a launch, and rows in doubt do not count. Changes are
found by Apache Otava (scripts/setup.sh history). All series together raise a false alarm in one of a hundred sound
histories at most. For each change, the facts that documents record (kernel, microcode, drivers, MPI, build,
settings) are ranked by how well they divide the launches before from those after.

Exit codes: 0 nothing became slower; 1 something did; 4 no row has enough launches to tell; 77 no Apache Otava."""

import argparse
import json
from pathlib import Path

from quartet.command_line import UsageError
from quartet.exit_codes import UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.history import changes, table
from quartet.history.moments import moments
from quartet.history.store import Store
from quartet.results import collect
from quartet.text import say

EXAMPLE = "quartet history results/nodes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="documents, or folders of them")
    parser.add_argument("--json", action="store_true", help="prints the changes as a list on one line instead")


def run(options: argparse.Namespace) -> int:
    for folder in options.folders:
        if not folder.exists():
            raise UsageError(f"there is no {folder} (it should hold documents)")
    changes.require_otava()
    found = collect(options.folders)
    for why in found.skipped:
        say(f"skipped {why}")
    store = Store(found.documents)
    for file in store.undated:
        say(f"skipped {file}: its date is none")
    every = store.series()
    if not every:
        raise ScriptError(f"no usable result in {', '.join(map(str, options.folders))} (every row failed, is wrong or "
                          "in doubt): quartet table shows them")
    seen = moments(store, every, changes.find(every))
    print(json.dumps(table.as_json(every, seen)) + "\n" if options.json else
          table.render(store, every, seen, changes.FALSE_ALARMS, changes.LEAST), end="")
    if any(moment.is_slower for moment in seen):
        return WRONG_RESULT
    return VERIFIED if any(len(series.rates) >= 2 * changes.LEAST for series in every) else UNDECIDED

"""A folder of results to compare with, which a continuous integration keeps: a folder of each kind of
machine in it, since rates of one say nothing of another's."""

import hashlib
import os
import shutil
from pathlib import Path

from quartet.compare.sides import Side
from quartet.exit_codes import ScriptError
from quartet.results.identity import processor
from quartet.text import slug


def place(folder: Path, side: Side) -> Path:
    """Returns the baseline's folder of this side's machine, which may not be there yet. Raises ScriptError
    where they are of several."""
    kinds = {processor(document) for _, document in side.documents}
    if len(kinds) > 1:
        raise ScriptError(f"{side.label} is of {len(kinds)} kinds of machines (a baseline compares "
                          "each with itself): name the results of one")
    kind = kinds.pop()
    digest = hashlib.sha256("\n".join(kind).encode()).hexdigest()[:8]
    return folder / f"{slug(kind[0])}-{digest}"


def replace(there: Path, side: Side) -> None:
    """Makes the documents of a side the baseline, whole or not at all."""
    aside, old = (there.with_name(there.name + ending) for ending in (".new", ".old"))
    for left_over in (aside, old):
        shutil.rmtree(left_over, ignore_errors=True)
    aside.mkdir(parents=True)
    for number, (path, _) in enumerate(side.documents):
        shutil.copyfile(path, aside / f"{number:03}-{path.name}")
    if there.exists():
        os.replace(there, old)
    os.replace(aside, there)
    shutil.rmtree(old, ignore_errors=True)

"""The two sides of a comparison: for each case what every run of every launch reached; and the folder of results that a
continuous integration keeps as one side, with a folder of each kind of machine in it, since rates of one say nothing of
another's."""

import hashlib
import os
import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from quartet.exit_codes import ScriptError
from quartet.results import Case, Collection, Launches, collect, device, judged
from quartet.results.case import DISTURBING, is_disturbed
from quartet.results.identity import Facts, are_different, facts, machine, processor
from quartet.text import counted, slug


@dataclass(frozen=True)
class Sample(Launches):
    """A case on one side: one value a launch."""

    @property
    def disturbance(self) -> str:
        """Says how many launches do not count, and why; empty if all do."""
        disturbed = [case for case in self.cases if is_disturbed(case)]
        if not disturbed:
            return ""
        causes = dict.fromkeys(text for case in disturbed for kind, text in case.flags.items()
                               if kind in DISTURBING and text)
        cause = f" ({next(iter(causes))})" if causes else ""
        return f"{len(disturbed)} of {counted(len(self.cases), 'launch')} disturbed{cause}"

    @property
    def is_wrong(self) -> bool:
        return self.verified is False

    def problem(self) -> str:
        """The reason why it cannot be compared; empty if it can be."""
        return "wrong result" if self.is_wrong else "not verified" if self.verified is None else ""


@dataclass
class Side:
    """A set of documents."""

    label: str
    documents: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    samples: dict[str, Sample] = field(default_factory=dict)  # by the case's name
    errors: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # by name; values that differ are joined
    is_shipped: bool = False  # nobody here can launch more of it

    @cached_property
    def machines(self) -> set[Facts]:
        return {machine(document) for _, document in self.documents}

    @property
    def is_mixed(self) -> bool:
        """True if its documents are from several kinds of machines."""
        return any(are_different(one, other) for one in self.machines for other in self.machines)

    def is_elsewhere(self, other: "Side") -> bool:
        """True if no document of one side can be from the kind of machine of one of the other's."""
        return all(are_different(mine, theirs) for mine in self.machines for theirs in other.machines)


def read_sides(paths: dict[str, list[Path]]) -> list[Side]:
    """The documents of each side, by its label, judged beside all others; what cannot be used is named in `skipped`."""
    found = {label: collect(places) for label, places in paths.items()}
    every = judged(document for each in found.values() for _, document in each.documents)
    return [_side(label, each, [every.pop(0) for _ in each.documents]) for label, each in found.items()]


def _side(label: str, found: Collection, judged_documents: list[list[Case]]) -> Side:
    side = Side(label, found.documents, found.skipped, settings=_settings(found, judged_documents))
    launches: dict[str, list[Case]] = {}
    for case in (case for cases in judged_documents for case in cases):
        if case.error:
            side.errors[case.text] = case.error
        elif case.rate:
            launches.setdefault(case.text, []).append(case)
    for text, cases in launches.items():
        side.samples[text] = Sample(tuple(cases))
    return side


def _settings(found: Collection, judged_documents: list[list[Case]]) -> dict[str, str]:
    known: dict[str, dict[str, None]] = {}
    for (_, document), cases in zip(found.documents, judged_documents):
        own = {"device": device(document), "host": str(document["context"]["host_name"]),
               **facts(document, (case.network_path.most for case in cases))}
        for key, value in own.items():
            known.setdefault(key, {})[value] = None
    return {key: ", ".join(values) for key, values in known.items()}


def place_of_baseline(folder: Path, side: Side) -> Path:
    """Returns the baseline's folder of this side's machine, which may not be there yet. Raises ScriptError
    where they are of several."""
    kinds = {processor(document) for _, document in side.documents}
    if len(kinds) > 1:
        raise ScriptError(f"{side.label} is of {len(kinds)} kinds of machines (a baseline compares "
                          "each with itself): name the results of one")
    kind = kinds.pop()
    digest = hashlib.sha256("\n".join(kind).encode()).hexdigest()[:8]
    return folder / f"{slug(kind[0])}-{digest}"


def replace_baseline(there: Path, side: Side) -> None:
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

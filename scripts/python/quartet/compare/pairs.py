"""The two sides of a comparison: for each case what every run of every launch reached; their pairs of cases, and the
verdict on each pair. And the folder of results that a continuous integration keeps as one side, with a folder of each
kind of machine in it, since rates of one say nothing of another's.

A verdict needs four launches of either side, the 95% interval of the ratio of rates, B to A, and a
threshold: "faster" and "slower" where the interval leaves out 1 and the ratio passes the threshold;
"same" where the whole interval is within it; "unclear" otherwise: not to see a difference does not
mean there is none. Launches count, not runs: those of one process share what makes launches differ."""

import hashlib
import math
import os
import shutil
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.results import Collection, Launches, Name, Row, collect, device, judged
from quartet.results.identity import Facts, are_different, facts, machine, processor
from quartet.results.row import NOT_RUN
from quartet.results.statistics import ERROR, MOST_VALUES, Ratio, ratio, spread, values_for
from quartet.text import slug

LEAST_LAUNCHES = 4  # of each side: with fewer there is no 95% interval


@dataclass(frozen=True)
class Sample(Launches):
    """A case on one side: one value a launch."""

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


def _side(label: str, found: Collection, judged_documents: list[list[Row]]) -> Side:
    side = Side(label, found.documents, found.skipped, settings=_settings(found, judged_documents))
    launches: dict[str, list[Row]] = {}
    for row in (row for rows in judged_documents for row in rows):
        if row.error:
            side.errors[row.text] = row.error
        elif row.rate:
            launches.setdefault(row.text, []).append(row)
    for text, rows in launches.items():
        side.samples[text] = Sample(tuple(rows))
    return side


def _settings(found: Collection, judged_documents: list[list[Row]]) -> dict[str, str]:
    known: dict[str, dict[str, None]] = {}
    for (_, document), rows in zip(found.documents, judged_documents):
        own = {"device": device(document), "host": str(document["context"]["host_name"]),
               **facts(document, (row.network_path.most for row in rows))}
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


class Verdict(Enum):
    """The verdict on a pair."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNCLEAR = "unclear"
    NOT_COMPARABLE = "-"


@dataclass(frozen=True)
class Pair:
    """A case, and how B stands to A in it."""

    name: Name
    verdict: Verdict
    why: tuple[str, ...] = ()  # where there is more to say
    first: Optional[Sample] = None
    second: Optional[Sample] = None
    ratio: Optional[Ratio] = None  # none where every launch of a side was disturbed
    launches: int = 0  # that count, of the side with fewer
    more: Optional[int] = None  # launches of each side that would probably decide
    is_broken: bool = False  # right in A, and wrong or failed in B
    looks_slower: bool = False  # by more than the threshold, but that is not decided

    @property
    def fails(self) -> bool:
        """True if a gate for regressions should close."""
        return self.is_broken or self.verdict is Verdict.SLOWER

    @property
    def is_decided(self) -> bool:
        return self.is_broken or self.verdict in (Verdict.FASTER, Verdict.SLOWER, Verdict.SAME)

    @property
    def mark(self) -> str:
        """The mark of the ratio: the graver one of its sides."""
        return max((sample.mark for sample in (self.first, self.second) if sample), key=" !?".index, default="").strip()


def judge(found: Ratio, threshold: float) -> Verdict:
    """The verdict on a ratio of rates; the threshold is a share of the rate."""
    if found.interval is None:
        return Verdict.UNCLEAR
    low, high = found.interval
    if low > 1 and found.value > 1 + threshold:
        return Verdict.FASTER
    if high < 1 and found.value < 1 / (1 + threshold):
        return Verdict.SLOWER
    within = low >= 1 / (1 + threshold) and high <= 1 + threshold
    return Verdict.SAME if within else Verdict.UNCLEAR


def compare(first: Side, second: Side, threshold: float, error: float = ERROR) -> list[Pair]:
    """Every case of either side; the intervals miss in `error` of all cases at most."""
    pairs, matched = [], set()
    is_elsewhere = first.is_elsewhere(second)
    for text, sample in first.samples.items():
        partner = _fellow(text, first, second) if is_elsewhere else text if text in second.samples else None
        if partner:
            matched.add(partner)
            pairs.append(_pair(sample, second.samples[partner], threshold, error))
        elif text in second.errors:
            pairs.append(Pair(sample.name, Verdict.NOT_COMPARABLE, (_failed("B", second.errors[text]),), sample,
                             is_broken=not second.errors[text].startswith(NOT_RUN)))
        else:
            pairs.append(Pair(sample.name, Verdict.NOT_COMPARABLE, ("only in A",), sample))
    for text, sample in second.samples.items():
        if text not in matched and (text not in first.samples or is_elsewhere):
            why = _failed("A", first.errors[text]) if text in first.errors else "only in B"
            pairs.append(Pair(sample.name, Verdict.NOT_COMPARABLE, (why,), second=sample))
    return pairs


def _failed(side: str, error: str) -> str:
    return f"not run in {side}" if error.startswith(NOT_RUN) else f"failed in {side}: {error}"


def _fellow(text: str, first: Side, second: Side) -> Optional[str]:
    """The case of another machine, B, that did the same work on as many nodes and ranks: over the same transport, or
    the only one."""
    def work(sample: Sample) -> tuple[object, ...]:
        name = sample.name
        return (name.kernel, name.formulation, name.device, name.variant, name.size, name.ranks, name.pair,
                sample.nodes)

    mine = first.samples[text]
    alike = {other: sample for other, sample in second.samples.items() if work(sample) == work(mine)}
    same = [other for other, sample in alike.items() if sample.name.transport == mine.name.transport] or list(alike)
    return text if text in alike else same[0] if len(same) == 1 else None


def _pair(first: Sample, second: Sample, threshold: float, error: float) -> Pair:
    sides = (("A", first), ("B", second))
    problems = [f"{sample.problem()} in {side}" for side, sample in sides if sample.problem()]
    if problems:
        return Pair(first.name, Verdict.NOT_COMPARABLE, tuple(problems), first, second,
                   is_broken=second.is_wrong and not first.is_wrong)
    found = ratio(first.medians, second.medians, error)
    launches = min(len(first.undisturbed), len(second.undisturbed))
    usable = min(len(sample.undisturbed) / len(sample.rows) for _, sample in sides)
    verdict = judge(found, threshold) if launches >= LEAST_LAUNCHES else Verdict.UNCLEAR
    why = (*_differs(first.name, second.name),
           *(f"{side}: {sample.disturbance}" for side, sample in sides if sample.disturbance))
    return Pair(first.name, verdict, why, first, second, ratio=found if launches else None, launches=launches,
               more=_more(verdict, launches, usable, threshold, first.medians, second.medians),
               looks_slower=verdict is Verdict.UNCLEAR and found.value < 1 / (1 + threshold))


def _more(verdict: Verdict, launches: int, usable: float, threshold: float, *medians: list[float]) -> Optional[int]:
    """Launches of each side that would probably decide, if as large a share of them is `usable` as so far; None if it
    is decided, or if no number that anybody would make would."""
    if verdict is not Verdict.UNCLEAR or threshold <= 0 or not launches:
        return None
    known = spread(*medians)
    needed = LEAST_LAUNCHES if known is None else max(LEAST_LAUNCHES, values_for(threshold, known))
    more = math.ceil(max(1, needed - launches) / usable)
    return more if needed < MOST_VALUES and more < MOST_VALUES else None


def _differs(first: Name, second: Name) -> list[str]:
    here, there = _factors(first), _factors(second)
    return [f"{key}: {here.get(key)} in A, {there.get(key)} in B" for key in {**here, **there}
            if here.get(key) != there.get(key)]


def _factors(name: Name) -> dict[str, str]:
    words = {f"word {place}": word for place, word in enumerate(name.words, 1)}
    return {"formulation": name.formulation, "device": name.device, "transport": name.transport, **words, **name.values}

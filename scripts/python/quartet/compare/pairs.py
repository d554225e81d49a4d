"""Two sets of results, A and B, their pairs of samples of one case, and the verdict on each pair. And the baseline, a
folder of results that continuous integration keeps: it has a folder for each kind of machine, since rates of different
kinds of machines do not compare. docs/sweeps-and-comparison.md explains the verdicts."""

import hashlib
import math
import os
import shutil
import statistics
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.results import Collection, Launches, Name, Row, collect, device, grouped, judged
from quartet.results.identity import Facts, are_different, facts, machine, processor
from quartet.results.reference import LEAST_VALUES, slow
from quartet.results.row import NOT_RUN
from quartet.results.statistics import ERROR, MOST_VALUES, Ratio, ratio, spread, values_for
from quartet.text import slug

LEAST_LAUNCHES = 4  # of each side: with fewer there is no 95% interval


@dataclass(frozen=True)
class Sample(Launches):
    """The launches of one case in one set of results; each gives one value."""

    def problem(self) -> str:
        """The reason why it cannot be compared; empty if it can be."""
        return "wrong result" if self.verified is False else "not verified" if self.verified is None else ""


@dataclass
class ResultSet:
    """Documents that are compared as a whole."""

    label: str
    documents: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    samples: dict[str, Sample] = field(default_factory=dict)  # by the case's name
    errors: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # by name; values that differ are joined

    @cached_property
    def machines(self) -> set[Facts]:
        return {machine(document) for _, document in self.documents}

    def is_elsewhere(self, other: "ResultSet") -> bool:
        """True if each machine of one set is known to differ from each machine of the other."""
        return all(are_different(mine, theirs) for mine in self.machines for theirs in other.machines)


def read_result_sets(paths: dict[str, list[Path]]) -> list[ResultSet]:
    """The sets of results by label, from their paths, judged together. `skipped` names unusable documents."""
    found = {label: collect(places) for label, places in paths.items()}
    every = judged(document for each in found.values() for _, document in each.documents)
    return [_result_set(label, each, [every.pop(0) for _ in each.documents]) for label, each in found.items()]


def _result_set(label: str, found: Collection, judged_documents: list[list[Row]]) -> ResultSet:
    every = [row for rows in judged_documents for row in rows]
    errors = {row.text: row.error for row in every if row.error}
    launches = grouped((row for row in every if row.rate and not row.error), lambda row: row.text)
    samples = {text: Sample(tuple(rows)) for text, rows in launches.items()}
    return ResultSet(label, found.documents, found.skipped, samples, errors, _settings(found, judged_documents))


def _settings(found: Collection, judged_documents: list[list[Row]]) -> dict[str, str]:
    known: dict[str, dict[str, None]] = {}
    for (_, document), rows in zip(found.documents, judged_documents):
        own = {"device": device(document), "host": str(document["context"]["host_name"]),
               **facts(document, (row.network_path.most for row in rows))}
        for key, value in own.items():
            known.setdefault(key, {})[value] = None
    return {key: ", ".join(values) for key, values in known.items()}


def baseline_folder(folder: Path, results: ResultSet) -> Path:
    """The folder of these results' kind of machine in the baseline; it may not exist yet. Raises ScriptError if the
    results are of several kinds."""
    kinds = {processor(document) for _, document in results.documents}
    if len(kinds) > 1:
        raise ScriptError(f"{results.label} is of {len(kinds)} kinds of machines (a baseline compares "
                          "each with itself): name the results of one")
    kind = kinds.pop()
    digest = hashlib.sha256("\n".join(kind).encode()).hexdigest()[:8]
    return folder / f"{slug(kind[0])}-{digest}"


def replace_baseline(there: Path, results: ResultSet) -> None:
    """Makes these documents the baseline, whole or not at all."""
    aside, old = (there.with_name(there.name + ending) for ending in (".new", ".old"))
    for left_over in (aside, old):
        shutil.rmtree(left_over, ignore_errors=True)
    aside.mkdir(parents=True)
    for number, (path, _) in enumerate(results.documents):
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
    """The samples of one case in A and B, and the verdict on them."""

    name: Name
    verdict: Verdict
    why: tuple[str, ...] = ()  # notes on the verdict
    first: Optional[Sample] = None
    second: Optional[Sample] = None
    ratio: Optional[Ratio] = None  # None if every launch of A or of B was disturbed
    launches: int = 0  # undisturbed ones, of the sample with fewer
    more: Optional[int] = None  # further launches of each that would probably decide; None: unknown
    is_broken: bool = False  # right in A, and wrong or failed in B
    slow_hosts: tuple[float, ...] = ()  # ratios of hosts that stand out from the other hosts
    looks_slower: bool = False  # by more than the threshold, though not significantly, or on hosts that stand out

    @property
    def fails(self) -> bool:
        """True if a regression test should fail."""
        return self.is_broken or self.verdict is Verdict.SLOWER

    @property
    def is_decided(self) -> bool:
        return self.is_broken or self.verdict in (Verdict.FASTER, Verdict.SLOWER, Verdict.SAME)

    @property
    def mark(self) -> str:
        """The mark of the ratio: the graver one of its samples."""
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


def compare(first: ResultSet, second: ResultSet, threshold: float, error: float = ERROR) -> list[Pair]:
    """The pair of each case of A or B; an interval misses the true ratio with probability `error` at most."""
    pairs, matched = [], set()
    is_elsewhere = first.is_elsewhere(second)
    for text, sample in first.samples.items():
        partner = _matching_name(text, first, second) if is_elsewhere else text if text in second.samples else None
        if partner:
            matched.add(partner)
            pairs.append(_pair(sample, second.samples[partner], threshold, error, len(first.samples)))
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


def _failed(label: str, error: str) -> str:
    return f"not run in {label}" if error.startswith(NOT_RUN) else f"failed in {label}: {error}"


def _matching_name(text: str, first: ResultSet, second: ResultSet) -> Optional[str]:
    """B's only row, on another machine, of the same work, nodes, ranks and transport; None unless there is just one."""
    def work(sample: Sample) -> tuple[object, ...]:
        name = sample.name
        return (name.kernel, name.formulation, name.device, name.transport, name.variant, name.size, name.ranks,
                name.pair, sample.nodes)

    alike = [other for other, sample in second.samples.items() if work(sample) == work(first.samples[text])]
    return text if text in alike else alike[0] if len(alike) == 1 else None


def _pair(first: Sample, second: Sample, threshold: float, error: float, cases: int) -> Pair:
    samples = (("A", first), ("B", second))
    problems = [f"{sample.problem()} in {label}" for label, sample in samples if sample.problem()]
    if problems:
        return Pair(first.name, Verdict.NOT_COMPARABLE, tuple(problems), first, second,
                   is_broken=second.verified is False and first.verified is not False)
    found = ratio(first.medians, second.medians, error)
    launches = min(len(first.undisturbed), len(second.undisturbed))
    usable = min(len(sample.undisturbed) / len(sample.rows) for _, sample in samples)
    by_host = _ratios_of_hosts(first, second)
    few = slow({host: each for host, (each, _) in by_host.items()}, error / cases, 1 - 1 / (1 + threshold)) \
        if len(by_host) >= LEAST_VALUES else {}
    is_sure = any(by_host[host][1] >= LEAST_LAUNCHES for host in few)
    verdict = Verdict.SLOWER if is_sure else judge(found, threshold) if launches >= LEAST_LAUNCHES else Verdict.UNCLEAR
    why = (*_factor_differences(first.name, second.name),
           *(f"{label}: {sample.disturbance}" for label, sample in samples if sample.disturbance))
    why += tuple(f"B/A is {by_host[host][0]:.2f} on {host}, far below the median of {len(by_host)} hosts"
                 for host in few)
    return Pair(first.name, verdict, why, first, second, ratio=found if launches else None, launches=launches,
                more=_launches_to_decide(found.value, launches, usable, threshold, first.medians, second.medians)
                if verdict is Verdict.UNCLEAR else None,
                slow_hosts=tuple(by_host[host][0] for host in few),
                looks_slower=bool(few) and not is_sure
                or verdict is Verdict.UNCLEAR and found.value < 1 / (1 + threshold))


def _ratios_of_hosts(first: Sample, second: Sample) -> dict[str, tuple[float, int]]:
    """B/A on each host, or set of hosts, that both have launches of, and the launches of the side with fewer."""
    old, new = ({hosts: [row.rate for row in rows] for hosts, rows in grouped(
        sample.rows_that_count, lambda row: row.hosts).items()} for sample in (first, second))
    return {hosts: (statistics.median(new[hosts]) / statistics.median(rates), min(len(new[hosts]), len(rates)))
            for hosts, rates in old.items() if hosts in new}


def _launches_to_decide(value: float, launches: int, usable: float, threshold: float, *medians: list[float]
                        ) -> Optional[int]:
    """Further launches of each set, undisturbed in the share `usable`, that would probably decide: if the ratio stays,
    its interval must end within the threshold, or before 1. None if they are too few to tell, or too many."""
    known = spread(*medians)
    if threshold <= 0 or launches < LEAST_LAUNCHES or known is None:
        return None
    apart, bound = abs(math.log(value)), math.log1p(threshold)
    needed = max(LEAST_LAUNCHES, values_for(math.expm1(bound - apart if apart < bound else apart), known))
    more = math.ceil(max(1, needed - launches) / usable)
    return more if needed < MOST_VALUES and more < MOST_VALUES else None


def _factor_differences(first: Name, second: Name) -> list[str]:
    here, there = first.values, second.values  # all else is alike in rows that are compared
    return [f"{key}: {here.get(key)} in A, {there.get(key)} in B" for key in {**here, **there}
            if here.get(key) != there.get(key)]

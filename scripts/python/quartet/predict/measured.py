"""Rates that result documents show: of computing from runs on one node, of the link from a pair of
nodes, and what is left of it when more nodes send from all-to-alls."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.kernels import WORDS
from quartet.predict.machine import Machine
from quartet.predict.model import Options
from quartet.predict.models import MODELS
from quartet.predict.rates import LINK, Rate
from quartet.results import Case, Collection, identity, judged, nodes
from quartet.text import counted, say

LEAST_UNCERTAINTY, LARGEST_UNCERTAINTY = 0.03, 9.0  # what one hour says of another; a schema's bound
SHARE_SPREAD = 0.05  # uncertainty: other minutes
LEAST_RATE, LARGEST_RATE = 1e3, 1e18  # of bytes or operations a second that a row may show


def options_of(case: Case) -> Optional[Options]:
    """Reads the options that its kernel's model knows from a row's name; None if there is no
    model, or the name has what no program writes."""
    model = MODELS.get(case.name.kernel)
    if not model:
        return None
    given = {**dict(zip(WORDS.get(case.name.kernel, ()), case.name.words)), **case.name.values}
    try:
        return model.chosen(given, is_strict=False)
    except ScriptError:
        return None


@dataclass(frozen=True)
class Sample:
    """What one row shows of a rate: the value, its interval as a share, and where it stands."""

    value: float
    spread: float
    path: str


@dataclass
class Shown:
    """All that rows show of one rate, by the ranks of a node that shared it."""

    samples: dict[int, list[Sample]] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        return max(self.samples)

    def rate(self) -> Rate:
        """The rate of the most ranks that shared it; known as well as the samples agree."""
        samples = self.samples[self.ranks]
        values = [sample.value for sample in samples]
        middle = statistics.median(values)
        apart = max(max(values) / middle, middle / min(values)) - 1
        spread = max(LEAST_UNCERTAINTY, apart, *(sample.spread for sample in samples))
        first, *others = sorted({Path(sample.path).name for sample in samples})
        more = f" and {counted(len(others), 'more file')}" if others else ""
        return Rate(middle, min(spread, LARGEST_UNCERTAINTY),
                    f"measured, {counted(self.ranks, 'rank')} of a node: {first}{more}")


@dataclass(frozen=True)
class Exchange:
    """An all-to-all: what left each node, in bytes a second."""

    nodes: int
    rate: float
    path: str


def measured(documents: Iterable[tuple[str, dict[str, Any]]], machine: Machine) -> Machine:
    """The machine with the rates that the documents show of the device on which its ranks compute, in place of
    described ones. Raises ScriptError where they show nothing, or are of several machines."""
    device = "cuda" if machine.has_gpus else "host"
    found: dict[str, Shown] = {}
    pairs: dict[str, list[tuple[str, Case, Options]]] = {}
    exchanges: list[Exchange] = []
    everything = list(documents)
    used: dict[str, dict[str, Any]] = {}
    for (path, document), cases in zip(everything, judged(document for _, document in everything)):
        for case in cases:
            options = options_of(case)
            if options is None or case.name.device != device or not _is_sound(case):
                continue
            used[path] = document
            if nodes(document) == 1:
                _collect(found, path, case, options)
            elif nodes(document) == 2 and case.name.ranks == 2:
                pairs.setdefault(case.name.kernel, []).append((path, case, options))
            elif nodes(document) > 2:
                exchanges += _exchange(path, case, options, nodes(document))
    _require_one_machine(list(used.values()))
    rates = {name: shown.rate() for name, shown in found.items()}
    notes = {name: f"{name} was measured with {counted(shown.ranks, 'rank')} on a node, the machine has "
                   f"{machine.per_node}: they share its memory" for name, shown in found.items()
             if shown.ranks < machine.per_node}
    for kernel, rows in pairs.items():
        seen = MODELS[kernel].shows_link([(case, options) for _, case, options in rows])
        rates.update({name: Rate(value, uncertainty, f"measured, a pair of nodes: {Path(rows[0][0]).name}")
                      for name, (value, uncertainty) in seen.items() if value < LARGEST_RATE})
    shares = _shares(exchanges, machine.rates.replaced(rates).single.get(LINK))
    if not rates and not shares:
        raise ScriptError(f"--from: no document shows a rate of {device} (it takes sound rows of one "
                          "node, pushes between two, or exchanges among more): name others")
    return machine.with_measured(rates, shares, notes)


def _require_one_machine(documents: list[dict[str, Any]]) -> None:
    """Raises ScriptError."""
    facts = dict.fromkeys(map(identity.machine, documents))
    if any(identity.are_different(one, other) for one in facts for other in facts):
        names = "; ".join(dict.fromkeys(identity.names(documents)))
        raise ScriptError(f"--from: the documents are of several machines ({names}): name those of one")


def with_rates_of(found: Collection, machine: Machine) -> Machine:
    """The machine with what the documents show of it. Says what was left out. Raises ScriptError."""
    for why in found.skipped:
        say(f"left out {why}")
    return measured(((str(path), document) for path, document in found.documents), machine)


def _exchange(path: str, case: Case, options: Options, count: int) -> list[Exchange]:
    """The exchange that a row shows, if it shows one."""
    shown = MODELS[case.name.kernel].shows_exchange(case, options)
    if not shown:
        return []
    sent, seconds = shown
    ranks, node = case.name.ranks, case.name.ranks / count
    leaving = node * sent * (ranks - node) / (ranks - 1)
    return [Exchange(count, leaving / seconds, path)]


def _shares(exchanges: list[Exchange], link: Optional[Rate]) -> dict[int, Rate]:
    """By nodes, what is left of their links. A pair of nodes has the whole of it."""
    if not exchanges or not link:
        return {}
    shares = {2: Rate(1.0, 0.0, "a pair of nodes: what its link is known by")}
    for count in {exchange.nodes for exchange in exchanges}:
        alike = [exchange for exchange in exchanges if exchange.nodes == count]
        share = min(1.0, statistics.median(exchange.rate for exchange in alike) / link.value)
        shares[count] = Rate(share, SHARE_SPREAD,
                             f"measured, an all-to-all of {count} nodes: {Path(alike[0].path).name}")
    return shares


def _is_sound(case: Case) -> bool:
    return not case.error and not case.is_distrusted and case.verified is not False \
        and case.seconds > 0 and case.rate > 0


def _collect(found: dict[str, Shown], path: str, case: Case, options: Options) -> None:
    low, high = case.interval or (case.rate, case.rate)
    spread = max(high / case.rate, case.rate / low) - 1 if low > 0 else 0.0
    for name, value in MODELS[case.name.kernel].shows(case, options).items():
        if LEAST_RATE < value < LARGEST_RATE:
            samples = found.setdefault(name, Shown()).samples
            samples.setdefault(case.name.ranks, []).append(Sample(value, spread, path))

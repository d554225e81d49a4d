"""Rates that result documents show: of computing from runs on one node, of the link from a pair of nodes."""

import statistics
from collections import defaultdict
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.kernels import WORDS
from quartet.predict.curve import MODELS
from quartet.predict.machine import Machine, Rate
from quartet.predict.model import Options
from quartet.results import Case, Collection, identity, judged, nodes
from quartet.text import counted, say

LEAST_UNCERTAINTY, LARGEST_UNCERTAINTY = 0.03, 9.0  # what one hour says of another; a schema's bound
LEAST_RATE, LARGEST_RATE = 1e3, 1e18  # of bytes or operations a second that a row may show
Sample = tuple[float, float, str]  # what a row shows of a rate, its interval as a share, and its file


def with_rates_of(found: Collection, machine: Machine) -> Machine:
    """The machine with the rates that the documents show of the device on which its ranks compute, in place of
    described ones. Says what was left out. Raises ScriptError where they show nothing, or are of several machines."""
    for why in found.skipped:
        say(f"left out {why}")
    device = "cuda" if machine.has_gpus else "host"
    shown: dict[str, dict[int, list[Sample]]] = defaultdict(lambda: defaultdict(list))  # by rate and ranks of a node
    pairs: dict[str, list[tuple[Case, Options]]] = defaultdict(list)  # by kernel
    used = {}
    for (path, document), cases in zip(found.documents, judged(document for _, document in found.documents)):
        for case in cases:
            options = options_of(case)
            if options is None or case.name.device != device or not _is_sound(case):
                continue
            used[path] = document
            if nodes(document) == 1:
                for name, value in _shown(case, options).items():
                    low, high = case.interval or (case.rate, case.rate)
                    spread = max(high / case.rate, case.rate / low) - 1 if low > 0 else 0.0
                    shown[name][case.name.ranks].append((value, spread, path.name))
            elif nodes(document) == 2 and case.name.ranks == 2:
                pairs[case.name.kernel].append((case, options))
    _require_one_machine(list(used.values()))
    rates = {name: _rate(max(by_ranks), by_ranks[max(by_ranks)]) for name, by_ranks in shown.items()}
    for kernel, rows in pairs.items():
        link = MODELS[kernel].shows_link(rows)
        rates.update({name: Rate(value, uncertainty, "measured, a pair of nodes")
                      for name, (value, uncertainty) in link.items() if value < LARGEST_RATE})
    if not rates:
        raise ScriptError(f"--from: no document shows a rate of {device} (it takes sound rows of one node, and pushes "
                          "between two): name others")
    return machine.with_rates(rates)


def options_of(case: Case) -> Optional[Options]:
    """The options that its kernel's model knows, from a row's name; None if there is no model, or the name has what no
    program writes."""
    model = MODELS.get(case.name.kernel)
    given = {**dict(zip(WORDS.get(case.name.kernel, ()), case.name.words)), **case.name.values}
    try:
        return model.chosen(given, is_strict=False) if model else None
    except ScriptError:
        return None


def _is_sound(case: Case) -> bool:
    return case.name.formulation == "native" and not case.error and not case.is_distrusted \
        and case.verified is not False and case.seconds > 0 and case.rate > 0


def _shown(case: Case, options: Options) -> dict[str, float]:
    """The rate of each of a row's workers, which share the work."""
    model = MODELS[case.name.kernel]
    work, seconds = model.shows(case, options)
    value = work / case.workers / seconds if seconds > 0 and case.workers else 0.0
    return {model.rate: value} if LEAST_RATE < value < LARGEST_RATE else {}


def _rate(ranks: int, samples: list[Sample]) -> Rate:
    """The rate of the most ranks that shared a node; known as well as the samples agree."""
    values, spreads, paths = zip(*samples)
    middle = statistics.median(values)
    spread = max(LEAST_UNCERTAINTY, max(values) / middle - 1, middle / min(values) - 1, *spreads)
    first, *others = sorted(set(paths))
    more = f" and {counted(len(others), 'more file')}" if others else ""
    source = f"measured, {counted(ranks, 'rank')} of a node: {first}{more}"
    return Rate(middle, min(spread, LARGEST_UNCERTAINTY), source)


def _require_one_machine(documents: list[dict[str, Any]]) -> None:
    """Raises ScriptError."""
    facts = dict.fromkeys(map(identity.machine, documents))
    if any(identity.are_different(one, other) for one in facts for other in facts):
        names = "; ".join(dict.fromkeys(identity.names(documents)))
        raise ScriptError(f"--from: the documents are of several machines ({names}): name those of one")

"""Rows that do not fit the others of the same run: what one program alone cannot see, and what older
documents do not flag.

- two speeds (older documents only): the runs fall into two groups, each at least a fifth of them,
  1.5 times apart;
- below the library: native has less than half of the fraction of the limit of the library
  formulation, like for like;
- below its neighbours: less than half of the fraction of the next smaller size that fits.

Such a row is flagged as the programs flag one, and is distrusted."""

from dataclasses import replace

from quartet.results import Case
from quartet.text import rate, size, size_in_bytes

HALF = 0.5
APART = 1.5  # the two speeds of a row
OWN_FACTORS = {"size", "n"}


def judged(cases: list[Case]) -> list[Case]:
    """The same cases, misfits flagged."""
    found = [_flagged(case, "two_speeds", two_speeds(case)) for case in cases]
    found = [_flagged(case, "below_library", _below_library(case, found)) for case in found]
    neighbours = _below_neighbours(found)
    return [_flagged(case, "below_neighbours", neighbours.get(index, ""))
            for index, case in enumerate(found)]


def is_alike(one: Case, other: Case) -> bool:
    """Whether two formulations of a kernel did the same work: equal words, and every factor that
    both know."""
    first, second = one.name, other.name
    return (not one.error and not other.error and one.unit == other.unit
            and (first.kernel, first.device, first.words)
            == (second.kernel, second.device, second.words)
            and all(second.values[key] == value for key, value in first.values.items()
                    if key in second.values))


def two_speeds(case: Case) -> str:
    """In words, where the runs have two; else empty."""
    if "flags" in case.median:  # the program has looked, by a rule that knows noise from speeds
        return ""
    ordered = sorted(case.rates)
    least = max(2, round(len(ordered) / 5))
    for count in range(least, len(ordered) - least + 1):
        slow, fast = ordered[:count], ordered[count:]
        if fast[0] > APART * slow[-1]:
            return (f"two speeds: {count} of {len(ordered)} runs at {rate(slow[0])} to "
                    f"{rate(slow[-1])}, the others at {rate(fast[0])} to {rate(fast[-1])}")
    return ""


def _flagged(case: Case, kind: str, text: str) -> Case:
    if not text or kind in case.flags:
        return case
    flags = [*({"kind": key, "text": words} for key, words in case.flags.items()),
             {"kind": kind, "text": text}]
    return replace(case, median={**case.median, "flags": flags, "distrusted": True})


def _below_library(case: Case, cases: list[Case]) -> str:
    """Beside the row of the same transport where there is one."""
    if case.error or case.name.formulation != "native":  # a data flow's queue has its price
        return ""
    peers = [other for other in cases if other.name.formulation == "library"
             and not other.mark and is_alike(case, other)]
    peer = min(peers, key=lambda other: other.name.transport != case.name.transport, default=None)
    if not peer or not peer.fraction_of_limit or not case.fraction_of_limit:
        return ""
    if case.fraction_of_limit >= HALF * peer.fraction_of_limit:
        return ""
    return (f"{case.fraction_of_limit:.0%} of its limit, the library formulation "
            f"{peer.fraction_of_limit:.0%}")


def _below_neighbours(cases: list[Case]) -> dict[int, str]:
    """By index. A neighbour that is itself below its own is passed over."""
    series: dict[tuple, list[int]] = {}
    for index, case in enumerate(cases):
        if case.fraction_of_limit and not case.is_suspicious:
            name = case.name
            others = tuple(item for item in name.values.items() if item[0] not in OWN_FACTORS)
            key = (name.kernel, name.formulation, name.device, name.transport, name.words, others)
            series.setdefault(key, []).append(index)
    found: dict[int, str] = {}
    for indices in series.values():
        ordered = sorted(indices, key=lambda index: size_in_bytes(cases[index].name.size))
        _search(cases, ordered, found)
    return found


def _search(cases: list[Case], ordered: list[int], found: dict[int, str]) -> None:
    """The smallest size has no neighbour that says what it should be: its runs are short."""
    sound = ordered[0]
    for index in ordered[1:]:
        own, other = (cases[each].fraction_of_limit or 0 for each in (index, sound))
        if own < HALF * other:
            found[index] = f"{own:.0%} of its limit, {size(cases[sound].name.size)} {other:.0%}"
        else:
            sound = index

"""What the charts show, each in a sentence: their titles."""

from dataclasses import replace
from typing import Callable

from quartet.text import ratio

from .cases import Result
from .lines import Line

NEARLY = 1.03  # a ratio below which two are called alike
IN_DOUBT = "All rates here are in doubt"


def of_shares(bests: list[tuple[str, float, str]], whose: str) -> str:
    """Says which of these names, with fractions and marks, is nearest to its limit, and which furthest. What is in
    doubt is left out."""
    sound = sorted((share, name) for name, share, mark in bests if not mark)
    if not sound:
        return f"No share of {whose} can be quoted"
    (low, last), (high, first) = sound[0], sound[-1]
    text = f"{first} reaches {high:.0%} of {whose}" + (f", {last} {low:.0%}" if len(sound) > 1 else "")
    return text[:1].upper() + text[1:]


def _trusted(lines: list[Line]) -> list[Line]:
    """Without what is in doubt."""
    kept = [replace(line, points=tuple(point for point in line.points if not point[1].mark)) for line in lines]
    return [line for line in kept if line.points]


def of_sizes(lines: list[Line], at: Callable[[float], str]) -> str:
    """The fastest line over the slowest, at the largest size that both have."""
    lines = _trusted(lines)
    if not lines:
        return IN_DOUBT
    common = set.intersection(*({x for x, _ in line.points} for line in lines))
    if len(lines) == 1 or not common:
        line = max(lines, key=lambda item: max(result.rate for _, result in item.points))
        x, best = max(line.points, key=lambda point: point[1].rate)
        return f"{line.label} is fastest at {at(x)}{best.mark}"
    x = max(common)
    there = sorted(((dict(line.points)[x], line.label) for line in lines), key=lambda pair: pair[0].rate)
    (slow, last), (fast, first) = there[0], there[-1]
    if fast.rate / slow.rate < NEARLY:
        return f"At {at(x)} all ways are equally fast"
    return f"At {at(x)} {first} is {ratio(fast.rate / slow.rate)}{worse(fast, slow)} as fast as {last}"


def of_scaling(lines: list[Line]) -> str:
    """The gain of the line that is fastest in the end."""
    lines = _trusted(lines)
    if not lines:
        return IN_DOUBT
    line = max(lines, key=lambda item: item.points[-1][1].rate)
    (few, base), (many, last) = line.points[0], line.points[-1]
    if few == many:
        return f"{line.label} is fastest on {many:g}"
    return (f"{line.label} is {ratio(last.rate / base.rate)}{worse(last, base)} as fast on {many:g} "
            f"workers as on {few:g}")


def of_formulations(best: list[Result]) -> str:
    """The first over the other formulations, like for like; none that is in doubt is compared."""
    trusted = [result for result in best if not result.mark]
    if len({result.name.formulation for result in trusted}) < 2:
        return f"{best[0].name.kernel}: rates in doubt are not compared"
    best = trusted
    base, *others = [result for result in best if result.name.variant == best[0].name.variant]
    others = others or [result for result in best[1:] if result.name.formulation != base.name.formulation]
    rates = " and ".join(f"{ratio(base.rate / other.rate)}{worse(base, other)} "
                         f"{other.name.formulation}'s" for other in others)
    return f"{base.name.kernel}: {base.name.formulation} reaches {rates} rate".replace(" rate and", " and")


def worse(one: Result, other: Result) -> str:
    """The graver of two marks: a ratio has it, too."""
    return max(one.mark, other.mark, key=["", "!", "?"].index)

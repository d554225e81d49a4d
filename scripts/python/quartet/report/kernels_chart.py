"""The first picture: each kernel's formulations against one limit, that of native, so that bars of a
kernel compare as their rates do. (A data flow's own limit leaves out what its reducers could compute.)"""

from typing import Any, Optional, Sequence

from quartet.text import rate

from . import findings
from .cases import Result
from .charts.model import Bar, ShareChart
from .factors import by_kernel, fastest_of_each, grouped, is_pair, size_of
from .sections import Section

ABOVE = "above its limit: a cache helps, or the limit was measured in a slower moment"
NATIVE = "native"


def section(results: list[Result], references: Sequence[Result] = ()) -> Section:
    """A chart for each machine and folder; what the shipped results reached is a tick."""
    candidates = _candidates(results)
    groups = grouped(candidates, lambda result: (result.machine, result.series, result.name.device))
    return Section(
        "kernels", "Each kernel against its limit",
        "100% is the rate that the machine allows native, measured in the same job with the bare resource. "
        "A kernel's bars share this limit, so they compare as rates do. Each is the fastest verified way "
        "for one problem on as many ranks. A variant that native has, too, is shown against native's limit there."
        + (" A tick across a bar is what the shipped results reached." if references else ""),
        [_chart(members, _candidates(references)) for members in groups.values()],
        missing="No verified row has a limit.", command="any program without --limits off")


def _candidates(results: Any) -> list[Result]:
    return [result for result in results if result.verified and result.fraction and not is_pair(result)]


def _chart(results: list[Result], references: list[Result]) -> ShareChart:
    kernels = grouped(sorted(results, key=by_kernel), lambda result: result.name.kernel)
    chosen = {kernel: _alike(members) for kernel, members in kernels.items()}
    shown = [result for best, others in chosen.values() for result in (*best, *others)]
    days = sorted({launch.date for result in shown for launch in result.launches})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    first = results[0]
    where = ", ".join(filter(None, (first.series * first.told_by_folder, first.machine)))
    limits = {kernel: _limits(best[0], [*best, *others]) for kernel, (best, others) in chosen.items()}
    groups = tuple((kernel, tuple(_bar(result, limits[kernel], references, best[0].name.words)
                                  for result in (*best, *others)))
                   for kernel, (best, others) in chosen.items())
    hollow = "; hollow: do not quote" * any(result.mark for result in shown)
    return ShareChart(_title(chosen), "per cent of native's limit", groups,
                      about=f"{where}; {when}{hollow}", notes=_notes(shown))


def _title(chosen: dict[str, tuple[list[Result], list[Result]]]) -> str:
    """The title of native alone, where there is any: only its bars are shares of their own limit."""
    natives = [(kernel, result.share, result.mark) for kernel, (best, _) in chosen.items()
               for result in best if result.name.formulation == NATIVE]
    if natives:
        return "Native " + findings.of_shares(natives, "its limit")
    return findings.of_shares([(kernel, best[0].share, best[0].mark) for kernel, (best, _) in chosen.items()],
                              "its limit")


def _limits(main: Result, shown: list[Result]) -> dict[tuple[str, ...], float]:
    """The rate that stands for 100% by the words of a variant: native's limit there, else that of the
    main variant, else the row's own."""
    natives = {result.name.words: result.rate / result.share for result in shown
               if result.name.formulation == NATIVE}
    usual = natives.get(main.name.words, main.rate / main.share)
    return {result.name.words: natives.get(result.name.words, usual) for result in shown}


def _alike(results: list[Result]) -> tuple[list[Result], list[Result]]:
    """Each formulation's best on one problem, variant and number of ranks: those that most
    formulations have. Then the best of each formulation in the other variants."""
    problems = grouped(results, lambda result: (result.name.ranks, size_of(result)))
    best = {key: fastest_of_each(members) for key, members in problems.items()}
    members = problems[max(best, key=lambda key: (len(best[key]), key))]
    variants = {words: _fastest(found) for words, found in
                grouped(members, lambda result: result.name.words).items()}
    main = max(variants, key=lambda words: len(variants[words]))
    return variants[main], [result for words, found in variants.items() if words != main for result in found]


def _fastest(results: list[Result]) -> list[Result]:
    """Returns each formulation's fastest case that is not in doubt."""
    return fastest_of_each(results, lambda result: (not result.mark, result.rate))


def _bar(result: Result, limits: dict[tuple[str, ...], float], references: list[Result],
         usual: tuple[str, ...]) -> Bar:
    variant = "".join(f", {word}" for word in result.name.words if word not in usual)
    share = result.rate / limits[result.name.words]
    return Bar(f"{result.name.formulation} {result.name.transport}{variant}", share * 100,
               f"{share:.0%}{result.mark} ({rate(result.rate)} {result.unit}{variant})",
               formulation=result.name.formulation, mark=result.mark,
               reference=_reference(result, references),
               about=f"limit: {result.limit.what}. {result.case.text}"
               if result.limit else result.case.text)


def _reference(result: Result, references: list[Result]) -> Optional[float]:
    """In per cent of native's limit: the undoubted case of this kernel, formulation and variant on the most
    ranks, then of the largest problem."""
    name = result.name
    fitting = [other for other in references if not other.mark
               and (other.name.kernel, other.name.formulation, other.name.device, other.name.words)
               == (name.kernel, name.formulation, name.device, name.words)]
    same = [other for other in fitting if other.name.transport == name.transport] or fitting
    if not same:
        return None
    chosen = max(same, key=lambda other: (other.name.ranks, size_of(other)))
    alike = [other for other in references if other.name.formulation == NATIVE
             and (other.name.kernel, other.name.device, other.name.words, other.name.ranks, size_of(other))
             == (name.kernel, name.device, name.words, chosen.name.ranks, size_of(chosen))]
    limit = max(alike, key=lambda other: (not other.mark, other.rate)) if alike else chosen
    return chosen.rate / (limit.rate / limit.share) * 100


def _notes(shown: list[Result]) -> tuple[str, ...]:
    """The reason why each marked bar is marked."""
    return tuple(f"{result.mark} {result.name.kernel} {result.name.formulation}: "
                 f"{ABOVE if result.mark == '!' else result.doubts}"
                 for result in shown if result.mark)

"""The first picture: each kernel's formulations against one limit, what all ranks of the job would allow native, so
that bars of a kernel compare as their rates do. Where fewer ranks compute, the row's own limit is a tick."""

from typing import Any, Optional, Sequence

from quartet.text import rate

from . import findings
from .cases import Result
from .charts.model import Bar, ShareChart
from .factors import by_kernel, fastest_of_each, grouped, is_pair, size_of
from .sections import Section

ABOVE = "above its limit: a cache helps, or the limit was measured in a slower moment"
NATIVE = "native"
ALL = "what all ranks would allow"


def section(results: list[Result], references: Sequence[Result] = ()) -> Section:
    """A chart for each machine and folder; what native reached in the shipped results is a triangle."""
    candidates = _candidates(results)
    groups = grouped(candidates, lambda result: (result.machine, result.series, result.name.device))
    return Section(
        "kernels", "Each kernel against its limit",
        "100% is the rate that the machine would allow native if all ranks of the job computed, measured in the same "
        "job with the bare resource. A kernel's bars share it, so they compare as rates do. A tick is the row's own "
        "limit where that is another: some ranks only send, or reduce, or the machine was faster or slower when it was "
        "probed. Each bar is the fastest verified way for one problem on as many ranks. A variant that native has "
        "is shown against native's limit there.",
        [_chart(members, _candidates(references)) for members in groups.values()],
        missing="No verified row has a limit.", command="any program without --limits off")


def _candidates(results: Any) -> list[Result]:
    return [result for result in results if result.verified and result.fraction and not is_pair(result)]


def _chart(results: list[Result], references: list[Result]) -> ShareChart:
    kernels = grouped(sorted(results, key=by_kernel), lambda result: result.name.kernel)
    chosen = {kernel: on_one_problem(members) for kernel, members in kernels.items()}
    shown = [result for best, others in chosen.values() for result in (*best, *others)]
    days = sorted({launch.date for result in shown for launch in result.launches})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    first = results[0]
    where = ", ".join(filter(None, (first.series * first.told_by_folder, first.machine)))
    groups = tuple((kernel, _bars(best, others, references)) for kernel, (best, others) in chosen.items())
    hatched = "; hatched: in doubt, see its mark" * any(result.mark for result in shown)
    shipped = ", ".join(sorted({other.machine for other in references if other.name.device == first.name.device}))
    theirs = f"; shipped results: {shipped}" * any(bar.reference for _, bars in groups for bar in bars)
    return ShareChart(_title(chosen), f"per cent of {ALL}", groups, about=f"{where}; {when}{hatched}{theirs}",
                      notes=_notes(shown))


def _title(chosen: dict[str, tuple[list[Result], list[Result]]]) -> str:
    """Tells of native, where there is any."""
    natives = [result for best, _ in chosen.values() for result in best if result.name.formulation == NATIVE]
    told = natives or [best[0] for best, _ in chosen.values()]
    return findings.of_shares([(f"{result.name.formulation} {result.name.kernel}", result.share_of_all, result.mark)
                               for result in told], ALL)


def _bars(best: list[Result], others: list[Result], references: list[Result]) -> tuple[Bar, ...]:
    whole = _wholes(best[0], [*best, *others])
    usual = best[0].name.variant
    return tuple(_bar(result, whole[result.name.variant], usual, _reference(result, references)
                      if result in best and result.name.formulation == NATIVE else None)
                 for result in (*best, *others))


def _wholes(main: Result, shown: list[Result]) -> dict[tuple[str, ...], float]:
    """The rate that stands for 100% by variant: native's there, else that of the main variant, else
    the row's own."""
    natives = {result.name.variant: result.rate / result.share_of_all for result in shown
               if result.name.formulation == NATIVE}
    usual = natives.get(main.name.variant, main.rate / main.share_of_all)
    return {result.name.variant: natives.get(result.name.variant, usual) for result in shown}


def on_one_problem(results: list[Result]) -> tuple[list[Result], list[Result]]:
    """Each formulation's best on one problem, variant and number of ranks: those that most
    formulations have. Then the best of each formulation in the other variants."""
    problems = grouped(results, lambda result: (result.name.ranks, size_of(result)))
    best = {key: fastest_of_each(members) for key, members in problems.items()}
    members = problems[max(best, key=lambda key: (len(best[key]), key))]
    variants = {variant: _fastest(found) for variant, found in
                grouped(members, lambda result: result.name.variant).items()}
    main = max(variants, key=lambda variant: (len(variants[variant]), not variants[variant][0].name.math))
    return variants[main], [result for variant, found in variants.items() if variant != main for result in found]


def _fastest(results: list[Result]) -> list[Result]:
    """Returns each formulation's fastest case that is not in doubt."""
    return fastest_of_each(results, lambda result: (not result.mark, result.rate))


def _bar(result: Result, whole: float, usual: tuple[str, ...], reference: Optional[float]) -> Bar:
    variant = "".join(f", {word}" for word in result.name.variant if word not in usual or word == result.name.math)
    share, own = result.rate / whole, result.rate / result.share / whole
    return Bar(f"{result.name.formulation} {result.name.transport}{variant}", share * 100,
               f"{share:.0%}{result.mark} ({rate(result.rate)} {result.unit}{variant})",
               formulation=result.name.formulation, mark=result.mark, reference=reference,
               limit=own * 100 if round(own * 100) != 100 else None,
               about=f"{result.fraction_text} of its own limit, {result.limit.what}. {result.case.text}"
               if result.limit else result.case.text)


def _reference(result: Result, references: list[Result]) -> Optional[float]:
    """In per cent: the undoubted native case of this kernel and variant on the most ranks, then of the largest
    problem."""
    name = result.name
    fitting = [other for other in references if not other.mark
               and (other.name.kernel, other.name.formulation, other.name.device, other.name.variant)
               == (name.kernel, name.formulation, name.device, name.variant)]
    if not fitting:
        return None
    return max(fitting, key=lambda other: (other.name.ranks, size_of(other), other.rate)).share_of_all * 100


def _notes(shown: list[Result]) -> tuple[str, ...]:
    """The reason why each marked bar is marked."""
    return tuple(f"{result.mark} {result.name.kernel} {result.name.formulation}: "
                 f"{ABOVE if result.mark == '!' else result.doubts}"
                 for result in shown if result.mark)

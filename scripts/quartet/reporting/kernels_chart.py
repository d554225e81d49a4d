"""The first picture: each kernel's formulations against the limit that the machine sets."""

from quartet.wording import rate

from .cases import Result
from .charts.model import Bar, ShareChart
from .factors import by_kernel, fastest_of_each, grouped, is_pair, size_of
from .sections import Section


def section(results: list[Result]) -> Section:
    """A chart for each kind of machine."""
    candidates = [result for result in results
                  if result.verified and result.fraction and not is_pair(result)]
    machines = grouped(candidates, lambda result: (result.machine, result.name.device))
    return Section(
        "kernels", "Each kernel against its limit",
        "The limit was measured in the same job with the bare resource, so 100% is perfect. Each "
        "bar is the fastest verified way, in per cent of its own limit; a way above its limit is "
        "shown only where there is no other. A kernel's bars are of one problem on as many ranks: "
        "the one that most formulations solved, then the largest.",
        [_chart(members) for members in machines.values()],
        missing="No verified row has a limit.", command="any program without --limits off")


def _chart(results: list[Result]) -> ShareChart:
    kernels = grouped(sorted(results, key=by_kernel), lambda result: result.name.kernel)
    chosen = {kernel: _best(members) for kernel, members in kernels.items()}
    days = sorted({launch.date for best in chosen.values() for result in best
                   for launch in result.launches})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    hatched = "; hatched: above its limit, do not quote" if any(
        result.is_suspicious for best in chosen.values() for result in best) else ""
    return ShareChart("Share of its own limit, measured in the same job",
                      "per cent of the limit",
                      tuple((kernel, tuple(map(_bar, best))) for kernel, best in chosen.items()),
                      caption=f"{results[0].machine}; {when}" + hatched)


def _best(results: list[Result]) -> list[Result]:
    """Each formulation's best, all on the same problem and as many ranks."""
    problems = grouped(results, lambda result: (int(result.name.values.get("ranks", 0)),
                                                size_of(result)))
    best = {key: fastest_of_each(members, lambda result: (not result.is_suspicious, result.rate))
            for key, members in problems.items()}
    return best[max(best, key=lambda key: (len(best[key]), key))]


def _bar(result: Result) -> Bar:
    return Bar(f"{result.name.formulation} {result.name.transport}", result.fraction * 100,
               f"{result.fraction:.0%} ({rate(result.rate)} {result.unit})",
               formulation=result.name.formulation, flagged=result.is_suspicious,
               about=f"limit: {result.limit.what}. {result.case.text}"
               if result.limit else result.case.text)

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
        "bar is the fastest verified way on the most ranks and the largest problem, in per cent of "
        "its own limit; a way above its limit is shown only where there is no other.",
        [_chart(members) for members in machines.values()],
        missing="No verified row has a limit.", command="any program without --limits off")


def _chart(results: list[Result]) -> ShareChart:
    kernels = grouped(sorted(results, key=by_kernel), lambda result: result.name.kernel)
    chosen = {kernel: fastest_of_each(members, _worth) for kernel, members in kernels.items()}
    days = sorted({launch.date for best in chosen.values() for result in best
                   for launch in result.launches})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    hatched = "; hatched: above its limit, do not quote" if any(
        result.is_suspicious for best in chosen.values() for result in best) else ""
    return ShareChart("Share of the limit that the same job measured",
                      "per cent of the limit",
                      tuple((kernel, tuple(map(_bar, best))) for kernel, best in chosen.items()),
                      caption=f"{results[0].machine}; {when}" + hatched)


def _worth(result: Result) -> tuple:
    """The most ranks, then the largest problem, then the fastest way that is not above its
    limit."""
    return (int(result.name.values.get("ranks", 0)), size_of(result), not result.is_suspicious,
            result.rate)


def _bar(result: Result) -> Bar:
    return Bar(f"{result.name.formulation} {result.name.transport}", result.fraction * 100,
               f"{result.fraction:.0%} ({rate(result.rate)} {result.unit})",
               formulation=result.name.formulation, flagged=result.is_suspicious,
               about=f"limit: {result.limit.what}. {result.case.text}"
               if result.limit else result.case.text)

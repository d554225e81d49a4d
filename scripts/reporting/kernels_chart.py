"""The first picture: each kernel's formulations against the limit that the machine sets."""

from table import rate

from .cases import Result
from .charts.model import Bar, ShareChart
from .factors import KERNELS, grouped, is_pair, size_of
from .sections import Section

FORMULATIONS = ("native", "dataflow", "library")


def section(results: list[Result], dates: dict[str, str]) -> Section:
    """A chart for each kind of machine. `dates` are the days of the documents, by path."""
    candidates = [result for result in results
                  if result.verified and result.fraction and not is_pair(result)]
    machines = grouped(candidates, lambda result: (result.first.machine, result.name.device))
    return Section(
        "kernels", "Each kernel against its limit",
        "The limit was measured in the same job with the bare resource, so 100% is perfect. Each "
        "bar is the fastest verified way on the most ranks and the largest problem.",
        [_chart(members, dates) for members in machines.values()],
        missing="No verified row has a limit.", command="any program without --limits off")


def _chart(results: list[Result], dates: dict[str, str]) -> ShareChart:
    groups, chosen = [], []
    by_kernel = grouped(results, lambda result: result.name.kernel)
    for kernel in sorted(by_kernel, key=_place):
        best = _best(by_kernel[kernel])
        chosen += best
        groups.append((kernel, tuple(map(_bar, best))))
    days = sorted({dates[launch.path] for result in chosen for launch in result.launches})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return ShareChart("Share of the limit that the same job measured",
                      "per cent of the limit", tuple(groups),
                      caption=f"{results[0].first.machine}; {when}")


def _place(kernel: str) -> int:
    return KERNELS.index(kernel) if kernel in KERNELS else len(KERNELS)


def _best(results: list[Result]) -> list[Result]:
    """Of each formulation the fastest on the most ranks and the largest problem; one that is above
    its limit only where there is no other."""
    best: dict[str, Result] = {}
    for result in sorted(results, key=lambda item: (
            int(item.name.values.get("ranks", 0)), size_of(item), not item.is_suspicious,
            item.rate)):
        best[result.name.formulation] = result
    return [best[name] for name in FORMULATIONS if name in best]


def _bar(result: Result) -> Bar:
    return Bar(f"{result.name.formulation} {result.name.transport}", result.fraction * 100,
               f"{result.fraction:.0%} ({rate(result.rate)} {result.first.unit})",
               formulation=result.name.formulation, flagged=result.is_suspicious,
               about=f"limit: {result.limit.what}. {result.first.run_name}"
               if result.limit else result.first.run_name)

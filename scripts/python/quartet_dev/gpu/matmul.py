"""matmul on a GPU: products that stream through its memory."""

from quartet_dev.gpu.promise import Benchmark, OnGpu, Profile, Promise, SmallRun
from quartet_dev.limits.comparisons import OfLimit, Row
from quartet_dev.limits.goals import Bound, Goal

NAME = "matmul"
# A third of the tiles fits beside what cuBLAS takes: the matrices stream through.
_SMALL = ("--size", "500", "--tile", "64")
_BOUNDED = (*_SMALL, "--device-memory", "33MiB")
_TRIED = ("--size", "256", "--tile", "64")


def _benchmark(where: str, arguments: tuple[str, ...], seconds: float, files: bool = False) -> Benchmark:
    title = f"{NAME} {where}"
    return Benchmark(
        title, 1, arguments, seconds, small=(*_TRIED, "--runs", "2"), files=files,
        promises=(Promise(
            Goal(where, OfLimit(Row(title)), Bound(0.95)),
            "1, less the first tiles' copies: 0.97",
            "the timeline (--trace): do copies hide behind products? For files, whether the limit "
            "is storage's; for any, the product in tensor cores or throttled clocks"),),
        expected=lambda _case, ceilings: ceilings.flops and ceilings.flops / 1e9)


ON_GPU = OnGpu(
    small_runs=(SmallRun("memory", _SMALL),
                SmallRun("bounded", _BOUNDED, ("native",)),
                SmallRun("files", _BOUNDED, ("native",), files=True)),
    benchmarks=(_benchmark("from memory", ("--size", "65536", "--device-memory", "8GiB", "--runs",
                                           "3"), 250),
                _benchmark("from files", ("--size", "32768", "--tile", "4096", "--cache", "warm",
                                          "--runs", "3"), 300, files=True)),
    profiles=(Profile(1, ("--size", "8192"), _TRIED),))

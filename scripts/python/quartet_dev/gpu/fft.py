"""fft on a GPU: by one call of cuFFT, and in steps."""

from math import ceil, log2
from typing import Optional

from quartet.results import Case, whole_number
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, OnGpu, Profile, Promise, SmallRun
from quartet_dev.limits.comparisons import OverPeer, Row
from quartet_dev.limits.goals import Bound, Goal, Noise

NAME = "fft"


def _expected_on_gpu(case: Case, ceilings: Ceilings) -> Optional[float]:
    # Passes of up to 2^12 points, each of which reads and writes all of them. In steps there is one
    # more, for the twiddles.
    points = whole_number(case.name.size)
    tiles = whole_number(case.name.values.get("tiles", "1"))
    if not ceilings.memory or not points or not tiles or points < 2 * tiles:
        return None
    parts = [points // tiles, tiles] if tiles > 1 else [points]
    passes = sum(ceil(log2(part) / 12) for part in parts) + (tiles > 1)
    return 5 * log2(points) / (32 * passes) * ceilings.memory / 1e9


def _benchmark(exponent: int, tiles: int = 0) -> Benchmark:
    """By one tile, the default if there is room, or in steps, for which nothing is promised."""
    title = f"{NAME} 2^{exponent}" + (f" in {tiles} tiles" if tiles else "")
    dealt = ("--tiles", str(tiles)) if tiles else ()
    peer = (Row(title, ("library",)),)
    promise = Promise(
        Goal(f"2^{exponent}" + (", in steps" if tiles else ""),
             OverPeer(Row(title, ("native",)), peer, "cuFFT's own"),
             Bound() if tiles else Bound(1, noise=Noise.FORGIVEN)),
        "0.67: a pass for the twiddles beside two" if tiles
        else "1: one tile is one call of cuFFT",
        "cuFFT's strided columns: compare with transposing them first" if tiles
        else "the plan: cuFFT's advanced layout beside its basic one; the GPU's clocks")
    small = ("--size", f"2^{exponent - 16}", *(("--tiles", "32") if tiles else ()))
    formulations = ("--formulation", "native,library", "--transport", "staged")
    return Benchmark(title, 1, ("--size", f"2^{exponent}", *dealt, *formulations, "--runs", "6"), 120,
                     small=(*small, *formulations, "--runs", "2"), promises=(promise,),
                     expected=_expected_on_gpu)


ON_GPU = OnGpu(
    small_runs=(SmallRun("memory", ("--size", "3600")),
                SmallRun("files", ("--size", "3600"), ("native",), files=True)),
    benchmarks=(_benchmark(24), _benchmark(24, tiles=4096),
                *(_benchmark(exponent) for exponent in (27, 30, 31)),
                Benchmark(f"{NAME} 2^32, in place", 1, ("--size", "2^32", "--transport", "staged",
                                                        "--runs", "3"), 120,
                          small=("--size", "2^12", "--transport", "staged", "--runs", "2"),
                          expected=_expected_on_gpu)),
    profiles=(Profile(1, ("--size", "2^24", "--tiles", "4096"), ("--size", "2^12", "--tiles", "64")),
              Profile(2, ("--size", "2^26", "--transport", "ipc"),
                      ("--size", "2^12", "--tiles", "64", "--transport", "ipc"))))

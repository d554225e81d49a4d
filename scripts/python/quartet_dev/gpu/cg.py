"""cg on a GPU: both storages."""

from typing import Optional

from quartet.results import Case
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, OnGpu, Profile, Promise, SmallRun
from quartet_dev.limits.comparisons import OfLimit, OverPeer, Row
from quartet_dev.limits.goals import Bound, Goal

NAME = "cg"
BOTH_STORAGES = ("--storage", "full,symmetric")


def _expected_on_gpu(case: Case, ceilings: Ceilings) -> Optional[float]:
    # 2 operations for each element: 8 bytes of it, or of its half where the matrix is symmetric.
    per_byte = 1 / 2 if "symmetric" in case.name.words else 1 / 4
    return ceilings.memory * per_byte / 1e9 if ceilings.memory else None


def _benchmark(size: int, iterations: int, seconds: float) -> Benchmark:
    title = f"{NAME} {size}"
    full, symmetric = (Row(title, (storage,)) for storage in ("full", "symmetric"))
    promises = (
        Promise(Goal(f"full, N = {size}", OfLimit(full), Bound(0.9)),
                "1, less the vectors and launches: 0.98",
                "multiply_rows: dram__throughput; the row's note says whose product it is"),
        Promise(Goal(f"symmetric, N = {size}", OfLimit(symmetric), Bound(0.9)),
                "1, less the tiles' sums, 6% of the bytes, mostly in the L2 cache: 0.95",
                "multiply_tiles: long scoreboard stalls; add_tiles: its share of the time"),
        Promise(Goal(f"symmetric, N = {size}", OverPeer(symmetric, (full,), "full"), Bound(1.8)),
                "2, half the bytes; less the tiles' sums: 1.9",
                "multiply_tiles and add_tiles beside multiply_rows"))
    return Benchmark(title, 1, ("--size", str(size), *BOTH_STORAGES, "--iterations",
                                str(iterations), "--runs", "6"), seconds,
                     small=("--size", str(size // 64), *BOTH_STORAGES, "--iterations", "3",
                            "--runs", "2"),
                     promises=promises if size < 65536 else (), expected=_expected_on_gpu)


ON_GPU = OnGpu(
    small_runs=(SmallRun("memory", ("--size", "1001", "--iterations", "5", *BOTH_STORAGES,
                                    "--algorithm", "classic,single-reduction")),
                SmallRun("files", ("--size", "1001", "--iterations", "5"), ("native",),
                         files=True)),
    benchmarks=(_benchmark(16384, 200, 150), _benchmark(32768, 100, 200),
                _benchmark(65536, 50, 250)),
    profiles=(Profile(1, ("--size", "16384", *BOTH_STORAGES, "--iterations", "3"),
                      ("--size", "512", *BOTH_STORAGES, "--iterations", "2")),))

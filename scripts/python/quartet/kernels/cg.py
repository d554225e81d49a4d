"""cg: conjugate gradients with a dense matrix."""

from pathlib import Path
from typing import Optional

from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, Profile, Promise
from quartet.kernels.kernel import (Cost, Effort, Kernel, Limits, LimitsFiles, NodeCheck, Peers, Report,
                                    Run, Scaling, SmallRun, doublings, one_rank_per_core)
from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal, Noise
from quartet_dev.limits.match import RANKS, THREADS, Match, Section, Setup, Side, side
from quartet.machine import Machine
from quartet.own_data.layout import RowBlocks
from quartet_dev.peers.limit_loop import LimitLoop
from quartet.predict.cg import MODEL
from quartet.results import Case
from quartet.sizes import multiple

NAME = "cg"
BOTH_STORAGES = ("--storage", "full,symmetric")


def _arguments(machine: Machine, _ranks: int) -> list[str]:
    # The matrix, 8 N^2 bytes, and the arrays of its limit.
    size = 8192
    while size > 1024 and 1.1 * 8 * size**2 > machine.memory:
        size //= 2
    return ["--device", "host", "--size", str(size), *BOTH_STORAGES, "--formulation",
            "native,dataflow,library", "--threads", "1", "--runs", "6"]


def _check(machine: Machine) -> tuple[int, tuple[str, ...]]:
    """All cores read memory together, far beyond their caches where there is as much."""
    size = 8192 if 1.1 * 8 * 8192**2 <= machine.memory else 2048
    return machine.cores, ("--device", "host", "--size", str(size), "--iterations", "10", "--runs",
                           "12", "--verify", "off")


def _rounded(exact: float, workers: int, _options: dict[str, str]) -> int:
    """As many rows to each worker."""
    return multiple(exact, workers)


def _solutions(size: int, setup: Setup, programs: Path) -> Match:
    common = f"--size {size} --iterations 40 --runs 3"
    single = "--algorithm single-reduction"
    sides = (side("full", setup, f"{common} --storage full"),
             Side("read", setup, (),  # two operations for each 8 bytes
                  peer=LimitLoop(programs, "read", 8 * size**2 // 2, 2, "GFLOP/s", 1e-9 / 4)),
             side("library", setup, f"{common} --formulation library --limits off"),
             side("symmetric", setup, f"{common} --storage symmetric"),
             side("full-single", setup, f"{common} --storage full {single}"),
             side("symmetric-single", setup, f"{common} --storage symmetric {single}"))

    def over(what: str, row: str, peers: tuple[str, ...], label: str, bound: Bound) -> Goal:
        return Goal(what, OverPeer(Row(row), tuple(map(Row, peers)), label), bound)

    never_slower = Bound(1.0, noise=Noise.FORGIVEN)
    goals = (
        Goal("full", OfLimit(Row("full")), Bound(0.9)),
        over("full", "full", ("library",), "dgemv", Bound(1.1)),
        Goal("symmetric", OfLimit(Row("symmetric")), Bound(0.95)),
        over("symmetric", "symmetric", ("full", "full-single"), "best full", Bound(1.9)),
        over("symmetric", "symmetric", ("library",), "dgemv", Bound(2.1)),
        over("full, 1 sum", "full-single", ("full",), "classic", never_slower),
        over("symmetric, 1 sum", "symmetric-single", ("symmetric",), "classic", never_slower),
        Goal("limit of full", LimitOverLoop(Row("full"), Row("read"), "reading the matrix"), AS_ANOTHER))
    return Match(NAME, f"{NAME}-{size}-{setup.short}", sides,
                 (Section(f"{NAME}, N = {size}, {setup}", goals),))


def _matches(files: LimitsFiles) -> list[Match]:
    return [_solutions(8192, setup, files.programs) for setup in (RANKS, THREADS)]


def _larger(files: LimitsFiles) -> list[Match]:
    return [_solutions(12288, setup, files.programs) for setup in (RANKS, THREADS)]


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


KERNEL = Kernel(
    NAME, "GFLOP/s",
    Run(one_rank_per_core, _arguments, Effort("--iterations", 100, 10)),
    words=("problem", "storage", "algorithm"),
    says_waiting=True,
    check=_check,
    scaling=Scaling(2, _rounded),
    # A rank has its block of rows; vectors are few.
    cost=Cost(doublings(1024), 64, lambda n: f"--size {n} --iterations 40",
              lambda n: 2.0 * n**2, lambda n: 4.0 * n**2, "2 n^2 an iteration", "8 n^2 / 2 bytes"),
    limits=Limits(_matches, _larger),
    small_runs=(SmallRun("memory", ("--size", "1001", "--iterations", "5", *BOTH_STORAGES,
                                    "--algorithm", "classic,single-reduction")),
                SmallRun("files", ("--size", "1001", "--iterations", "5"), ("native",),
                         files=True)),
    benchmarks=(_benchmark(16384, 200, 150), _benchmark(32768, 100, 200),
                _benchmark(65536, 50, 250)),
    profiles=(Profile(1, ("--size", "16384", *BOTH_STORAGES, "--iterations", "3"),
                      ("--size", "512", *BOTH_STORAGES, "--iterations", "2")),),
    node_check=NodeCheck(("8192", "--iterations", "20", "--runs", "6", "--limits", "off"),
                         ("512", "--iterations", "10", "--runs", "3", "--limits", "off")),
    report=Report("Dense double-precision conjugate gradients: 2N² operations an iteration, as "
                  "published; vector operations are left out.", "--size 8192 --iterations 100",
                  figure=10),
    model=MODEL,
    peers=Peers(("1024", "4096"), "--problem random --iterations 50",
                remarks=("An iteration is three round trips, one after the other, in every data flow; "
                         "native has one all-gather and two sums, and both processes multiply.",)),
    own_data=RowBlocks("<f8", "A", "b"))

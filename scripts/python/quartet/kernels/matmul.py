"""matmul: the tiled product of two square matrices."""

from pathlib import Path

from quartet_dev.gpu.promise import Benchmark, Profile, Promise
from quartet.kernels.kernel import (Cost, Effort, Kernel, Limits, LimitsFiles, Peers, Reducers, Report,
                                    Run, Scaling, SmallRun, doublings, one_rank_per_core)
from quartet_dev.limits.comparisons import BytesRead, LimitOverLoop, OfLimit, OverPeer, Row
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal
from quartet_dev.limits.match import RANKS, THREADS, Match, Section, Setup, Side, side
from quartet.machine import Machine
from quartet.own_data.layout import SquareTiles
from quartet_dev.peers.limit_loop import LimitLoop
from quartet_dev.peers.mkl import MklBuild
from quartet.predict.matmul import MODEL
from quartet.sizes import multiple, points
from quartet.units import GIB

NAME = "matmul"
DEFAULT_TILE = "1024"
LIMITS_SIZE, LARGER_LIMITS_SIZE = 8192, 16384
# A third of the tiles fits beside what cuBLAS takes: the matrices stream through.
_SMALL = ("--size", "500", "--tile", "64")
_BOUNDED = (*_SMALL, "--device-memory", "33MiB")


def _arguments(machine: Machine, ranks: int) -> list[str]:
    # A run takes a second or so: 2 N^3 operations at some 10^11 a second and core.
    size = 3072 if ranks < 4 else 4096 if ranks < 8 else 8192 if ranks < 32 else 16384
    # Three matrices, and three small ones of each rank for the limit.
    while size > 1024 and (3 * size**2 + 3 * ranks * 2048**2) * 4 > machine.memory:
        size //= 2
    tile = min(int(DEFAULT_TILE), size // 4)  # as many tiles to each of 2, 4, 8 .. ranks
    # The library is ScaLAPACK.
    return ["--device", "host", "--size", str(size), "--tile", str(tile), "--threads", "1",
            "--formulation", "native,dataflow,library"]


def _rounded(exact: float, _workers: int, options: dict[str, str]) -> int:
    """Whole tiles."""
    return multiple(exact, points(options.get("--tile", DEFAULT_TILE)))


def _matches(files: LimitsFiles) -> list[Match]:
    return [*(_products(LIMITS_SIZE, setup, files) for setup in (RANKS, THREADS)),
            _bounded(files.data)]


def _larger(files: LimitsFiles) -> list[Match]:
    return [_products(LARGER_LIMITS_SIZE, setup, files) for setup in (RANKS, THREADS)]


def _products(size: int, setup: Setup, files: LimitsFiles) -> Match:
    # A product takes seconds: few runs a launch, hence more launches.
    def in_files(tile: int) -> Side:
        return side(f"files-{tile}", setup, f"--size {size} --tile {tile} --runs 3 --cache warm "
                    "--generate --data", str(files.data / f"{size}-{tile}"))

    def over_psgemm(what: str, name: str) -> Goal:
        # On one rank it is one call of SGEMM: the limit itself.
        return Goal(what, OverPeer(Row(name), (Row("psgemm"),), "psgemm"),
                    Bound(1.4 if setup.ranks > 1 else None))

    sides = [in_files(1024), in_files(2048)]
    goals = [Goal(f"files, tile {tile}", OfLimit(Row(f"files-{tile}")), Bound(0.97))
             for tile in (1024, 2048)]
    if size == LIMITS_SIZE:  # larger, the peer would take as long as all others together
        psgemm = side("psgemm", setup, f"--size {size} --formulation library --runs 1 --limits off")
        sides += [psgemm,
                  side("memory", setup, f"--size {size} --tile 1024 --runs 1")]
        goals += [over_psgemm("files, tile 1024", "files-1024"),
                  Goal("in memory", OfLimit(Row("memory")), Bound(0.97)),
                  over_psgemm("in memory", "memory")]
        if setup == RANKS:
            sides += [side("flow", setup, f"--size {size} --tile 1024 --runs 1 --formulation dataflow"),
                      Side("fma", setup, (),
                           peer=LimitLoop(files.programs, "multiply_add", 1, 2, "GFLOP/s", 1e-9)),
                      Side("blis", setup, (),
                           peer=LimitLoop(files.programs, "sgemm", 2048, 2, "GFLOP/s", 1e-9))]
            goals += [Goal("flow, 1 worker", OfLimit(Row("flow")), Bound(0.95)),
                      Goal("limit, peak", LimitOverLoop(Row("memory"), Row("fma"), "SGEMM", hardware=True),
                           AS_ANOTHER),
                      Goal("limit", LimitOverLoop(Row("memory"), Row("blis"), "SGEMM", "BLIS"), Bound(0.95))]
            sides.append(Side("mkl", setup, (), peer=MklBuild(NAME, psgemm.arguments)))
            goals.append(Goal("in memory", OverPeer(Row("memory"), (Row("mkl"),), "MKL's psgemm"), Bound()))
    return Match(NAME, f"{NAME}-{size}-{setup.short}", tuple(sides),
                 (Section(f"{NAME}, N = {size}, {setup}", tuple(goals)),))


def _bounded(data: Path) -> Match:
    """The plan decides what is read, not the clock: one round is enough."""
    memories = (64, 256)  # MiB of a rank
    sides = [side(f"{memory}MiB", RANKS, f"--size {LIMITS_SIZE} --tile 1024 --runs 1 --warmup 0 "
                  f"--limits off --memory {memory}MiB --generate --data",
                  str(data / f"{LIMITS_SIZE}-1024")) for memory in memories]
    goals = [Goal(f"read in {memory} MiB", BytesRead(Row(f"{memory}MiB")), Bound(most=1.1))
             for memory in memories]
    return Match(NAME, f"{NAME}-bounded", tuple(sides),
                 (Section(f"{NAME}, N = {LIMITS_SIZE}, tile 1024, {RANKS}", tuple(goals)),),
                 most_rounds=1)


_TRIED = ("--size", "256", "--tile", "64")


def _benchmark(where: str, arguments: tuple[str, ...], seconds: float,
               files: bool = False) -> Benchmark:
    title = f"{NAME} {where}"
    return Benchmark(
        title, 1, arguments, seconds, small=(*_TRIED, "--runs", "2"), files=files,
        promises=(Promise(
            Goal(where, OfLimit(Row(title)), Bound(0.95)),
            "1, less the first tiles' copies: 0.97",
            "the timeline (--trace): do copies hide behind products? For files, whether the limit "
            "is storage's; for any, the product in tensor cores or throttled clocks"),),
        expected=lambda _case, ceilings: ceilings.flops and ceilings.flops / 1e9)


KERNEL = Kernel(
    NAME, "GFLOP/s",
    Run(one_rank_per_core, _arguments, Effort("--runs", 10, 6)),  # six have an interval
    reducers=Reducers.CHOSEN,
    scaling=Scaling(3, _rounded),
    # A rank reads one of A and B whole and half of the other, fills half of the rest, and has its
    # half of C.
    cost=Cost(doublings(512), 64, lambda n: f"--size {n} --tile {n // 4}",
              lambda n: 2.0 * n**3 - n**2, lambda n: 9.0 * n**2, "2 n^3 - n^2",
              "4 n^2 (1 + 3/4 + 1/2) bytes"),
    limits=Limits(_matches, _larger, file_bytes=(2 * GIB, 8 * GIB)),
    small_runs=(SmallRun("memory", _SMALL),
                SmallRun("bounded", _BOUNDED, ("native",)),
                SmallRun("files", _BOUNDED, ("native",), files=True)),
    benchmarks=(_benchmark("from memory", ("--size", "65536", "--device-memory", "8GiB", "--runs",
                                           "3"), 250),
                _benchmark("from files", ("--size", "32768", "--tile", "4096", "--cache", "warm",
                                          "--runs", "3"), 300, files=True)),
    profiles=(Profile(1, ("--size", "8192"), _TRIED),),
    report=Report("Tiled single-precision product C = A B: 2N³ − N² operations over the time of the "
                  "slowest rank.", "--size 4096", figure=8),
    model=MODEL,
    peers=Peers(("2048",), "--tile 512",
                remarks=("In every data flow one process multiplies and the other adds, and each partial "
                         "tile is sent; native multiplies in both and sends none.",)),
    own_data=SquareTiles("<f4", "A", "B"))

"""cg: both storages and algorithms against their limit and the library."""

from pathlib import Path

from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal, Noise
from quartet_dev.limits.match import RANKS, THREADS, LimitsFiles, Match, Section, Setup, Side, side
from quartet_dev.peers.limit_loop import LimitLoop

NAME = "cg"


def matches(files: LimitsFiles) -> list[Match]:
    return [_solutions(8192, setup, files.programs) for setup in (RANKS, THREADS)]


def larger(files: LimitsFiles) -> list[Match]:
    return [_solutions(size, setup, files.programs) for size in (12288, 16384) for setup in (RANKS, THREADS)]


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
        Goal("full", OfLimit(Row("full")), Bound(0.97)),
        over("full", "full", ("library",), "dgemv", Bound(1.05)),
        Goal("symmetric", OfLimit(Row("symmetric")), Bound(0.95)),
        over("symmetric", "symmetric", ("full", "full-single"), "best full", Bound(1.9)),
        over("symmetric", "symmetric", ("library",), "dgemv", Bound()),
        over("full, 1 sum", "full-single", ("full",), "classic", never_slower),
        over("symmetric, 1 sum", "symmetric-single", ("symmetric",), "classic", never_slower),
        Goal("limit of full", LimitOverLoop(Row("full"), Row("read"), "reading the matrix"), AS_ANOTHER))
    return Match(NAME, f"{NAME}-{size}-{setup.short}", sides, (Section(f"{NAME}, N = {size}, {setup}", goals),))

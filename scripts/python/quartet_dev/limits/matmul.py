"""matmul: the product from files and from memory against its limit and the libraries'."""

from pathlib import Path

from quartet.units import GIB
from quartet_dev.limits.comparisons import BytesRead, LimitOverLoop, OfLimit, OverPeer, Row
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal
from quartet_dev.limits.match import RANKS, THREADS, LimitsFiles, Match, Section, Setup, Side, side
from quartet_dev.peers.limit_loop import LimitLoop

NAME = "matmul"
SIZE, LARGER_SIZE = 8192, 16384
FILE_BYTES = (2 * GIB, 8 * GIB)  # of data files, without and with --full


def matches(files: LimitsFiles) -> list[Match]:
    return [*(_products(SIZE, setup, files) for setup in (RANKS, THREADS)), _bounded(files.data)]


def larger(files: LimitsFiles) -> list[Match]:
    return [_products(LARGER_SIZE, setup, files) for setup in (RANKS, THREADS)]


def _products(size: int, setup: Setup, files: LimitsFiles) -> Match:
    # A product takes seconds: few runs a launch, hence more launches.
    def in_files(tile: int) -> Side:
        return side(f"files-{tile}", setup, f"--size {size} --tile {tile} --runs 3 --cache warm "
                    "--generate --data", str(files.data / f"{size}-{tile}"))

    def over_psgemm(what: str, name: str) -> Goal:
        # On one rank it is one call of SGEMM: the limit itself.
        return Goal(what, OverPeer(Row(name), (Row("psgemm"),), "psgemm"), Bound(1.4 if setup.ranks > 1 else None))

    sides = [in_files(1024), in_files(2048)]
    goals = [Goal(f"files, tile {tile}", OfLimit(Row(f"files-{tile}")), Bound(0.97)) for tile in (1024, 2048)]
    if size == SIZE:  # larger, the peer would take as long as all others together
        psgemm = side("psgemm", setup, f"--size {size} --formulation library --runs 1 --limits off")
        sides += [psgemm, side("memory", setup, f"--size {size} --tile 1024 --runs 1")]
        goals += [over_psgemm("files, tile 1024", "files-1024"),
                  Goal("in memory", OfLimit(Row("memory")), Bound(0.97)),
                  over_psgemm("in memory", "memory")]
        if setup == RANKS:
            sides += [side("flow", setup, f"--size {size} --tile 1024 --runs 1 --formulation dataflow"),
                      Side("fma", setup, (),
                           peer=LimitLoop(files.programs, "multiply_add", 1, 2, "GFLOP/s", 1e-9))]
            goals += [Goal("flow, 1 worker", OfLimit(Row("flow")), Bound(0.95)),
                      Goal("limit, peak", LimitOverLoop(Row("memory"), Row("fma"), "SGEMM", hardware=True),
                           AS_ANOTHER)]
    return Match(NAME, f"{NAME}-{size}-{setup.short}", tuple(sides),
                 (Section(f"{NAME}, N = {size}, {setup}", tuple(goals)),))


def _bounded(data: Path) -> Match:
    """The plan decides what is read, not the clock: one round is enough."""
    memories = (64, 256)  # MiB of a rank
    sides = [side(f"{memory}MiB", RANKS, f"--size {SIZE} --tile 1024 --runs 1 --warmup 0 "
                  f"--limits off --memory {memory}MiB --generate --data",
                  str(data / f"{SIZE}-1024")) for memory in memories]
    goals = [Goal(f"read in {memory} MiB", BytesRead(Row(f"{memory}MiB")), Bound(most=1.1)) for memory in memories]
    return Match(NAME, f"{NAME}-bounded", tuple(sides),
                 (Section(f"{NAME}, N = {SIZE}, tile 1024, {RANKS}", tuple(goals)),),
                 most_rounds=1)

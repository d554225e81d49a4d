"""stream: each transport against its limit and plain MPI calls, and both ways of a pair."""

from pathlib import Path

from quartet.units import MIB
from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal
from quartet_dev.limits.match import RANKS, LimitsFiles, Match, Section, Side, side
from quartet_dev.peers.limit_loop import LimitLoop

NAME = "stream"
SIZES = (2, 4, 8, 16, 32, 64, 128)  # MiB


def matches(files: LimitsFiles) -> list[Match]:
    return [_sizes(files.programs), _pairs()]


def _sizes(programs: Path) -> Match:
    def row(transport: str, size: int) -> Row:
        return Row(transport, (f"size:{size}MiB",))

    def over_plain(transport: str, size: int, least: float) -> Goal:
        return Goal(f"{transport} {size} MiB",
                    OverPeer(row(transport, size), (row("plain", size),), "plain MPI"),
                    Bound(least))

    in_place = [Goal(f"shm {size} MiB", OfLimit(row("shm", size)),
                     Bound(0.97)) for size in SIZES]
    two_sided = [over_plain("mpi", size, 1.3 if size >= 32 else 1.0) for size in SIZES]
    one_sided = [over_plain("rma", size, 1.0) for size in SIZES]
    in_flow = [Goal(f"flow {size} MiB",
                    OverPeer(row("flow", size), (row("mpi", size),), "native mpi"), Bound(0.95))
               for size in (8, 32, 128)]
    checked = (32, 128)  # MiB, of an addition on the receiver's core
    limits = [Goal(f"limit {size} MiB",
                   LimitOverLoop(row("shm", size), Row(f"add-{size}"), "local add"), AS_ANOTHER)
              for size in checked]
    common = "--sizes 2:128 --pushes 50 --runs 3"
    return Match(
        NAME, NAME,
        (side("mpi", RANKS, f"{common} --transport mpi"),
         side("plain", RANKS, f"{common} --formulation library --transport mpi --limits off"),
         side("rma", RANKS, f"{common} --transport rma"),
         side("flow", RANKS, f"{common} --formulation dataflow --transport mpi --limits off"),
         side("shm", RANKS, f"{common} --transport shm"),
         *(Side(f"add-{size}", RANKS, (), peer=LimitLoop(programs, "add", size * MIB, 1, "MiB/s", 1 / 3 / MIB))
           for size in checked)),
        (Section(f"{NAME}, {RANKS}", (*in_place, *two_sided, *one_sided, *in_flow, *limits)),))


def _pairs() -> Match:
    sides = [side(transport, RANKS, f"--pairs --transport {transport} --runs 20 --limits off")
             for transport in ("shm", "mpi")]
    # Either may be ahead: the slower one of each round would be below 1 by noise alone.
    goals = [Goal(f"pair 1-0, {each.name}",
                  OverPeer(Row(each.name, ("pair:1-0",)), (Row(each.name, ("pair:0-1",)),),
                           "pair 0-1"), Bound(0.95, 1.05)) for each in sides]
    return Match(NAME, f"{NAME}-pairs", tuple(sides), (Section(f"{NAME} --pairs, {RANKS}", tuple(goals)),))

"""stream: vectors pushed from rank to rank, and added there."""

from pathlib import Path
from typing import Optional

from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, Profile, Promise
from quartet.kernels.kernel import (Cost, Effort, Kernel, Limits, LimitsFiles, NodeCheck, Peers,
                                    Reducers, Report, Run, SmallRun, doublings)
from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row, Take
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal
from quartet_dev.limits.match import RANKS, Match, Section, Side, side
from quartet.machine import Machine
from quartet_dev.peers.limit_loop import LimitLoop
from quartet.predict.stream import MODEL
from quartet.results import Case
from quartet.units import MIB

NAME = "stream"
LIMITS_SIZES = (2, 4, 8, 16, 32, 64, 128)  # MiB


def _ranks(machine: Machine) -> list[int]:
    """A pair, and all cores."""
    return [2, machine.cores] if machine.cores > 2 else [2]


def _largest(machine: Machine, ranks: int) -> int:
    # Vectors, what they are pushed through, and the limit's arrays: six times the size a rank.
    largest = 128
    while largest > 2 and 6 * ranks * largest * MIB > machine.memory:
        largest //= 2
    return largest


def _arguments(machine: Machine, ranks: int) -> list[str]:
    # The paper's sizes; the data flow and plain MPI calls stand beside the direct push.
    return ["--device", "host", "--sizes", f"2:{_largest(machine, ranks)}", "--transport", "mpi,shm,rma",
            "--formulation", "native,dataflow,library"]


def _grpc_arguments(machine: Machine, ranks: int) -> list[str]:
    # The paper's third protocol, so slow that one size must do.
    return ["--device", "host", "--sizes", str(_largest(machine, ranks)), "--transport", "grpc",
            "--runs", "6"]


def _check(machine: Machine) -> tuple[int, tuple[str, ...]]:
    """One pair."""
    size = 64 if 12 * 64 * MIB <= machine.memory else 8
    return 2, ("--device", "host", "--sizes", str(size), "--pushes", "20", "--runs", "12")


def _matches(files: LimitsFiles) -> list[Match]:
    return [_sizes(files.programs), _pairs()]


def _sizes(programs: Path) -> Match:
    def row(transport: str, size: int) -> Row:
        return Row(transport, (f"size:{size}MiB",))

    def over_plain(transport: str, size: int, least: float) -> Goal:
        return Goal(f"{transport} {size} MiB",
                    OverPeer(row(transport, size), (row("plain", size),), "plain MPI"),
                    Bound(least))

    in_place = [Goal(f"shm {size} MiB", OfLimit(row("shm", size)),
                     Bound(0.9 if size >= 32 else 0.8, on_huge_pages=0.95))
                for size in LIMITS_SIZES]
    two_sided = [over_plain("mpi", size, 0.9 if size <= 8 else 1.4) for size in LIMITS_SIZES
                 if size != 16]  # in caches no more than a copy and an addition, as plain MPI
    one_sided = [over_plain("rma", size, 1.0) for size in LIMITS_SIZES]
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


_PAIR = f"{NAME}, a pair"
_PROMISES = (Promise(
    Goal("ipc of the local add", OfLimit(Row(_PAIR, ("ipc",), takes=Take.LARGEST)), Bound(0.9)),
    "1: on one GPU the add reads and writes the same bytes as the local one",
    "the kernel update_packs; whether the ranks' contexts take turns; the link between two GPUs"),)


def _expected_on_gpu(case: Case, ceilings: Ceilings) -> Optional[float]:
    # Both vectors are read and one is written, on one GPU that the ranks share.
    is_shared = case.median.get("gpus") == 1 and case.name.transport == "ipc"
    return ceilings.memory / 3 / MIB if ceilings.memory and is_shared else None


def _pairs() -> Match:
    sides = [side(transport, RANKS, f"--pairs --transport {transport} --runs 20 --limits off")
             for transport in ("shm", "mpi")]
    # Either may be ahead: the slower one of each round would be below 1 by noise alone.
    goals = [Goal(f"pair 1-0, {each.name}",
                  OverPeer(Row(each.name, ("pair:1-0",)), (Row(each.name, ("pair:0-1",)),),
                           "pair 0-1"), Bound(0.95, 1.05)) for each in sides]
    return Match(NAME, f"{NAME}-pairs", tuple(sides),
                 (Section(f"{NAME} --pairs, {RANKS}", tuple(goals)),))


KERNEL = Kernel(
    NAME, "MiB/s",
    Run(_ranks, _arguments, Effort("--pushes", 100, 5),
        more=(Run(lambda _: [2], _grpc_arguments, Effort("--pushes", 5, 5), "grpc"),)),
    size_flag="--sizes", least_ranks=2, reducers=Reducers.NONE, check=_check,
    # The receiver has its vector and the sums that it expects, and reads the sender's in place.
    cost=Cost(doublings(8), 1, lambda n: f"--sizes {n} --pushes 20 --transport shm",
              lambda n: n, lambda n: 3.0 * n * MIB, "n", "3 n bytes", "MiB"),
    limits=Limits(_matches),
    small_runs=(SmallRun("pushes", ("--sizes", "2", "--pushes", "3")),),
    benchmarks=(Benchmark(_PAIR, 2, ("--transport", "ipc,staged", "--sizes", "32,128",
                                     "--pushes", "50"), 120,
                          small=("--transport", "ipc,staged", "--sizes", "1,2", "--pushes", "3",
                                 "--runs", "2"),
                          promises=_PROMISES, expected=_expected_on_gpu),),
    profiles=(Profile(2, ("--transport", "ipc", "--sizes", "128", "--pushes", "3"),
                      ("--transport", "ipc", "--sizes", "1", "--pushes", "2")),),
    node_check=NodeCheck(("16:16", "--pushes", "50", "--runs", "6", "--limits", "off"),
                         ("1:1", "--pushes", "3", "--runs", "3", "--limits", "off"), lambda _: 2,
                         is_of_pairs=True),
    report=Report("Rate at which a vector is pushed to another rank and added there, by its size and "
                  "transport. One push reads the source and updates the target once.",
                  "--transport mpi,shm,rma", figure=7),
    model=MODEL,
    peers=Peers(("2", "16"), "--pushes 40", files=False,
                remarks=("Each push of TensorFlow's is a run of a graph, acknowledged before the next; "
                         "ours takes the next vector in when the queue has room.",)))

"""What `make limits` launches, and the goals: this table is all there is to change for another one.

A match is a few launches that are compared with each other; in each round they follow one another.
Two cores are used in two ways: two ranks of one thread each, and one rank of two threads. FFTW's own
transform over MPI has one thread a rank, so that both are compared with its two ranks."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from quartet.limits.goals import (Bound, BytesRead, Goal, Noise, OfLimit, OverPeer, Row, nanoseconds_per_point)
from quartet.peers.hpcc_fft import MpiFft

KERNELS = ("stream", "matmul", "cg", "fft")
ORDERS = ("transposed", "natural")  # of fft's result


@dataclass(frozen=True)
class Setup:
    ranks: int
    threads: int  # of a rank

    def __str__(self) -> str:
        return (f"{self.ranks} rank{'s' * (self.ranks > 1)} x "
                f"{self.threads} thread{'s' * (self.threads > 1)}")

    @property
    def short(self) -> str:
        return f"{self.ranks}x{self.threads}"


RANKS, THREADS = Setup(2, 1), Setup(1, 2)


@dataclass(frozen=True)
class Side:
    """One of a match's launches."""

    name: str
    setup: Setup
    arguments: tuple[str, ...]
    beforehand: str = ""  # why a launch comes before all rounds: what it leaves, they need
    peer: Optional[MpiFft] = None  # another suite's program, in place of ours


@dataclass(frozen=True)
class Section:
    """Goals under one heading of the table."""

    title: str
    goals: tuple[Goal, ...]


@dataclass(frozen=True)
class Match:
    kernel: str
    name: str
    sides: tuple[Side, ...]
    sections: tuple[Section, ...]
    most_rounds: Optional[int] = None  # where all say the same


def _side(name: str, setup: Setup, arguments: str, *more: str) -> Side:
    """`arguments` are words; `more` may have spaces in them."""
    return Side(name, setup, (*arguments.split(), *more))


def matches(data: Path, wisdom: Path, full: bool) -> list[Match]:
    """All of them; with `full` the larger sizes, too. `data` is the folder of matmul's files, `wisdom`
    the file of FFTW's measured plans."""
    some = [_stream(), _stream_pairs()]
    some += [_matmul(8192, setup, data) for setup in (RANKS, THREADS)] + [_matmul_bounded(data)]
    some += [_cg(8192, setup) for setup in (RANKS, THREADS)]
    some += [_fft_smooth()]
    some += [_fft(power, order, wisdom) for power in (20, 22, 24) for order in ORDERS]
    some += [_fft(26, order, None) for order in ORDERS]  # a round takes a minute
    if full:
        some += [_matmul(16384, setup, data) for setup in (RANKS, THREADS)]
        some += [_cg(12288, setup) for setup in (RANKS, THREADS)]
    return some


STREAM_SIZES = (2, 4, 8, 16, 32, 64, 128)  # MiB


def _stream() -> Match:
    def row(side: str, size: int) -> Row:
        return Row(side, (f"size:{size}MiB",))

    def over_plain(side: str, size: int, least: float) -> Goal:
        return Goal(f"{side} {size} MiB", OverPeer(row(side, size), (row("plain", size),),
                                                   "plain MPI"), Bound(least))

    in_place = [Goal(f"shm {size} MiB", OfLimit(row("shm", size)),
                     Bound(0.9 if size >= 32 else 0.8, on_huge_pages=0.95)) for size in STREAM_SIZES]
    two_sided = [over_plain("mpi", size, 1.25 if size <= 8 else 1.4) for size in STREAM_SIZES
                 if size != 16]  # between the two goals
    one_sided = [over_plain("rma", size, 1.0) for size in STREAM_SIZES]
    common = "--sizes 2:128 --pushes 20 --runs 3"
    return Match(
        "stream", "stream",
        (_side("mpi", RANKS, f"{common} --transport mpi"),
         _side("plain", RANKS, f"{common} --formulation library --transport mpi --limits off"),
         _side("rma", RANKS, f"{common} --transport rma"),
         _side("shm", RANKS, f"{common} --transport shm")),
        (Section(f"stream, {RANKS}", (*in_place, *two_sided, *one_sided)),))


def _stream_pairs() -> Match:
    sides = [_side(via, RANKS, f"--pairs --transport {via} --runs 20 --limits off")
             for via in ("shm", "mpi")]
    # Now the one and now the other is ahead: the slower one of each round would be below 1 by noise.
    goals = [Goal(f"pair 1-0, {side.name}",
                  OverPeer(Row(side.name, ("pair:1-0",)), (Row(side.name, ("pair:0-1",)),), "pair 0-1"),
                  Bound(0.95, 1.05))
             for side in sides]
    return Match("stream", "stream-pairs", tuple(sides),
                 (Section(f"stream --pairs, {RANKS}", tuple(goals)),))


def _matmul(size: int, setup: Setup, data: Path) -> Match:
    # A product takes seconds: few runs a launch, hence more launches.
    def files(tile: int) -> Side:
        return _side(f"files-{tile}", setup, f"--size {size} --tile {tile} --runs 3 --cache warm "
                     "--generate --data", str(data / f"{size}-{tile}"))

    def over_psgemm(what: str, side: str) -> Goal:
        # On one rank it is one call of SGEMM: the limit itself.
        return Goal(what, OverPeer(Row(side), (Row("psgemm"),), "psgemm"),
                    Bound(1.4 if setup.ranks > 1 else None))

    sides = [files(1024), files(2048)]
    goals = [Goal(f"files, tile {tile}", OfLimit(Row(f"files-{tile}")), Bound(0.95))
             for tile in (1024, 2048)]
    if size == 8192:  # larger, the peer would take as long as all others together
        sides += [_side("psgemm", setup, f"--size {size} --formulation library --runs 1 "
                        "--limits off"),
                  _side("memory", setup, f"--size {size} --tile 1024 --runs 1")]
        goals += [over_psgemm("files, tile 1024", "files-1024"),
                  Goal("in memory", OfLimit(Row("memory")), Bound()),
                  over_psgemm("in memory", "memory")]
    return Match("matmul", f"matmul-{size}-{setup.short}", tuple(sides),
                 (Section(f"matmul, N = {size}, {setup}", tuple(goals)),))


def _matmul_bounded(data: Path) -> Match:
    """What is read follows from the plan, not from the clock: one round says it."""
    memories = (64, 256)  # MiB of a rank
    sides = [_side(f"{memory}MiB", RANKS, f"--size 8192 --tile 1024 --runs 1 --warmup 0 --limits off "
                   f"--memory {memory}MiB --generate --data", str(data / "8192-1024"))
             for memory in memories]
    goals = [Goal(f"read in {memory} MiB", BytesRead(Row(f"{memory}MiB")), Bound(most=1.1))
             for memory in memories]
    return Match("matmul", "matmul-bounded", tuple(sides),
                 (Section(f"matmul, N = 8192, tile 1024, {RANKS}", tuple(goals)),), most_rounds=1)


def _cg(size: int, setup: Setup) -> Match:
    common = f"--size {size} --iterations 40 --runs 3"
    sides = [_side("full", setup, f"{common} --storage full"),
             _side("library", setup, f"{common} --formulation library --limits off"),
             _side("symmetric", setup, f"{common} --storage symmetric"),
             _side("full-single", setup, f"{common} --storage full --algorithm single-reduction"),
             _side("symmetric-single", setup,
                   f"{common} --storage symmetric --algorithm single-reduction")]

    def over(what: str, side: str, peers: tuple[str, ...], label: str, bound: Bound) -> Goal:
        return Goal(what, OverPeer(Row(side), tuple(map(Row, peers)), label), bound)

    never_slower = Bound(1.0, noise=Noise.FORGIVEN)
    goals = (
        Goal("full", OfLimit(Row("full")), Bound(0.9)),
        over("full", "full", ("library",), "dgemv", Bound(1.1)),
        Goal("symmetric", OfLimit(Row("symmetric")), Bound()),
        over("symmetric", "symmetric", ("full", "full-single"), "best full", Bound(1.9)),
        over("symmetric", "symmetric", ("library",), "dgemv", Bound(2.1)),
        over("full, 1 sum", "full-single", ("full",), "classic", never_slower),
        over("symmetric, 1 sum", "symmetric-single", ("symmetric",), "classic", never_slower))
    return Match("cg", f"cg-{size}-{setup.short}", tuple(sides),
                 (Section(f"cg, N = {size}, {setup}", goals),))


def _fftw(common: str, wisdom: Optional[Path]) -> Side:
    """By its measured plan, where there is a file to keep it in, else its estimated one."""
    common += " --formulation library --limits off"
    if not wisdom:
        return _side("library", RANKS, f"{common} --plan estimate")
    side = _side("library", RANKS, f"{common} --plan measure --wisdom", str(wisdom))
    # Measuring a plan takes many times as long as transforming by it.
    return replace(side, beforehand=f"FFTW measures its plan, unless {wisdom} has it")


def _fft(power: int, order: str, wisdom: Optional[Path]) -> Match:
    """HPCC's transform has its result in natural order: for ours that leave it transposed there is
    no goal. FFTW's can do either, and has goals from 2^22 points on."""
    runs = 20 if power < 22 else 5 if power < 26 else 3  # all take a fraction of a second
    common = f"--size 2^{power} --order {order} --runs {runs}"
    plan = "measure" if wisdom else "estimate"
    sides = (_side("ranks", RANKS, common), _fftw(common, wisdom),
             Side("hpcc", RANKS, (), peer=MpiFft(2**power)), _side("threads", THREADS, common))

    def over(side: str, peer: str, label: str, bound: Bound) -> Goal:
        return Goal("native", OverPeer(Row(side), (Row(peer),), label), bound)

    def over_peers(side: str) -> tuple[Goal, ...]:
        return (Goal("native", OfLimit(Row(side)), Bound()),
                over(side, "library", f"FFTW {plan}d", Bound(4 if power >= 22 else None)),
                over(side, "hpcc", "HPCC", Bound(4 if order == "natural" else None)))

    as_efficient = over("threads", "ranks", "2 ranks", Bound(1, noise=Noise.FORGIVEN))
    title = f"fft, 2^{power}, {order}"
    return Match("fft", f"fft-{power}-{order}", sides,
                 (Section(f"{title}, {RANKS}", over_peers("ranks")),
                  Section(f"{title}, {THREADS}", (*over_peers("threads"), as_efficient))))


def _fft_smooth() -> Match:
    sizes = {"power": "2^22", "4233600": "4233600", "4199040": "4199040"}
    sides = tuple(_side(name, RANKS, f"--size {size} --runs 5") for name, size in sizes.items())
    goals = tuple(Goal(f"{name} points", OverPeer(Row(name), (Row("power"),), "2^22 points",
                                                  nanoseconds_per_point, "ns/point"),
                       Bound(most=1.5)) for name in ("4233600", "4199040"))
    return Match("fft", "fft-smooth", sides, (Section(f"fft, {RANKS}", goals),))

"""fft: one complex transform over all ranks."""

from dataclasses import replace
from math import ceil, log2
from pathlib import Path
from typing import Optional

from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, Profile, Promise
from quartet.kernels.kernel import (Cost, Effort, Kernel, Limits, LimitsFiles, NodeCheck, Peers, Report,
                                    Run, Scaling, SmallRun, doublings, one_rank_per_core)
from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row, nanoseconds_per_point
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal, Noise
from quartet_dev.limits.match import RANKS, THREADS, Match, Section, Setup, Side, side
from quartet.machine import Machine
from quartet.own_data.layout import EveryNth
from quartet_dev.peers.hpcc_fft import MpiFft
from quartet_dev.peers.limit_loop import LimitLoop
from quartet_dev.peers.mkl import MklFft
from quartet.predict.fft import MODEL
from quartet.results import Case, whole_number
from quartet.sizes import smooth_multiple

NAME = "fft"
ORDERS = ("transposed", "natural")  # of the result


def _arguments(machine: Machine, _ranks: int) -> list[str]:
    # Six arrays of 16 bytes a point: input, work space, result, two of the limit, the library's.
    exponent = 24
    while exponent > 10 and 6 * 16 * 2**exponent > machine.memory:
        exponent -= 1
    # The library is FFTW's distributed transform; both need one exchange only.
    return ["--device", "host", "--size", f"2^{exponent}", "--formulation",
            "native,dataflow,library"]


def _rounded(exact: float, workers: int, _options: dict[str, str]) -> int:
    return smooth_multiple(exact, workers)


def _fftw(name: str, setup: Setup, common: str, plans: Optional[Path]) -> Side:
    """With its measured plan where there is a file to keep it in, else with its estimated one."""
    common += " --formulation library --limits off"
    if not plans:
        return side(name, setup, f"{common} --plan estimate")
    measured = side(name, setup, f"{common} --plan measure --wisdom", str(plans))
    # Measuring a plan takes many times as long as a transform.
    return replace(measured, beforehand=f"FFTW measures its plan, unless {plans} has it")


def _power(power: int, order: str, programs: Path, plans: Optional[Path] = None) -> Match:
    """HPCC's result is in natural order: ours in transposed order have no goal beside it. FFTW can
    do either. MKL's cluster FFT has no goals."""
    runs = 20 if power < 22 else 5 if power < 26 else 3  # all take a fraction of a second
    common = f"--size 2^{power} --order {order} --runs {runs}"
    plan = "measure" if plans else "estimate"
    # Each of two threads copies half of the points, as a rank does for its limit; the limit is four
    # such passes, or what a rank sends: half of its own points, twice for natural order.
    loop = LimitLoop(programs, "copy", 8 * 2**power, 2, "GFLOP/s", 5 * power / 64 * 1e-9)
    sent = 2 if order == "natural" else 1
    sides = (side("threads", THREADS, common), Side("copy", RANKS, (), peer=loop),
             side("ranks", RANKS, common), _fftw("library", RANKS, common, plans),
             Side("hpcc", RANKS, (), peer=MpiFft(2**power)))
    others = ()  # one rank's FFTW knows natural order alone, and so does MKL
    if order == "natural":
        others = (_fftw("threaded", THREADS, common, plans), Side("mkl", RANKS, (), peer=MklFft(2**power, runs)))

    def over(row: str, peer: str, label: str, bound: Bound) -> Goal:
        return Goal("native", OverPeer(Row(row), (Row(peer),), label), bound)

    def over_peers(row: str) -> tuple[Goal, ...]:
        return (Goal("native", OfLimit(Row(row)), Bound(0.5 if power == 24 else None)),
                over(row, "library", f"FFTW {plan}d", Bound(4.5)),
                over(row, "hpcc", "HPCC", Bound(4 if order == "natural" else None)),
                *(over(row, peer.name, label, Bound()) for peer, label in zip(others, ("FFTW threads", "MKL"))),
                Goal("limit, memory", LimitOverLoop(Row(row), Row("copy"), "memory copy"), AS_ANOTHER))

    as_efficient = over("threads", "ranks", "2 ranks", Bound(1, noise=Noise.FORGIVEN))
    title = f"{NAME}, 2^{power}, {order}"
    # Made once, from another rank's memory, where the loop repeats a copy of its own: no goal.
    exchange = Goal("limit, exchange", LimitOverLoop(Row("ranks"), Row("copy"), "all-to-all", factor=4 / sent),
                    Bound())
    return Match(NAME, f"{NAME}-{power}-{order}", (*sides, *others),
                 (Section(f"{title}, {RANKS}", (*over_peers("ranks"), exchange)),
                  Section(f"{title}, {THREADS}", (*over_peers("threads"), as_efficient))))


def _smooth() -> Match:
    sizes = {"power": "2^22", "4233600": "4233600", "4199040": "4199040"}
    sides = tuple(side(name, RANKS, f"--size {size} --runs 5") for name, size in sizes.items())
    goals = tuple(Goal(f"{name} points", OverPeer(Row(name), (Row("power"),), "2^22 points",
                                                  nanoseconds_per_point, "ns/point"),
                       Bound(most=1.5)) for name in ("4233600", "4199040"))
    return Match(NAME, f"{NAME}-smooth", sides, (Section(f"{NAME}, {RANKS}", goals),))


def _matches(files: LimitsFiles) -> list[Match]:
    return [_smooth(),
            *(_power(power, order, files.programs, files.plans) for power in (20, 22, 24) for order in ORDERS),
            *(_power(26, order, files.programs) for order in ORDERS)]  # a round takes a minute


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
    """By one tile, the default where there is room, or in steps, of which nothing is promised."""
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


KERNEL = Kernel(
    NAME, "GFLOP/s",
    Run(one_rank_per_core, _arguments, Effort("--runs", 10, 6)),  # six have an interval
    words=("order",),
    says_waiting=True,
    scaling=Scaling(1, _rounded),
    # A rank has input, work space and result of its half, and reads the other half in place.
    cost=Cost(doublings(2**20), 2**16, lambda n: f"--size {n}", lambda n: 5.0 * n * log2(n),
              lambda n: 3.5 * 8.0 * n, "5 n log2 n", "16 n (3/2 + 1/4) bytes"),
    limits=Limits(_matches),
    small_runs=(SmallRun("memory", ("--size", "3600")),
                SmallRun("files", ("--size", "3600"), ("native",), files=True)),
    benchmarks=(*(_benchmark(exponent) for exponent in (24, 27, 30, 31)),
                _benchmark(24, tiles=4096),
                Benchmark(f"{NAME} 2^32, in place", 1, ("--size", "2^32", "--transport", "staged",
                                                        "--runs", "3"), 120,
                          small=("--size", "2^12", "--transport", "staged", "--runs", "2"),
                          expected=_expected_on_gpu)),
    profiles=(Profile(1, ("--size", "2^24", "--tiles", "4096"), ("--size", "2^12", "--tiles", "64")),
              Profile(2, ("--size", "2^26", "--transport", "ipc"),
                      ("--size", "2^12", "--tiles", "64", "--transport", "ipc"))),
    node_check=NodeCheck(("2^24", "--runs", "6", "--limits", "off"), ("2^16", "--runs", "3", "--limits", "off"),
                         lambda cores: 1 << (cores.bit_length() - 1)),  # as many tiles for each
    report=Report("One complex double-precision transform over all ranks: 5N log₂N operations, "
                  "however many are done.", "--size 2^24 --formulation native,dataflow", figure=11),
    model=MODEL,
    peers=Peers(("2^22",), "--tiles 64", native="--order natural", paper_clock=True,
                remarks=("In every data flow one process transforms tiles and the other merges them; "
                         "TensorFlow's merger does so in NumPy with one thread, as the paper's. Native "
                         "transforms and merges in both.",)),
    own_data=EveryNth("<c16", "x"))

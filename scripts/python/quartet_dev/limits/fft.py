"""fft: transforms in either order against their limit, FFTW's."""

from dataclasses import replace
from pathlib import Path
from typing import Optional

from quartet_dev.limits.comparisons import LimitOverLoop, OfLimit, OverPeer, Row, nanoseconds_per_point
from quartet_dev.limits.goals import AS_ANOTHER, Bound, Goal, Noise
from quartet_dev.limits.match import ONE, RANKS, THREADS, LimitsFiles, Match, Section, Setup, Side, side
from quartet_dev.peers.limit_loop import LimitLoop

NAME = "fft"
ORDERS = ("transposed", "natural")  # of the result
IN_CACHES = (10, 12, 14, 16)  # powers of two
OVER_FFTW = {20: Bound(2.5, with_avx512=3.5), 22: Bound(3.5, with_avx512=4.5), 24: Bound(4, with_avx512=4.5),
             26: Bound(4.5)}  # by the power of two
OVER_THREADS = Bound(1.5, with_avx512=1.8)


def matches(files: LimitsFiles) -> list[Match]:
    return [_in_caches(files.plans), _smooth(),
            *(_power(power, order, files.programs, files.plans) for power in (20, 22, 24) for order in ORDERS)]


def larger(files: LimitsFiles) -> list[Match]:
    return [_power(26, order, files.programs) for order in ORDERS]  # a round takes a minute


def _in_caches(plans: Path) -> Match:
    def common(power: int) -> str:
        return f"--size 2^{power} --order natural --runs 500"

    # What is compared follows one another.
    sides = tuple(each for power in IN_CACHES
                  for each in (side(f"ours-{power}", ONE, f"{common(power)} --limits off"),
                               _fftw(f"library-{power}", ONE, common(power), plans)))
    goals = tuple(Goal(f"native, 2^{power}",
                       OverPeer(Row(f"ours-{power}"), (Row(f"library-{power}"),), "FFTW measured"),
                       Bound(1, with_avx512=1.2)) for power in IN_CACHES)
    return Match(NAME, f"{NAME}-caches", sides, (Section(f"{NAME} in caches, natural, {ONE}", goals),))


def _smooth() -> Match:
    sizes = {"power": "2^22", "4233600": "4233600", "4199040": "4199040"}
    sides = tuple(side(name, RANKS, f"--size {size} --runs 5") for name, size in sizes.items())
    goals = tuple(Goal(f"{name} points", OverPeer(Row(name), (Row("power"),), "2^22 points",
                                                  nanoseconds_per_point, "ns/point"),
                       Bound(most=1.5)) for name in ("4233600", "4199040"))
    return Match(NAME, f"{NAME}-smooth", sides, (Section(f"{NAME}, {RANKS}", goals),))


def _power(power: int, order: str, programs: Path, plans: Optional[Path] = None) -> Match:
    """FFTW's result can have either order."""
    runs = 20 if power < 22 else 5 if power < 26 else 3  # all take a fraction of a second
    common = f"--size 2^{power} --order {order} --runs {runs}"
    plan = "measure" if plans else "estimate"
    # Each of two threads copies half of the points, as a rank does for its limit; the limit is four
    # such passes, or what a rank sends: half of its own points, twice for natural order.
    loop = LimitLoop(programs, "copy", 8 * 2**power, 2, "GFLOP/s", 5 * power / 64 * 1e-9)
    sent = 2 if order == "natural" else 1
    sides = (side("threads", THREADS, common), Side("copy", RANKS, (), peer=loop),
             side("ranks", RANKS, common), _fftw("library", RANKS, common, plans))
    others: tuple[Side, ...] = ()  # one rank's FFTW knows natural order alone
    if order == "natural":
        others = (_fftw("threaded", THREADS, common, plans),)

    def over(row: str, peer: str, label: str, bound: Bound) -> Goal:
        return Goal("native", OverPeer(Row(row), (Row(peer),), label), bound)

    def over_peers(row: str) -> tuple[Goal, ...]:
        return (Goal("native", OfLimit(Row(row)), Bound(0.5 if power == 24 else None)),
                over(row, "library", f"FFTW {plan}d", OVER_FFTW[power]),
                *(over(row, peer.name, label, bound) for peer, label, bound in
                  zip(others, ("FFTW threads",), (OVER_THREADS if plans else Bound(),))),
                Goal("limit, memory", LimitOverLoop(Row(row), Row("copy"), "memory copy"), AS_ANOTHER))

    as_efficient = over("threads", "ranks", "2 ranks", Bound(1, noise=Noise.FORGIVEN))
    title = f"{NAME}, 2^{power}, {order}"
    # Made once, from another rank's memory, where the loop repeats a copy of its own: no goal.
    exchange = Goal("limit, exchange", LimitOverLoop(Row("ranks"), Row("copy"), "all-to-all", factor=4 / sent),
                    Bound())
    return Match(NAME, f"{NAME}-{power}-{order}", (*sides, *others),
                 (Section(f"{title}, {RANKS}", (*over_peers("ranks"), exchange)),
                  Section(f"{title}, {THREADS}", (*over_peers("threads"), as_efficient))))


def _fftw(name: str, setup: Setup, common: str, plans: Optional[Path]) -> Side:
    """Launches FFTW with its measured plan if there is a file to keep it in, else with its estimated one."""
    common += " --formulation library --limits off"
    if not plans:
        return side(name, setup, f"{common} --plan estimate")
    measured = side(name, setup, f"{common} --plan measure --wisdom", str(plans))
    # Measuring a plan takes many times as long as a transform.
    return replace(measured, beforehand=f"FFTW measures its plan, unless {plans} has it")

"""All matches of `quartet limits`, by kernel."""

from dataclasses import dataclass
from typing import Callable

from quartet_dev.limits import cg, fft, matmul, stream
from quartet_dev.limits.match import LimitsFiles, Match


@dataclass(frozen=True)
class Limits:
    """What is launched of a kernel, and the goals."""

    matches: Callable[[LimitsFiles], list[Match]]
    larger: Callable[[LimitsFiles], list[Match]] = lambda _: []  # with --full only
    file_bytes: tuple[int, int] = (0, 0)  # of data files, without and with --full


LIMITS = {"stream": Limits(stream.matches), "matmul": Limits(matmul.matches, matmul.larger, matmul.FILE_BYTES),
          "cg": Limits(cg.matches, cg.larger), "fft": Limits(fft.matches, fft.larger)}


def matches(files: LimitsFiles, full: bool) -> list[Match]:
    """Returns all matches; with `full` the larger sizes as well, after the others."""
    found = [match for limits in LIMITS.values() for match in limits.matches(files)]
    if full:
        found += [match for limits in LIMITS.values() for match in limits.larger(files)]
    return [match.with_arguments(files.isa) for match in found]

"""All matches of `quartet limits`, by kernel."""

from quartet.kernels import KERNELS
from quartet.kernels.kernel import LimitsFiles
from quartet_dev.limits.match import Match

WITH_LIMITS = {name: kernel.limits for name, kernel in KERNELS.items() if kernel.limits}


def matches(files: LimitsFiles, full: bool) -> list[Match]:
    """All of them; with `full` the larger sizes as well, after the others."""
    found = [match for limits in WITH_LIMITS.values() for match in limits.matches(files)]
    if full:
        found += [match for limits in WITH_LIMITS.values() for match in limits.larger(files)]
    return found

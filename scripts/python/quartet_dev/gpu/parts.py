"""The parts of quartet gpu, in their order. Each can run alone."""

import subprocess

from quartet.exit_codes import FAILED
from quartet_dev.gpu.alone import kernel_steps
from quartet_dev.gpu.checks import TOOLS, build_steps, check_steps, sanitizer_steps, test_steps
from quartet_dev.gpu.counters import counter_steps
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.measurements import measurement_steps
from quartet_dev.gpu.steps import Gpu, Place, Step

CHECKS = ("check", "check-memory")
COUNTERS = "counters"
KERNELS = "kernels"
# Rates first, and what takes minutes to find nothing last.
PARTS = (KERNELS, "build", "check", *ON_GPU, "tests", COUNTERS, *TOOLS, "check-memory")
# Other words for some of them; `page` has no steps: the page is made anew from what is there.
GROUPS = {"sanitize": TOOLS, "bench": tuple(ON_GPU), "page": ()}


def wanted(words: tuple[str, ...]) -> list[str]:
    """The parts that words of the command line name."""
    named = {part for word in words for part in GROUPS.get(word, (word,))}
    return [part for part in PARTS if part in named]


def plan(part: str, place: Place, gpu: Gpu) -> list[Step]:
    """The steps of a part, or a failed step that says why they cannot be planned."""
    try:
        if part == KERNELS:
            return kernel_steps(place, gpu)
        if part == "build":
            return build_steps(place, gpu)
        if part in TOOLS:
            return sanitizer_steps(place, part)
        if part == "tests":
            return test_steps(place)
        if part in CHECKS:
            return check_steps(place, part)
        if part == COUNTERS:
            return counter_steps(place)
        return measurement_steps(place, part)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return [Step(part, f"planning of {part}", [], 0, code=FAILED, reason=str(error))]

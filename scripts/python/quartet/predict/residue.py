"""What a model leaves unexplained of a series of measurements, and the part of it that grows as that does."""

import math
from collections.abc import Iterable

from quartet.predict.duration import PARTS
from quartet.predict.machine import Prediction
from quartet.predict.measured import LEAST_UNCERTAINTY
from quartet.results import Launches
from quartet.text import counted, percent_range, size

COMPUTING = {"compute": "computing"}  # the other parts are called as they are
Measured = tuple[Launches, Prediction]


def unexplained(series: Iterable[Measured]) -> str:
    """Says how much of the time the model explains at worst, from how many ranks on some is left, and in which part of
    the model. Empty if no point is slower than its band."""
    slow = [(point, model) for point, model in series if point.rate < model.low]
    if not slow:
        return ""
    worst, model = min(slow, key=lambda pair: pair[0].rate / pair[1].rate)
    explained = worst.rate / model.rate
    first = min(point.name.ranks for point, _ in slow)
    return (f"model {explained:.0%} ({percent_range(worst.rate / model.high, worst.rate / model.low)}), "
            f"{1 - explained:.0%} unexplained at {size(worst.name.size)} on {counted(worst.name.ranks, 'rank')}, "
            f"first at {counted(first, 'rank')}, {_where(slow)}")


def _where(slow: list[Measured]) -> str:
    parts = [COMPUTING.get(part, part) for part in PARTS if _grows_alike(part, slow)]
    if not parts:
        return "in no part of the model alone"
    return f"in {parts[0]}" if len(parts) == 1 else f"in {' or '.join(parts)}: not told apart"


def _grows_alike(part: str, slow: list[Measured]) -> bool:
    """True if one multiple of this part may be what is left at every point, within the band and the launches' range."""
    least, most = 0.0, math.inf
    for point, model in slow:
        seconds, unit = model.duration.total * model.rate, getattr(model.duration, part)
        low, high = point.interval or (point.rate, point.rate)
        low, high = min(low, point.rate / (1 + LEAST_UNCERTAINTY)), max(high, point.rate * (1 + LEAST_UNCERTAINTY))
        if unit <= 0 or low <= 0:
            return False
        least = max(least, seconds * (1 / high - 1 / model.low) / unit)
        most = min(most, seconds * (1 / low - 1 / model.high) / unit)
    return least <= most

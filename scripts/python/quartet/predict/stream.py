"""The model of pushes: all ranks push vectors to rank 0, which adds them."""

import re

from quartet.predict.machine import LINK
from quartet.predict.network import ADDED, Duration, Model, Options, Run, longer
from quartet.results import Row
from quartet.sizes import points
from quartet.text import size_in_bytes
from quartet.units import MIB

OUTGOING = 2  # chunks of a sender that are on their way
CHUNK = 2 * MIB  # --chunk
ASKED = 3  # successive messages: a place is free, a header, its vector
ACKNOWLEDGED = 2  # successive messages: the first piece, and the reply that all is added
LATENCY = "latency_seconds"
SEEN = 0.3  # share of the shortest run that must be latency, for it to be measurable
LINK_SPREAD, LATENCY_SPREAD = 0.05, 0.3  # uncertainties: other pairs of nodes, other minutes


def bytes_of(text: str) -> int:
    """Reads a size as the program does: a plain number counts MiB, 4k is 4 KiB. Raises ValueError."""
    match = re.fullmatch(r"([1-9]\d{0,9})([kKMG])(?:iB)?", text, re.ASCII)
    return size_in_bytes(f"{match[1]}{match[2].upper()}iB") if match else points(text) * MIB


def _all(run: Run) -> float:
    """Bytes of one push of all senders."""
    return float(run.size) * (run.ranks - 1)


def _answered(run: Run) -> Duration:
    return Duration(latency=ACKNOWLEDGED * run.cluster.latency)


def _native(run: Run) -> Duration:
    """Vectors are sent in chunks, one while the previous one is added; or they are added in place."""
    pushes, adds = int(run.options["pushes"]), run.computed(ADDED * _all(run), "memory_bytes_per_second", launches=1)
    if run.cluster.shares_memory:
        linked = Duration(bandwidth=run.cluster.within(_all(run)) if run.cluster.has_gpus else 0.0)
        return longer(adds, linked) * pushes + _answered(run)
    copies = run.cluster.copied(float(run.size)) if run.cluster.is_staged else 0.0
    crosses = Duration(bandwidth=max(run.flow.crossing(_all(run)), copies))
    first = min(1.0, OUTGOING * CHUNK / run.size)  # the part of a vector that comes before anything is added
    return _answered(run) + longer(crosses * first + adds * pushes, crosses * pushes + adds * first)


def _dataflow(run: Run) -> Duration:
    """Vectors go through a queue. From a single sender the receiver asks for the next one when it has added one; from
    several, other vectors have arrived meanwhile. GPUs copy whole vectors to the host and back."""
    flow, pushes = run.flow, int(run.options["pushes"])
    adds = run.computed(ADDED * _all(run), "memory_bytes_per_second") + Duration(
        overhead=flow.handled(flow.workers, float(run.size)), bandwidth=2 * run.cluster.copied(float(run.size)))
    if run.cluster.shares_memory:
        return adds * pushes + _answered(run)
    crosses = Duration(bandwidth=flow.crossing(_all(run)))
    if flow.workers == 1:
        return (adds + crosses + Duration(latency=ASKED * run.cluster.latency)) * pushes + _answered(run)
    return _answered(run) + longer(crosses + adds * pushes, crosses * pushes + adds * (1 / flow.workers))


def _shows_link(rows: list[tuple[Row, Options]]) -> dict[str, tuple[float, float]]:
    """The link's rate from the row with most bytes, and the latency from that and the row with fewest, of rows in which
    one rank pushes to another: a run takes two latencies and the time of its bytes."""
    runs = sorted((float(size_in_bytes(row.name.size)) * options["pushes"], row.seconds) for row, options in rows)
    if not runs or not runs[-1][0]:
        return {}
    (few, short), (many, long) = runs[0], runs[-1]
    latency = (short * many - long * few) / (many - few) / ACKNOWLEDGED if many > few else 0.0
    if ACKNOWLEDGED * latency < SEEN * short:
        return {LINK: (many / long, LINK_SPREAD)}
    return {LINK: (many / max(long - ACKNOWLEDGED * latency, 0.5 * long), LINK_SPREAD),
            LATENCY: (latency, LATENCY_SPREAD)}


MODEL = Model(work=lambda run: _all(run) * int(run.options["pushes"]),
              formulations={"native": _native, "dataflow": _dataflow}, options={"pushes": 100},
              size_of=bytes_of, shows_link=_shows_link)

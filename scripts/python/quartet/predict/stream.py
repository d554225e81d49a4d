"""The model of pushes; stream/README.md derives it."""

import re

from quartet.predict.data_flow import DataFlow
from quartet.predict.duration import Duration, longer
from quartet.predict.model import Model, Options, Run
from quartet.predict.rates import LINK
from quartet.results import Case
from quartet.sizes import points
from quartet.text import size_in_bytes
from quartet.units import MIB

ADDED = 3  # bytes read and written for each byte of a vector
OUTGOING = 2  # chunks of a sender that are under way; of a data flow's, vectors
CHUNK = 2 * MIB  # --chunk
ASKED = 3  # messages, one after the other: a place is free, a header, its vector
ACKNOWLEDGED = 2  # messages, one after the other: the first piece, and the word that all is added


def bytes_of(text: str) -> int:
    """A size as the program's flag has it: a number alone counts MiB, 4k is 4 KiB. Raises ValueError."""
    match = re.fullmatch(r"([1-9]\d{0,9})([kKMG])(?:iB)?", text, re.ASCII)
    return size_in_bytes(f"{match[1]}{match[2].upper()}iB") if match else points(text) * MIB


def _wire(run: Run) -> float:
    """Seconds of one push of all senders, which rank 0 receives."""
    return DataFlow(run.cluster, 1, 1).crossing(float(run.size) * (run.ranks - 1))


def _added(run: Run) -> float:
    """Seconds of the receiver for one push of all senders."""
    size = float(run.size) * (run.ranks - 1)
    return ADDED * size / run.cluster.values["memory_bytes_per_second"]


def _answered(run: Run) -> Duration:
    return Duration(latency=ACKNOWLEDGED * run.cluster.latency)


def _in_chunks(crosses: Duration, adds: Duration, size: float, count: float) -> Duration:
    """So many vectors of each sender, whose bytes cross while others are added. All chunks that are under way
    share the link: the first ones come together, the last ones are added after all."""
    at_once = min(OUTGOING * min(CHUNK, size) / size, count)
    return longer(crosses * at_once + adds * count, crosses * count + adds * at_once)


def _native(run: Run) -> Duration:
    """In chunks, the next one under way while one is added; or added where it lies."""
    pushes = run.count("pushes")
    adds = Duration(compute=_added(run), overhead=run.cluster.values["launch_seconds"])
    if run.cluster.shares_memory:
        return adds * pushes + _answered(run)
    copies = run.cluster.copied(float(run.size)) if run.cluster.is_staged else 0.0
    crosses = Duration(bandwidth=max(_wire(run), copies))
    return _answered(run) + _in_chunks(crosses, adds, run.size, pushes)


def _library(run: Run) -> Duration:
    """A message into a second vector, then the addition."""
    copies = 2 * run.cluster.copied(float(run.size)) if run.cluster.is_staged else 0.0
    push = Duration(compute=_added(run), bandwidth=_wire(run) + copies,
                    overhead=run.cluster.values["launch_seconds"])
    return push * run.count("pushes") + _answered(run)


def _dataflow(run: Run) -> Duration:
    """Vectors through a queue. A sender has two under way, and the receiver asks for the second when the
    first is added: of one sender only the chunks of one vector travel while others are added, on GPUs, which
    copy whole vectors to the host and back, none. Of several senders other vectors are there meanwhile."""
    flow, pushes = DataFlow(run.cluster, 1, run.count("queue")), run.count("pushes")
    handled = flow.handled(flow.workers, float(run.size))
    adds = Duration(compute=_added(run), overhead=handled, bandwidth=2 * run.cluster.copied(float(run.size)))
    if run.cluster.shares_memory:
        return adds * pushes + _answered(run)
    crosses = Duration(bandwidth=_wire(run))
    if flow.workers == 1:
        waits = Duration(latency=ASKED * run.cluster.latency)
        vector = adds + crosses if run.cluster.has_gpus else _in_chunks(crosses, adds, run.size, 1)
        return (vector + waits) * pushes + _answered(run)
    # All that are under way share the link: the first ones come together, before anything is added.
    at_once = min(flow.under_way(OUTGOING) / flow.workers, pushes)
    return _answered(run) + longer(crosses * at_once + adds * pushes, crosses * pushes + adds * (1 / flow.workers))


LATENCY = "latency_seconds"
SEEN = 0.3  # of the shortest run, from which on its latency can be told
LINK_SPREAD, LATENCY_SPREAD = 0.05, 0.3  # uncertainties: other pairs of nodes, other minutes


def _shows_link(rows: list[tuple[Case, Options]]) -> dict[str, tuple[float, float]]:
    """Reads rows in which one rank pushes to another: the link from the most bytes, and with a short run
    beside it the latency, since a run takes two latencies and its bytes' time."""
    runs = sorted((float(size_in_bytes(case.name.size)) * options["pushes"], case.seconds)
                  for case, options in rows
                  if case.name.formulation == "native" and case.seconds > 0)
    if not runs or not runs[-1][0]:
        return {}
    (few, short), (many, long) = runs[0], runs[-1]
    latency = (short * many - long * few) / (many - few) / ACKNOWLEDGED if many > few else 0.0
    if ACKNOWLEDGED * latency < SEEN * short:
        return {LINK: (many / long, LINK_SPREAD)}
    return {LINK: (many / max(long - ACKNOWLEDGED * latency, 0.5 * long), LINK_SPREAD),
            LATENCY: (latency, LATENCY_SPREAD)}


MODEL = Model(
    work=lambda run: float(run.size) * (run.ranks - 1) * run.count("pushes"),
    formulations={"native": _native, "dataflow": _dataflow, "library": _library},
    options={"pushes": 100, "queue": 16},
    reducers=lambda ranks, options: 0,
    size_of=bytes_of,
    shows_link=_shows_link,
    least_ranks=2)

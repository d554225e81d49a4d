"""The model of the Fourier transform."""

from math import log2

from quartet.predict.network import Duration, Model, Options, Run, longer
from quartet.results import Row
from quartet.text import size_in_bytes

POINT = 16.0  # bytes
LAUNCHES = 4
OUTGOING = 8  # transformed tiles that a worker may have in memory
USUAL = 2**13  # points of a tile that fit the cache
MEMBERS = 32  # tiles of a group, which the merger transforms while other tiles arrive
FFT = "fft_flops_per_second"


def operations(points: float, length: float) -> float:
    """The operations of transforms of a length over all points."""
    return 5.0 * points * log2(length)


def _native(run: Run) -> Duration:
    """Ranks have equal numbers of points. Natural order needs a second all-to-all, and a pass that transposes."""
    mine = POINT * run.size / run.ranks
    whole = run.computed(operations(run.size, run.size) / run.ranks, FFT, LAUNCHES)
    if run.ranks > 1:
        whole += run.cluster.exchange(mine)
        if run.options["order"] == "natural":
            whole += run.cluster.exchange(mine) + run.computed(2 * mine, "memory_bytes_per_second")
    return whole


def tiles_of(points: int, ranks: int) -> int:
    """The smallest number of tiles that fit the cache and divide equally among ranks."""
    length = USUAL
    while length < points // length:
        length *= 2
    return ranks * max(1, -(-points // (length * ranks)))


def _dataflow(run: Run) -> Duration:
    """Workers transform tiles. The merger reads and writes them with their twiddle factors. It transforms over the
    tiles of a group while others arrive; the last group, and the transforms over groups, come at the end. On a CPU
    beside GPUs memory alone limits the transforms."""
    cluster, flow, points = run.cluster, run.flow, run.size
    tiles = tiles_of(points, run.ranks)
    mine, groups = tiles / flow.workers, max(1.0, tiles / MEMBERS)
    works = run.computed(operations(points / tiles * mine, max(2.0, points / tiles)), FFT, mine) + Duration(
        bandwidth=cluster.copied(POINT * points / flow.workers))
    arrives = Duration(bandwidth=flow.payloads(POINT * points), overhead=flow.handled(tiles, POINT * points / tiles))
    passed = 2 * POINT * points / cluster.host_memory
    within, over = (operations(points, count) / cluster.values[FFT] for count in (tiles / groups, groups))
    if cluster.has_gpus:
        within, over = 0.0, passed
    merges = Duration(compute=passed + within * (groups - 1) / groups)
    collects = flow.taken(tiles, arrives, merges, OUTGOING)
    first = works * (1 / mine) + Duration(latency=cluster.latency)
    return longer(works + (arrives + merges) * (1 / tiles), first + collects) + Duration(compute=within / groups + over)


def _shows(row: Row, _: Options) -> tuple[float, float]:
    points = size_in_bytes(row.name.size)
    return operations(points, points), row.phases.get("compute", 0.0) + row.phases.get("merge", 0.0)


MODEL = Model(work=lambda run: operations(run.size, max(2, run.size)),
              formulations={"native": _native, "dataflow": _dataflow},
              options={"order": ("transposed", "natural")}, rate=FFT, shows=_shows)

"""The model of the Fourier transform; fft/README.md derives it."""

from math import log2
from typing import Optional

from quartet.predict import collectives
from quartet.predict.cluster import Cluster
from quartet.predict.data_flow import DataFlow
from quartet.predict.duration import Duration, longer
from quartet.predict.four_step import BLOCK, divide_up, points_of_ranks, shape_of
from quartet.predict.model import Model, Options, Run, shown
from quartet.results import Case
from quartet.text import size_in_bytes

POINT = 16.0  # bytes
LAUNCHES = 4
OUTGOING = 8  # transformed tiles in a worker's memory
LONGEST, MEMBERS = 256, 32  # transforms that are made at once: at most, and as wanted in a group
FFT, MEMORY = "fft_flops_per_second", "memory_bytes_per_second"


def operations(points: float, length: float) -> float:
    """The operations of transforms of a length over all points."""
    return 5.0 * points * log2(max(2.0, length))


def _transforms(cluster: Cluster, mine: float, rate: float) -> Duration:
    """So many operations of a rank, and the launches beside them."""
    return Duration(compute=cluster.slowest(mine / rate), overhead=LAUNCHES * cluster.values["launch_seconds"])


def _native(run: Run) -> Duration:
    cluster, rate = run.cluster, run.cluster.values[FFT]
    if run.ranks == 1:  # without blocks
        return _transforms(cluster, operations(run.size, run.size), rate)
    shape = shape_of(run.size, run.ranks, run.options["tiles"])
    whole = _transforms(cluster, operations(shape.most_tiles * shape.length, shape.length)
                        + operations(shape.most_bins * shape.tiles, shape.tiles), rate)
    sharing = cluster.per_node if cluster.nodes > 1 else 1  # a node's link, or each rank its own way
    most = points_of_ranks(shape, sharing)
    whole += collectives.all_to_all(cluster, POINT * most, POINT * shape.largest_part)
    if run.options["order"] == "natural":  # another one, and a pass that transposes
        bins = POINT * divide_up(shape.length, run.ranks) * shape.tiles
        whole += collectives.all_to_all(cluster, bins, bins / run.ranks)
        whole += Duration(compute=2 * bins / cluster.values[MEMORY])
    return whole


def _library(run: Run) -> Duration:
    """FFTW's six steps: three transpositions; scrambled output leaves out the last one."""
    cluster, transposed = run.cluster, 3 if run.options["order"] == "natural" else 2
    mine = operations(run.size, run.size) / run.ranks
    return (_transforms(cluster, mine, cluster.rate(FFT, "library"))
            + transposed * cluster.to_all(POINT * run.size / run.ranks))


def row_groups(tiles: int, length: int) -> int:
    """The number of groups that leaves about 32 tiles in each, for transforms over tiles while others arrive;
    1 if they are made at the end."""
    possible = [groups for groups in range(2, LONGEST + 1)
                if tiles % groups == 0 and tiles > groups
                and all(map(_is_small, (groups, tiles // groups)))]
    if length % BLOCK or not possible:
        return 1
    return min(possible, key=lambda groups: abs(log2(tiles / groups / MEMBERS)))


def _is_small(length: int) -> bool:
    """True if it has a transform that is made at once."""
    for prime in (2, 3, 5, 7):
        while length % prime == 0:
            length //= prime
    return length <= 1


def _dataflow(run: Run) -> Duration:
    cluster, points = run.cluster, run.size
    flow = DataFlow(cluster, 1, run.options["queue"])
    tiles = shape_of(points, run.ranks, run.options["tiles"]).tiles
    length, item = points / tiles, POINT * points / tiles
    one = operations(length, length) / cluster.values[FFT]
    works = Duration(compute=cluster.slowest(one * divide_up(tiles, flow.workers)),
                     bandwidth=cluster.copied(POINT * points / flow.workers),
                     overhead=cluster.values["launch_seconds"] * tiles / flow.workers)
    arrives = Duration(bandwidth=flow.payloads(POINT * points), overhead=flow.handled(tiles, item))
    # Tiles are read and written with their twiddles; transforms over those of a group follow while others
    # arrive. Those of the last group and over the groups are left for the end. On a CPU beside GPUs all
    # transforms are as fast as it reads and writes.
    passed = 2 * POINT * points / cluster.host_memory
    groups = row_groups(tiles, points // tiles)
    within, over = (operations(points, count) / cluster.values[FFT] if count > 1 else 0.0
                    for count in (tiles // groups if groups > 1 else 1, groups if groups > 1 else tiles))
    if cluster.has_gpus:
        within, over = 0.0, passed
    merges = Duration(compute=passed + within * (groups - 1) / groups)
    collects = flow.taken(tiles, arrives, merges, OUTGOING)
    first = Duration(compute=one, latency=cluster.latency)
    last = (arrives + merges) * (1 / tiles)
    return longer(works + last, first + collects) + Duration(compute=within / groups + over)


def _shows(case: Case, _: Options) -> dict[str, float]:
    points = size_in_bytes(case.name.size)
    if case.name.formulation == "native":
        seconds = sum(case.phases.get(phase, 0.0) for phase in ("compute", "merge"))
    elif case.name.formulation == "library" and case.name.ranks == 1:  # its exchanges are inside
        seconds = case.seconds
    else:
        return {}
    return shown(FFT, case, operations(points, points), seconds)


def _shows_exchange(case: Case, options: Options) -> Optional[tuple[float, float]]:
    """The bytes that a rank sends in a row's limit, and their seconds; None if it has no exchange."""
    seconds = sum(component["seconds"] for component in case.median.get("limit_components", [])
                  if component["name"] == "all-to-all")
    ranks, count = case.name.ranks, 2 if options["order"] == "natural" else 1
    sent = count * POINT * size_in_bytes(case.name.size) * (ranks - 1) / ranks**2
    return (sent, seconds) if seconds > 0 else None


MODEL = Model(
    work=lambda run: operations(run.size, run.size),
    formulations={"native": _native, "dataflow": _dataflow, "library": _library},
    options={"order": ("transposed", "natural"), "tiles": 0, "queue": 16},
    shows=_shows,
    shows_exchange=_shows_exchange,
    all_to_alls=("native", "library"))

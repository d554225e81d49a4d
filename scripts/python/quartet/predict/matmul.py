"""The model of the tiled product; matmul/README.md derives it."""

from functools import cache
from math import ceil, isqrt, log2, sqrt

from quartet.predict.data_flow import DataFlow
from quartet.predict.duration import Duration, longer
from quartet.predict.model import Model, Options, Run, shown
from quartet.results import Case
from quartet.text import size_in_bytes

ELEMENT = 4.0  # bytes
SGEMM = "sgemm_flops_per_second"
PANEL = 64  # columns that the library multiplies at a time
OUTGOING = 2  # products in a worker's memory, for each reducer
MOST_TRIED = 200  # ranks for which all partitions are tried


@cache
def largest_block(tiles: int, ranks: int) -> tuple[int, int]:
    """Rows and columns, in tiles, of the largest block of C that a rank has. Each number of columns
    of ranks is tried; of many ranks those around the square root."""
    root = isqrt(ranks)
    tried = range(1, ranks + 1) if ranks <= MOST_TRIED else range(root // 2, 2 * root)
    found = []
    for columns in tried:
        blocks = [_block(tiles, ranks, columns, column) for column in range(columns)]
        found.append((max(rows * wide for rows, wide in blocks),
                      max(rows + wide for rows, wide in blocks),
                      max(blocks, key=lambda block: block[0] * block[1])))
    return min(found)[2]


def _block(tiles: int, ranks: int, columns: int, column: int) -> tuple[int, int]:
    """The block of a column of ranks, whose width is in proportion to their number."""
    begin, end = (ranks * place // columns for place in (column, column + 1))
    return ceil(tiles / (end - begin)), tiles * end // ranks - tiles * begin // ranks


def _native(run: Run) -> Duration:
    """Nothing is sent: each rank has what it multiplies. GPUs copy it in beside their products."""
    tile, size = min(run.options["tile"], run.size), run.size
    rows, columns = (min(size, tile * count) for count in largest_block(ceil(size / tile), run.ranks))
    cluster = run.cluster
    product = Duration(
        compute=cluster.slowest(2.0 * rows * columns * size / cluster.values[SGEMM]),
        overhead=cluster.values["launch_seconds"] * ceil(rows / tile) * ceil(columns / tile))
    copies = Duration(bandwidth=cluster.copied(ELEMENT * size * (rows + columns)))
    return longer(product, copies)


def _reducers(ranks: int, options: Options) -> int:
    return options["reducers"] or (2 if ranks > 2 else 1)


def _dataflow(run: Run) -> Duration:
    cluster, tile = run.cluster, min(run.options["tile"], run.size)
    flow = DataFlow(cluster, _reducers(run.ranks, run.options), run.options["queue"])
    products, size = ceil(run.size / tile)**3, ELEMENT * tile**2
    product = 2.0 * tile**3 / cluster.values[SGEMM]
    mine = ceil(products / flow.workers)
    # Copies of two tiles in hide behind products, as does one out.
    works = longer(Duration(compute=cluster.slowest(mine * product),
                            overhead=mine * cluster.values["launch_seconds"]),
                   Duration(bandwidth=mine * cluster.copied(2 * size)))
    taken = products / flow.reducers  # by each reducer
    # Reducers of a node share its link; each waits for its own tiles, then adds them. The first that
    # belongs to a tile of C is copied, the others are added.
    crosses = flow.payloads(size * products)
    arrives = Duration(bandwidth=crosses * flow.homes / flow.reducers, overhead=flow.handled(taken, size))
    passes = (3 * products - ceil(run.size / tile)**2) / flow.reducers
    adds = Duration(compute=passes * size / cluster.host_memory)
    collects = longer(Duration(bandwidth=crosses), flow.taken(taken, arrives, adds, OUTGOING))
    # The first product before anything is pushed; the last tile after all products.
    first = Duration(compute=product, latency=cluster.latency)
    last = (arrives + adds) * (1 / taken)
    return longer(works + last, first + collects)


def _library(run: Run) -> Duration:
    """SUMMA on a square grid: panels of A go along rows of ranks and panels of B along columns, by
    trees; then they are multiplied."""
    cluster, size = run.cluster, run.size
    whole = Duration(compute=cluster.slowest(2.0 * size**3 / run.ranks / cluster.rate(SGEMM, "library")))
    if run.ranks == 1:
        return whole
    steps, depth = ceil(size / PANEL), ceil(log2(run.ranks) / 2)
    received = 2 * ELEMENT * size**2 / sqrt(run.ranks)
    inside = cluster.within(received)
    across = cluster.per_node * received / cluster.link(cluster.nodes) if cluster.nodes > 1 else 0.0
    return whole + Duration(latency=2 * steps * depth * cluster.latency, bandwidth=max(inside, across))


def _shows(case: Case, _: Options) -> dict[str, float]:
    size = size_in_bytes(case.name.size)
    if case.name.formulation == "native":
        seconds = case.phases.get("compute", 0.0)
    elif case.name.formulation == "library" and case.name.ranks == 1:  # what it sends is inside
        seconds = case.seconds
    else:
        return {}
    return shown(SGEMM, case, 2.0 * size**3, seconds)


MODEL = Model(
    work=lambda run: 2.0 * run.size**3 - float(run.size)**2,
    formulations={"native": _native, "dataflow": _dataflow, "library": _library},
    options={"tile": 1024, "reducers": 0, "queue": 16},
    reducers=_reducers,
    shows=_shows)

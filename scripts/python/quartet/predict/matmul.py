"""The model of the tiled product."""

from functools import cache
from math import ceil, isqrt

from quartet.predict.network import Duration, Model, Options, Run, longer
from quartet.results import Row
from quartet.text import size_in_bytes

ELEMENT = 4.0  # bytes
SGEMM = "sgemm_flops_per_second"
OUTGOING = 2  # products that a worker may have in memory, for each reducer
MOST_TRIED = 200  # up to so many ranks all numbers of columns are tried, above only those near the square root


@cache
def largest_block(tiles: int, ranks: int) -> tuple[int, int]:
    """Rows and columns, in tiles, of the largest block of C that a rank has: the ranks form columns, each as wide in
    proportion as it has ranks."""
    def block(columns: int, column: int) -> tuple[int, int]:
        begin, end = (ranks * place // columns for place in (column, column + 1))
        return ceil(tiles / (end - begin)), tiles * end // ranks - tiles * begin // ranks

    def largest(columns: int) -> tuple[int, int, tuple[int, int]]:
        blocks = [block(columns, column) for column in range(columns)]
        most = max(blocks, key=lambda one: one[0] * one[1])
        return most[0] * most[1], max(map(sum, blocks)), most
    root = isqrt(ranks)
    return min(map(largest, range(1, ranks + 1) if ranks <= MOST_TRIED else range(root // 2, 2 * root)))[2]


def _native(run: Run) -> Duration:
    """Ranks send nothing, since each has the tiles that it multiplies. GPUs copy tiles in while they multiply."""
    tile, size = min(run.options["tile"], run.size), run.size
    rows, columns = (min(size, tile * count) for count in largest_block(ceil(size / tile), run.ranks))
    product = run.computed(2.0 * rows * columns * size, SGEMM, ceil(rows / tile) * ceil(columns / tile))
    return longer(product, Duration(bandwidth=run.cluster.copied(ELEMENT * size * (rows + columns))))


def _dataflow(run: Run) -> Duration:
    """Workers multiply two tiles at a time, and push the product to the reducer of its tile of C."""
    cluster, flow, tile = run.cluster, run.flow, min(run.options["tile"], run.size)
    products, size = ceil(run.size / tile)**3, ELEMENT * tile**2
    mine, taken = ceil(products / flow.workers), products / flow.reducers
    # Copies of two tiles in, and of one out, overlap with products.
    works = longer(run.computed(mine * 2.0 * tile**3, SGEMM, mine), Duration(bandwidth=mine * cluster.copied(2 * size)))
    # Reducers of a node share its link; each waits for its tiles, then adds them; the first part of a tile is copied.
    crosses = flow.payloads(size * products)
    arrives = Duration(bandwidth=crosses * flow.homes / flow.reducers, overhead=flow.handled(taken, size))
    passes = (3 * products - ceil(run.size / tile)**2) / flow.reducers
    adds = Duration(compute=passes * size / cluster.host_memory)
    collects = longer(Duration(bandwidth=crosses), flow.taken(taken, arrives, adds, OUTGOING))
    # The first product precedes all pushes; the last tile is added after all products.
    first = run.computed(2.0 * tile**3, SGEMM) + Duration(latency=cluster.latency)
    return longer(works + (arrives + adds) * (1 / taken), first + collects)


def _shows(row: Row, _: Options) -> tuple[float, float]:
    return 2.0 * size_in_bytes(row.name.size)**3, row.phases.get("compute", 0.0)


MODEL = Model(work=lambda run: 2.0 * run.size**3 - float(run.size)**2,
              formulations={"native": _native, "dataflow": _dataflow}, options={"tile": 1024, "reducers": 0},
              rate=SGEMM, shows=_shows)

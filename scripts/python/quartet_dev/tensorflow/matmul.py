"""matmul as the paper's data flow (IV, Fig. 4): workers share a list of products of tiles, load the tiles from files,
multiply, and push the partial tile to the queue of a reducer, which adds it with NumPy.

A worker has two threads, each with its share of the list and with tiles read ahead, so that one product is computed
while another is pushed. The place of a partial tile in C decides its reducer."""

from pathlib import Path
from typing import Any

import numpy as np

from quartet_dev.tensorflow.cluster import Place, Role, TileWorker
from quartet_dev.tensorflow.document import REDUCER, WORKER


def products(tiles: int) -> list[tuple[int, int, int]]:
    """All (i, j, k): tile (i, k) of A times tile (k, j) of B is a part of tile (i, j) of C."""
    return [(i, j, k) for i in range(tiles) for j in range(tiles) for k in range(tiles)]


def target(tiles: int, i: int, j: int) -> int:
    """The number of tile (i, j) of C; its reducer is this modulo the number of reducers."""
    return i * tiles + j


def matrix(folder: Path, name: str, tiles: int) -> np.ndarray:
    return np.block([[np.load(folder / f"{name}_{i}_{j}.npy") for j in range(tiles)] for i in range(tiles)])


def worst_error(folder: Path, tiles: int, own: dict[int, np.ndarray]) -> float:
    """The largest error of these tiles of C against NumPy's product in double precision, over its largest element."""
    a, b = (matrix(folder, name, tiles).astype(np.float64) for name in "AB")
    expected = a @ b
    parts = {target(tiles, i, j): part for i, row in enumerate(np.split(expected, tiles))
             for j, part in enumerate(np.split(row, tiles, axis=1))}
    errors = [np.abs(tile - parts[number]).max() for number, tile in own.items()]
    return float(np.max(errors) / np.abs(expected).max())  # a NaN stays one


def _queue(place: Place, reducer: int) -> Any:
    """The queue of partial tiles, each with the number of its tile of C."""
    tf, edge = place.tf, place.plan.options["tile"]
    return place.queue(f"tiles-{reducer}", [tf.int32, tf.float32], [(), (edge, edge)], task=(REDUCER, reducer))


def _tiles(place: Place) -> int:
    return place.plan.options["size"] // place.plan.options["tile"]


class Worker(TileWorker):
    def __init__(self, place: Place):
        tf, folder, tiles, edge = place.tf, place.data, _tiles(place), place.plan.options["tile"]

        def load(index: Any) -> list[np.ndarray]:
            i, j, k = index
            return [np.load(folder / f"A_{i}_{k}.npy"), np.load(folder / f"B_{k}_{j}.npy")]

        def pushes(index: Any, a: Any, b: Any) -> list[Any]:
            part = target(tiles, index[0], index[1]), tf.matmul(a, b)
            return [_queue(place, reducer).enqueue(part) for reducer in range(place.reducers)]

        super().__init__(place, products(tiles), load, tf.float32, (edge, edge), pushes,
                         lambda index: target(tiles, index[0], index[1]) % place.reducers)


class Reducer(Role):
    def __init__(self, place: Place):
        self._plan, self._folder, self._tiles = place.plan, place.data, _tiles(place)
        own = [target(self._tiles, i, j) for i, j, _ in products(self._tiles)
               if target(self._tiles, i, j) % place.reducers == place.index]
        self._count, edge = len(own), place.plan.options["tile"]
        self._sums = {number: np.zeros((edge, edge), np.float32) for number in own}
        self._take = _queue(place, place.index).dequeue()

    def prepare(self, session: Any) -> None:
        for each in self._sums.values():
            each.fill(0)
        self._call = session.make_callable(self._take)

    def run(self, session: Any) -> None:
        for _ in range(self._count):
            number, tile = self._call()
            self._sums[int(number)] += tile

    def check(self, session: Any) -> tuple[float, float]:
        # The bound for a sum of N products of non-negative numbers in single precision (Higham, 3.1).
        return worst_error(self._folder, self._tiles, self._sums), self._plan.options["size"] * 2.0**-24


ROLES = {WORKER: Worker, REDUCER: Reducer}

"""matmul as the paper's data flow (IV, Fig. 4): workers share a list of products of tiles, load the tiles
from files, multiply, and push the partial tile to the queue of a reducer, which adds it in NumPy.

A worker has two runners, each with its share of the list and tiles read ahead, so that it multiplies one
product while another is under way. A partial tile goes to the reducer that its place in C decides."""

from pathlib import Path
from typing import Any, Iterator, Optional

import numpy as np

from quartet_dev.peers.tensorflow.cluster import Place
from quartet_dev.peers.tensorflow.plan import REDUCER, WORKER, Check
from quartet_dev.peers.tensorflow.runners import READ_AHEAD, RUNNERS, RunnersWorker, share


def products(tiles: int) -> list[tuple[int, int, int]]:
    """Returns all (i, j, k): tile (i, k) of A times tile (k, j) of B is a part of tile (i, j) of C."""
    return [(i, j, k) for i in range(tiles) for j in range(tiles) for k in range(tiles)]


def target(tiles: int, i: int, j: int) -> int:
    """The number of C's tile (i, j); the reducer that has it is this modulo their number."""
    return i * tiles + j


def matrix(folder: Path, name: str, tiles: int) -> np.ndarray:
    return np.block([[np.load(folder / f"{name}_{i}_{j}.npy") for j in range(tiles)] for i in range(tiles)])


def worst_error(folder: Path, tiles: int, own: dict[int, np.ndarray]) -> float:
    """Compares these tiles of C with NumPy's product in double precision: a share of its largest element."""
    a, b = (matrix(folder, name, tiles).astype(np.float64) for name in "AB")
    expected = a @ b
    edge = len(a) // tiles
    errors = []
    for number, tile in own.items():
        i, j = number // tiles, number % tiles
        part = expected[i * edge:(i + 1) * edge, j * edge:(j + 1) * edge]
        errors.append(np.abs(tile - part).max())
    return float(np.max(errors) / np.abs(expected).max())  # a NaN stays one


class Geometry:
    def __init__(self, place: Place):
        self.size, self.edge = place.plan.options["size"], place.plan.options["tile"]
        self.tiles = self.size // self.edge
        self.folder = Path(place.plan.data)

    def queue(self, place: Place, reducer: int) -> Any:
        """Makes the queue of numbers of C's tiles and of what is to be added to them."""
        tf = place.tf
        return place.queue(f"tiles-{reducer}", [tf.int32, tf.float32], [(), (self.edge, self.edge)],
                           task=(REDUCER, reducer))


class Runner:
    """A share of the products, for one thread of Python."""

    def __init__(self, place: Place, geometry: Geometry, number: int):
        tf, tiles = place.tf, geometry.tiles
        mine = share(products(tiles), place.workers * RUNNERS, place.index * RUNNERS + number)
        self._targets = [target(tiles, i, j) % place.reducers for i, j, _ in mine]
        self._start = tf.no_op()
        if mine:
            with place.own:
                self._build(tf, place, geometry, np.array(mine, np.int32))

    def _build(self, tf: Any, place: Place, geometry: Geometry, mine: np.ndarray) -> None:
        def load(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            i, j, k = index
            return (np.load(geometry.folder / f"A_{i}_{k}.npy"), np.load(geometry.folder / f"B_{k}_{j}.npy"))

        def with_tiles(index: Any) -> Any:
            return (index, *tf.numpy_function(load, [index], (tf.float32, tf.float32)))

        data = tf.data.Dataset.from_tensor_slices(mine).map(with_tiles).prefetch(READ_AHEAD)
        iterator = tf.data.make_initializable_iterator(data)
        self._start = iterator.initializer
        index, a, b = iterator.get_next()
        a.set_shape((geometry.edge,) * 2)
        b.set_shape((geometry.edge,) * 2)
        number, product = target(geometry.tiles, index[0], index[1]), tf.matmul(a, b)
        self._pushes = [geometry.queue(place, reducer).enqueue((number, product))
                        for reducer in range(place.reducers)]

    def prepare(self, session: Any) -> None:
        session.run(self._start)
        if self._targets:
            self._calls = [session.make_callable(push) for push in self._pushes]

    def run(self) -> None:
        for reducer in self._targets:
            self._calls[reducer]()


class Worker(RunnersWorker):
    def __init__(self, place: Place):
        super().__init__(lambda number: Runner(place, Geometry(place), number))


class Reducer:
    def __init__(self, place: Place):
        self._geometry = Geometry(place)
        tiles = self._geometry.tiles
        own = [target(tiles, i, j) for i, j, _ in products(tiles)
               if target(tiles, i, j) % place.reducers == place.index]
        self._count = len(own)
        edge = self._geometry.edge
        self._sums = {number: np.zeros((edge, edge), np.float32) for number in own}
        self._take = self._geometry.queue(place, place.index).dequeue()

    def prepare(self, session: Any) -> None:
        for each in self._sums.values():
            each.fill(0)
        self._call = session.make_callable(self._take)

    def run(self, _session: Any) -> Optional[float]:
        for number, tile in self._taken():
            self._sums[number] += tile
        return None

    def _taken(self) -> Iterator[tuple[int, np.ndarray]]:
        for _ in range(self._count):
            number, tile = self._call()
            yield int(number), tile

    def check(self, _session: Any) -> Check:
        geometry = self._geometry
        # A sum of N products of numbers that are not negative, in single precision (Higham, 3.1).
        return Check(worst_error(geometry.folder, geometry.tiles, self._sums), geometry.size * 2.0**-24)


ROLES = {WORKER: Worker, REDUCER: Reducer}

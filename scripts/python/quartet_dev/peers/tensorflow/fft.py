"""fft as the paper's data flow (IV, Fig. 6): workers load interleaved tiles x[t::T] from files, transform
them and push them to the queue of a merger, which makes one transform of them in NumPy.

The merger keeps the tiles as they come and puts them together at the end: the paper found that putting
each into an array at once holds up all others. Its own clock stops when the last tile has come."""

import time
from pathlib import Path
from typing import Any, Optional

import numpy as np

from quartet_dev.peers.tensorflow.cluster import Place
from quartet_dev.peers.tensorflow.plan import REDUCER, WORKER, Check
from quartet_dev.peers.tensorflow.runners import READ_AHEAD, RUNNERS, RunnersWorker, share

TOLERANCE = 1e-13  # of the norm; both transforms err by about 2^-53 log N


def merged(tiles: np.ndarray) -> np.ndarray:
    """The transform of the whole vector from those of its tiles, row t that of x[t::T], T a power of two.
    Each of log2 T passes merges pairs: tile t has the even points of x[t::T/2], tile t + T/2 the odd."""
    while len(tiles) > 1:
        half, length = len(tiles) // 2, tiles.shape[1]
        twiddles = np.exp(-1j * np.pi / length * np.arange(length))
        odd = tiles[half:] * twiddles
        tiles = np.concatenate((tiles[:half] + odd, tiles[:half] - odd), axis=1)
    return tiles[0]


def vector(folder: Path, tiles: int) -> np.ndarray:
    """The whole input."""
    return np.stack([np.load(folder / f"x-{t}.npy") for t in range(tiles)], axis=1).ravel()


class Runner:
    """A share of the tiles, for one thread of Python."""

    def __init__(self, place: Place, number: int):
        tf = place.tf
        mine = share(list(range(place.plan.options["tiles"])), place.workers * RUNNERS,
                     place.index * RUNNERS + number)
        self._count, self._start = len(mine), tf.no_op()
        if mine:
            with place.own:
                self._build(tf, place, np.array(mine, np.int32))

    def _build(self, tf: Any, place: Place, mine: np.ndarray) -> None:
        folder = Path(place.plan.data)

        def with_tile(t: Any) -> Any:
            return t, tf.numpy_function(lambda t: np.load(folder / f"x-{t}.npy"), [t], tf.complex128)

        data = tf.data.Dataset.from_tensor_slices(mine).map(with_tile).prefetch(READ_AHEAD)
        iterator = tf.data.make_initializable_iterator(data)
        self._start = iterator.initializer
        t, tile = iterator.get_next()
        tile.set_shape((_length(place),))
        self._push = _queue(place).enqueue((t, tf.signal.fft(tile)))

    def prepare(self, session: Any) -> None:
        session.run(self._start)
        if self._count:
            self._call = session.make_callable(self._push)

    def run(self) -> None:
        for _ in range(self._count):
            self._call()


class Worker(RunnersWorker):
    def __init__(self, place: Place):
        super().__init__(lambda number: Runner(place, number))


class Merger:
    def __init__(self, place: Place):
        self._place = place
        self._tiles = place.plan.options["tiles"]
        self._result = np.empty(0, np.complex128)
        self._take = _queue(place).dequeue()

    def prepare(self, session: Any) -> None:
        self._call = session.make_callable(self._take)

    def run(self, _session: Any) -> Optional[float]:
        found: dict[int, np.ndarray] = {}
        while len(found) < self._tiles:
            t, tile = self._call()
            found[int(t)] = tile
        collected = time.monotonic()
        self._result = merged(np.stack([found[t] for t in range(self._tiles)]))
        return collected

    def check(self, _session: Any) -> Check:
        expected = np.fft.fft(vector(Path(self._place.plan.data), self._tiles))
        difference = np.linalg.norm(self._result - expected) / np.linalg.norm(expected)
        return Check(float(difference), TOLERANCE)


def _length(place: Place) -> int:
    """The length of a tile."""
    return place.plan.options["size"] // place.plan.options["tiles"]


def _queue(place: Place) -> Any:
    """Makes the queue of tiles and their numbers; the merger has it."""
    return place.queue("tiles", [place.tf.int32, place.tf.complex128], [(), (_length(place),)])


ROLES = {WORKER: Worker, REDUCER: Merger}

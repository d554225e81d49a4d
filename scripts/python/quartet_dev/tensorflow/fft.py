"""fft as the paper's data flow (IV, Fig. 6): workers load interleaved tiles x[t::T] from files, transform them and push
them to the queue of a merger, which merges them into one transform with NumPy.

The merger keeps the tiles as they arrive and assembles them at the end: the paper found that copying each into an array
at once delays all others. The paper's clock stops when the last tile has arrived."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from quartet_dev.tensorflow.cluster import Place, Role, TileWorker
from quartet_dev.tensorflow.document import REDUCER, WORKER

TOLERANCE = 1e-13  # relative to the norm; the error of both transforms is about 2^-53 log N


def merged(tiles: np.ndarray) -> np.ndarray:
    """The transform of the whole vector from the transforms of its tiles: row t is that of x[t::T], T a power of two.
    Each of log2 T passes merges pairs: tile t has the even points of x[t::T/2], tile t + T/2 the odd points."""
    while len(tiles) > 1:
        half, length = len(tiles) // 2, tiles.shape[1]
        odd = tiles[half:] * np.exp(-1j * np.pi / length * np.arange(length))
        tiles = np.concatenate((tiles[:half] + odd, tiles[:half] - odd), axis=1)
    return tiles[0]


def vector(folder: Path, tiles: int) -> np.ndarray:
    """The whole input."""
    return np.stack([np.load(folder / f"x-{t}.npy") for t in range(tiles)], axis=1).ravel()


def _length(place: Place) -> int:
    """The length of a tile."""
    return place.plan.options["size"] // place.plan.options["tiles"]


def _queue(place: Place) -> Any:
    """The queue of tiles and their numbers, on the merger."""
    return place.queue("tiles", [place.tf.int32, place.tf.complex128], [(), (_length(place),)])


class Worker(TileWorker):
    def __init__(self, place: Place):
        tf, folder = place.tf, place.data
        super().__init__(place, list(range(place.plan.options["tiles"])), lambda t: [np.load(folder / f"x-{t}.npy")],
                         tf.complex128, (_length(place),),
                         lambda t, tile: [_queue(place).enqueue((t, tf.signal.fft(tile)))], lambda _t: 0)


class Merger(Role):
    def __init__(self, place: Place):
        self._folder, self._tiles = place.data, place.plan.options["tiles"]
        self._take = _queue(place).dequeue()

    def prepare(self, session: Any) -> None:
        self._call = session.make_callable(self._take)

    def run(self, session: Any) -> float:
        found: dict[int, np.ndarray] = {}
        while len(found) < self._tiles:
            t, tile = self._call()
            found[int(t)] = tile
        collected = time.monotonic()
        self._result = merged(np.stack([found[t] for t in range(self._tiles)]))
        return collected

    def check(self, session: Any) -> tuple[float, float]:
        expected = np.fft.fft(vector(self._folder, self._tiles))
        return float(np.linalg.norm(self._result - expected) / np.linalg.norm(expected)), TOLERANCE


ROLES = {WORKER: Worker, REDUCER: Merger}

"""The paper's programs whose workers push tiles to few that take them in: simulated by events."""

from collections import deque
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heappop, heappush
from math import log2

from quartet.predict.paper.program import Constant, Constants, Program, Setting, grid
from quartet.predict.paper.store_and_forward import seconds_per_byte
from quartet.predict.rates import Values

LOAD, REDUCE, MERGE = "load", "reduce", "merge"
PLACES = 16  # of a queue
REDUCERS = 2  # whose queues lie on one host
LOADING = 2.0e-9  # s/B of the transform's tiles: as the product's fit has it


@dataclass(frozen=True)
class Stages:
    """Seconds of an item in each."""

    working: float  # of one of the workers
    crossing: float  # the one link to those that take items in
    taking: float  # of one of those


@cache
def makespan(items: int, workers: int, takers: int, places: int, stages: Stages) -> float:
    """Seconds until the last item is taken in. Worker w makes the items w, w + workers ..; item i
    waits for one of the places in the queue of taker i mod takers."""
    link_free, taker_free = 0.0, [0.0] * takers
    leaving: list[deque[float]] = [deque() for _ in range(takers)]  # when places become free
    ready = [(stages.working, item) for item in range(min(workers, items))]
    heapify(ready)
    while ready:
        moment, item = heappop(ready)
        taker = item % takers
        queue = leaving[taker]
        while queue and queue[0] <= moment:
            queue.popleft()
        if len(queue) >= places:
            moment = queue.popleft()
        link_free = max(link_free, moment) + stages.crossing
        taker_free[taker] = max(taker_free[taker], link_free) + stages.taking
        queue.append(taker_free[taker])
        if item + workers < items:
            heappush(ready, (link_free + stages.working, item + workers))
    return max(taker_free)


def _stages(values: Values, size: float, loaded: float, load: float, computing: float, taking: float) -> Stages:
    """The stages of tiles of `size` bytes. Loading others is hidden behind computing and pushing, or hides them."""
    loading = loaded * (load + 1 / values["host_link_bytes_per_second"])
    pushing = size * seconds_per_byte(values, "device")
    return Stages(max(loading, computing + pushing), size / values["link_bytes_per_second"], size * taking)


def _product(values: Values, constants: Constants, setting: Setting, workers: int) -> float:
    size, edge = 4.0 * setting.tile**2, setting.size // setting.tile
    computing = 2.0 * setting.tile**3 / values["sgemm_flops_per_second"]
    stages = _stages(values, size, 2 * size, constants[LOAD], computing, constants[REDUCE])
    return makespan(edge**3, workers, REDUCERS, PLACES, stages)


def _transform(values: Values, constants: Constants, setting: Setting, workers: int) -> float:
    size = 16.0 * setting.tile
    computing = 5.0 * setting.tile * log2(setting.tile) / values["fft_flops_per_second"]
    stages = _stages(values, size, size, LOADING, computing, constants[MERGE])
    return makespan(setting.size // setting.tile, workers, 1, PLACES * workers, stages)


def Reduced() -> Program:
    return Program(_product, {
        LOAD: Constant("loading a tile", "ns/B", 1e-9, grid(0.4, 4.0, 0.2, 1e-9)),
        REDUCE: Constant("reducing a tile in Python", "ns/B", 1e-9, grid(0.8, 5.0, 0.2, 1e-9))},
                   "Explained, not predicted: five numbers do not pin two constants",
                   options=lambda setting: {"tile": str(setting.tile)})


def Merged() -> Program:
    return Program(_transform, {
        MERGE: Constant("merging a tile", "ns/B", 1e-9, grid(0.1, 2.0, 0.02, 1e-9))},
                   "Hardly tested: two numbers and one constant", flattens=True)

"""The place of a process in the TensorFlow cluster, and base classes of the roles of processes.

Each process builds its own graph and runs it in its own session. Processes share queues, which have the same name in
all graphs (between-graph replication)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Optional

import numpy as np

from quartet_dev.tensorflow.document import REDUCER, WORKER, Plan

RUNNERS = 2  # Python threads of a worker: while one waits until its tile is taken, the other computes
READ_AHEAD = 2  # tiles, or pairs of them, of a runner


class Place:
    def __init__(self, tf: ModuleType, plan: Plan, job: str, index: int):
        """Starts the process's server."""
        self.tf, self.plan, self.job, self.index = tf, plan, job, index
        self.data, self.workers, self.reducers = Path(plan.data), len(plan.workers), len(plan.reducers)
        config = tf.ConfigProto(intra_op_parallelism_threads=plan.threads,
                                inter_op_parallelism_threads=plan.threads, device_count={"GPU": 0})
        cluster = tf.train.ClusterSpec({REDUCER: plan.reducers, WORKER: plan.workers})
        self.server = tf.train.Server(cluster, job_name=job, task_index=index, config=config)

    @property
    def own(self) -> Any:
        """The context that places operations on this process."""
        return self.at(self.job, self.index)

    def at(self, job: str, index: int) -> Any:
        return self.tf.device(f"/job:{job}/task:{index}/device:CPU:0")

    def queue(self, name: str, types: list[Any], shapes: list[Any], capacity: int = 0,
              task: tuple[str, int] = (REDUCER, 0)) -> Any:
        """The FIFO queue of that name, which `task` holds."""
        with self.at(*task):
            return self.tf.FIFOQueue(capacity or self.plan.queue, types, shapes, shared_name=name)

    def loaded(self, load: Any, kind: Any, shape: tuple[int, ...]) -> Any:
        """A tensor with the value that the function `load` returns, on this process."""
        tensor = self.tf.numpy_function(load, [], kind)
        tensor.set_shape(shape)
        return tensor

    def variable(self, initial: Any) -> Any:
        return self.tf.Variable(initial, use_resource=True, trainable=False)


class Barrier:
    """Holds all processes until each has come. They wait in queues, without spinning."""

    def __init__(self, place: Place):
        tf, everyone = place.tf, place.plan.tasks
        own, first = (place.job, place.index), everyone[0]

        def queue(name: str, task: tuple[str, int]) -> Any:
            return place.queue(name, [tf.int32], [()], len(everyone), task)

        arrivals = queue("arrivals", first)
        self._steps = [arrivals.enqueue(0)]
        if own == first:
            departures = [queue(f"departures-{job}-{index}", (job, index)) for job, index in everyone]
            self._steps += [arrivals.dequeue_many(len(everyone)), tf.group(*(each.enqueue(0) for each in departures))]
        self._steps.append(queue(f"departures-{own[0]}-{own[1]}", own).dequeue())

    def wait(self, session: Any) -> None:
        for step in self._steps:
            session.run(step)


class Role:
    """The work of a process in each run: it prepares, and after a barrier all processes run."""

    def prepare(self, session: Any) -> None:
        pass

    def run(self, session: Any) -> Optional[float]:
        """Makes a run. Returns the time at which the paper's own clock stops, if this process has it."""

    def check(self, session: Any) -> Optional[tuple[float, float]]:
        """The worst difference to NumPy's result, and how large it may be; None if it holds no result."""


class TileWorker(Role):
    """Processes its share of items in two Python threads: while one waits until its tile is taken, the other computes.
    The tiles of items are read ahead from files."""

    def __init__(self, place: Place, items: list[Any], load: Callable[[Any], Any], kind: Any, shape: tuple[int, ...],
                 pushes: Callable[..., list[Any]], target: Callable[[Any], int]):
        """`load` reads the tiles of an item, which have one type and shape. `pushes` makes an operation for each
        reducer from an item and its tiles; `target` of the item chooses the one that runs."""
        self._runners = []
        for number in range(RUNNERS):
            mine = items[place.index * RUNNERS + number::place.workers * RUNNERS]
            if mine:
                operations = self._operations(place, mine, load, kind, shape, pushes)
                self._runners.append(([target(item) for item in mine], *operations))

    @staticmethod
    def _operations(place: Place, mine: list[Any], load: Callable[[Any], Any], kind: Any, shape: tuple[int, ...],
                    pushes: Callable[..., list[Any]]) -> tuple[Any, list[Any]]:
        tf, count = place.tf, len(load(mine[0]))
        with place.own:
            data = tf.data.Dataset.from_tensor_slices(np.array(mine, np.int32)).map(
                lambda item: (item, *tf.numpy_function(load, [item], [kind] * count))).prefetch(READ_AHEAD)
            iterator = tf.data.make_initializable_iterator(data)
            item, *tiles = iterator.get_next()
            for tile in tiles:
                tile.set_shape(shape)
            return iterator.initializer, pushes(item, *tiles)

    def prepare(self, session: Any) -> None:
        self._calls = []
        for targets, start, pushes in self._runners:
            session.run(start)
            self._calls.append((targets, [session.make_callable(push) for push in pushes]))

    def run(self, session: Any) -> None:
        def push_all(targets: list[int], calls: list[Callable[[], None]]) -> None:
            for target in targets:
                calls[target]()

        with ThreadPoolExecutor(RUNNERS) as pool:
            for ended in [pool.submit(push_all, *each) for each in self._calls]:
                ended.result()  # raises the exception of a thread

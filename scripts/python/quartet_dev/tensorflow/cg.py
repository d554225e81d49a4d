"""cg as the paper's data flow (IV, Fig. 5): workers hold blocks of rows in double precision. Scalars and pieces of the
direction go through a queue to a reducer, and the results come back through another queue.

An iteration is one run of a graph in each process, with all state in variables. A worker sends p.Ap and waits for
alpha, sends r.r and waits for beta, then sends its piece of p and waits for the whole p."""

from pathlib import Path
from typing import Any

import numpy as np

from quartet_dev.tensorflow.cluster import Place, Role
from quartet_dev.tensorflow.document import REDUCER, WORKER

# A share of the largest element. Sums in another order differ by rounding, which the iterations amplify: with the
# problem `random` to 1e-11 in 60 iterations, to 1e-3 in 100.
TOLERANCE = 1e-8


def whole(folder: Path, name: str) -> np.ndarray:
    """The matrix A or the right-hand side b from its blocks of rows, however many there are."""
    count = len(list(folder.glob(f"{name}-*.npy")))
    return np.concatenate([np.load(folder / f"{name}-{rank}.npy") for rank in range(count)])


def block(size: int, workers: int, index: int) -> slice:
    """The rows of a worker."""
    return slice(index * size // workers, (index + 1) * size // workers)


def solution(matrix: np.ndarray, right: np.ndarray, iterations: int) -> np.ndarray:
    """NumPy's solution after so many iterations from zero; never divides by zero, however early it converges."""
    x, r, p = np.zeros_like(right), right.copy(), right.copy()
    squared = r @ r
    for _ in range(iterations):
        q = matrix @ p
        curvature = p @ q
        alpha = squared / curvature if curvature else 0.0
        x += alpha * p
        r -= alpha * q
        previous, squared = squared, r @ r
        p = r + (squared / previous if previous else 0.0) * p
    return x


class Process(Role):
    """Runs the graph `_iterate` for each iteration, after the graph `_prepare` has set the state. For each reduction it
    has two queues, to the reducer and back."""

    _prepare: Any
    _iterate: Any

    def __init__(self, place: Place):
        tf, self.size = place.tf, place.plan.options["size"]
        self.place, self._iterations = place, place.plan.options["iterations"]
        capacity = max(place.plan.queue, place.workers)

        def pair(name: str, there: tuple[list[Any], list[Any]], back: tuple[list[Any], list[Any]]) -> tuple[Any, Any]:
            return (place.queue(f"{name}-in", *there, capacity=capacity),
                    place.queue(f"{name}-out", *back, capacity=capacity))

        scalar: tuple[list[Any], list[Any]] = ([tf.float64], [()])
        rows = self.size // place.workers
        self.alpha, self.beta = pair("alpha", scalar, scalar), pair("beta", scalar, scalar)
        self.direction = pair("direction", ([tf.int32, tf.float64], [(), (rows,)]), ([tf.float64], [(self.size,)]))

    def prepare(self, session: Any) -> None:
        session.run(self._prepare)
        self._step = session.make_callable(self._iterate)

    def run(self, session: Any) -> None:
        for _ in range(self._iterations):
            self._step()


class Worker(Process):
    def __init__(self, place: Place):
        super().__init__(place)
        tf, folder, size = place.tf, place.data, self.size
        self._rows = rows = block(size, place.workers, place.index)
        count = rows.stop - rows.start
        with place.own:
            matrix = place.variable(place.loaded(lambda: whole(folder, "A")[rows].copy(), tf.float64, (count, size)))
            right = place.variable(place.loaded(lambda: whole(folder, "b"), tf.float64, (size,)))
            zero = tf.zeros((count,), tf.float64)
            self._x, r = place.variable(zero), place.variable(zero)
            direction = place.variable(tf.zeros((size,), tf.float64))
            self._prepare = tf.group(self._x.assign(zero), r.assign(right[rows]), direction.assign(right))

            p = direction.read_value()
            own, q = p[rows], tf.linalg.matvec(matrix, p)
            alpha = self._reduced(self.alpha, tf.reduce_sum(own * q))
            x_done = self._x.assign_add(alpha * own)
            residual = r.assign_sub(alpha * q).read_value()
            beta = self._reduced(self.beta, tf.reduce_sum(residual * residual))
            merged = self._reduced(self.direction, (place.index, residual + beta * own))
            self._iterate = tf.group(x_done, direction.assign(merged))

    def _reduced(self, queues: tuple[Any, Any], value: Any) -> Any:
        """Sends the value; returns the reduced one."""
        with self.place.tf.control_dependencies([queues[0].enqueue(value)]):
            return queues[1].dequeue()

    def check(self, session: Any) -> tuple[float, float]:
        """Compares its part of the solution with NumPy's."""
        folder = self.place.data
        expected = solution(whole(folder, "A"), whole(folder, "b"), self._iterations)
        found = session.run(self._x.read_value())
        return float(np.abs(found - expected[self._rows]).max() / np.abs(expected).max()), TOLERANCE


class Reducer(Process):
    def __init__(self, place: Place):
        super().__init__(place)
        tf, workers = place.tf, place.workers

        def total(queue: Any) -> Any:
            return tf.reduce_sum(queue.dequeue_many(workers))

        with place.own:
            right = whole(place.data, "b")
            initial = tf.constant(right @ right)  # r.r before the first iteration
            squared = place.variable(initial)
            self._prepare = squared.assign(initial)

            before = squared.read_value()
            alpha = tf.math.divide_no_nan(before, total(self.alpha[0]))
            after = total(self.beta[0])
            beta = tf.math.divide_no_nan(after, before)
            index, pieces = self.direction[0].dequeue_many(workers)
            merged = tf.reshape(tf.gather(pieces, tf.argsort(index)), (1, -1))
            self._iterate = tf.group(
                self.alpha[1].enqueue_many(tf.fill((workers,), alpha)),
                self.beta[1].enqueue_many(tf.fill((workers,), beta)),
                self.direction[1].enqueue_many(tf.tile(merged, (workers, 1))), squared.assign(after))


ROLES = {WORKER: Worker, REDUCER: Reducer}

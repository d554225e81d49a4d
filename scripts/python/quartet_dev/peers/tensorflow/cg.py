"""cg as the paper's data flow (IV, Fig. 5): workers hold blocks of rows in double precision; scalars and
pieces of the direction go through a queue to a reducer, and their sums through another one back.

An iteration is one run of a graph in each process, with all state in variables. In it a worker sends
p.Ap and waits for alpha, sends r.r and waits for beta, sends its piece of p and waits for the whole."""

from pathlib import Path
from typing import Any, Optional

import numpy as np

from quartet_dev.peers.tensorflow.cluster import Place
from quartet_dev.peers.tensorflow.plan import REDUCER, WORKER, Check

# Of the largest element. Sums in another order differ by rounding, which the iterations amplify: with problem
# `random` to 1e-11 in 60 of them, to 1e-3 in 100.
TOLERANCE = 1e-8


def whole(folder: Path, name: str) -> np.ndarray:
    """The matrix A or the right-hand side b from its blocks of rows, however many there are."""
    count = len(list(folder.glob(f"{name}-*.npy")))
    return np.concatenate([np.load(folder / f"{name}-{rank}.npy") for rank in range(count)])


def block(size: int, workers: int, index: int) -> slice:
    """The rows of a worker."""
    return slice(index * size // workers, (index + 1) * size // workers)


def solution(matrix: np.ndarray, right: np.ndarray, iterations: int) -> np.ndarray:
    """After so many iterations from zero, by NumPy; never divides by zero, however soon it converges."""
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


class Reductions:
    """The queues between workers and reducer, two for each reduction."""

    def __init__(self, place: Place):
        tf, size = place.tf, place.plan.options["size"]
        rows = size // place.workers
        capacity = max(place.plan.queue, place.workers)

        def pair(name: str, there: tuple[list[Any], list[Any]], back: tuple[list[Any], list[Any]]) -> tuple[Any, Any]:
            return (place.queue(f"{name}-in", *there, capacity=capacity),
                    place.queue(f"{name}-out", *back, capacity=capacity))

        scalar = ([tf.float64], [()])
        self.alpha = pair("alpha", scalar, scalar)
        self.beta = pair("beta", scalar, scalar)
        self.direction = pair("direction", ([tf.int32, tf.float64], [(), (rows,)]), ([tf.float64], [(size,)]))


class Iterating:
    """A process that runs a graph for each iteration, from the state that another one makes."""

    _prepare: Any
    _iterate: Any

    def __init__(self, place: Place):
        self._iterations = place.plan.options["iterations"]

    def prepare(self, session: Any) -> None:
        session.run(self._prepare)
        self._step = session.make_callable(self._iterate)

    def run(self, _session: Any) -> Optional[float]:
        for _ in range(self._iterations):
            self._step()
        return None


class Worker(Iterating):
    def __init__(self, place: Place):
        super().__init__(place)
        self._place, size = place, place.plan.options["size"]
        self._rows = block(size, place.workers, place.index)
        self._build(place.tf, place, size)

    def _build(self, tf: Any, place: Place, size: int) -> None:
        folder, rows = Path(place.plan.data), self._rows
        queues, count = Reductions(place), rows.stop - rows.start
        with place.own:
            matrix = place.variable(place.loaded(
                lambda: whole(folder, "A")[rows].copy(), tf.float64, (count, size)))
            right = place.variable(place.loaded(lambda: whole(folder, "b"), tf.float64, (size,)))
            zero = tf.zeros((count,), tf.float64)
            self._x, r = place.variable(zero), place.variable(zero)
            direction = place.variable(tf.zeros((size,), tf.float64))
            self._prepare = tf.group(self._x.assign(zero), r.assign(right[rows]), direction.assign(right))

            p = direction.read_value()
            own, q = p[rows], tf.linalg.matvec(matrix, p)
            alpha = self._reduced(tf, queues.alpha, tf.reduce_sum(own * q))
            x_done = self._x.assign_add(alpha * own)
            residual = r.assign_sub(alpha * q).read_value()
            beta = self._reduced(tf, queues.beta, tf.reduce_sum(residual * residual))
            piece = residual + beta * own
            merged = self._reduced(tf, queues.direction, (place.index, piece))
            self._iterate = tf.group(x_done, direction.assign(merged))

    @staticmethod
    def _reduced(tf: Any, queues: tuple[Any, Any], value: Any) -> Any:
        """Sends the value and returns what comes back for it."""
        sent = queues[0].enqueue(value)
        with tf.control_dependencies([sent]):
            return queues[1].dequeue()

    def check(self, session: Any) -> Check:
        """Compares its part of the solution with NumPy's."""
        folder = Path(self._place.plan.data)
        expected = solution(whole(folder, "A"), whole(folder, "b"), self._iterations)
        found = session.run(self._x.read_value())
        worst = np.abs(found - expected[self._rows]).max() / np.abs(expected).max()
        return Check(float(worst), TOLERANCE)


class Reducer(Iterating):
    def __init__(self, place: Place):
        super().__init__(place)
        tf, workers = place.tf, place.workers
        queues = Reductions(place)

        def total(queue: Any) -> Any:
            return tf.reduce_sum(queue.dequeue_many(workers))

        with place.own:
            right = whole(Path(place.plan.data), "b")
            initial = tf.constant(right @ right)  # r.r before the first iteration
            squared = place.variable(initial)
            self._prepare = squared.assign(initial)

            before = squared.read_value()
            alpha = tf.math.divide_no_nan(before, total(queues.alpha[0]))
            after = total(queues.beta[0])
            beta = tf.math.divide_no_nan(after, before)
            index, pieces = queues.direction[0].dequeue_many(workers)
            merged = tf.reshape(tf.gather(pieces, tf.argsort(index)), (1, -1))
            self._iterate = tf.group(
                queues.alpha[1].enqueue_many(tf.fill((workers,), alpha)),
                queues.beta[1].enqueue_many(tf.fill((workers,), beta)),
                queues.direction[1].enqueue_many(tf.tile(merged, (workers, 1))),
                squared.assign(after))

    def check(self, _session: Any) -> Optional[Check]:
        return None


ROLES = {WORKER: Worker, REDUCER: Reducer}

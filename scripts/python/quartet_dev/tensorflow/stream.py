"""stream as in the paper (IV, VI.A): a worker pushes its vector to the parameter server, which adds it to a variable. A
push is one run of a graph, and is acknowledged before the next one."""

import time
from typing import Any

import numpy as np

from quartet_dev.tensorflow.cluster import Place, Role
from quartet_dev.tensorflow.document import REDUCER, WORKER


def pattern(size: int) -> np.ndarray:
    """A vector of so many bytes: small whole numbers, whose sums are exact in single precision."""
    return (np.arange(size // 4) % 7 + 1).astype(np.float32)


def sums(place: Place) -> Any:
    """The variable on the parameter server, shared by all processes."""
    tf = place.tf
    with place.at(REDUCER, 0):
        return tf.get_variable("sums", (place.plan.options["size"] // 4,), tf.float32, tf.zeros_initializer(),
                               use_resource=True)


class Worker(Role):
    def __init__(self, place: Place):
        size, target = place.plan.options["size"], sums(place)
        self._pushes = place.plan.options["pushes"]
        with place.own:
            own = place.variable(place.loaded(lambda: pattern(size), place.tf.float32, (size // 4,)))
            value = own.read_value()
        self._push = target.assign_add(value, read_value=False)

    def prepare(self, session: Any) -> None:
        self._call = session.make_callable(self._push)

    def run(self, session: Any) -> float:
        for _ in range(self._pushes):
            self._call()
        return time.monotonic()  # the paper's clock is the sender's


class Server(Role):
    def __init__(self, place: Place):
        self._plan, self._sums = place.plan, sums(place)  # TensorFlow adds on its cores during runs

    def check(self, session: Any) -> tuple[float, float]:
        """Checks that each push of each run was added once."""
        pushes = self._plan.options["pushes"] * (self._plan.warmup + self._plan.runs)
        expected = pattern(self._plan.options["size"]) * np.float32(pushes)
        return float(np.abs(session.run(self._sums) - expected).max()), 0.0


ROLES = {WORKER: Worker, REDUCER: Server}

"""stream as the paper has it (IV, VI.A): a worker pushes its vector to a variable of the parameter server,
which adds it there. A push is one run of a graph; its end is acknowledged before the next one."""

import time
from typing import Any, Optional

import numpy as np

from quartet_dev.peers.tensorflow.cluster import Place
from quartet_dev.peers.tensorflow.plan import REDUCER, WORKER, Check


def pattern(elements: int) -> np.ndarray:
    """Makes what is pushed: small whole numbers, so that single precision has each sum exactly."""
    return (np.arange(elements) % 7 + 1).astype(np.float32)


def elements(size: int) -> int:
    """The elements of a vector of so many bytes."""
    return size // 4


class Sums:
    """The parameter server's variable, which all processes know."""

    def __init__(self, place: Place):
        shape = (elements(place.plan.options["size"]),)
        with place.at_reducer():
            self.variable = place.tf.get_variable(
                "sums", shape, place.tf.float32, place.tf.zeros_initializer(), use_resource=True)


class Worker:
    def __init__(self, place: Place):
        count = elements(place.plan.options["size"])
        self._pushes = place.plan.options["pushes"]
        sums = Sums(place).variable
        with place.own:
            own = place.variable(place.loaded(lambda: pattern(count), place.tf.float32, (count,)))
            value = own.read_value()
        self._push = sums.assign_add(value, read_value=False)

    def prepare(self, session: Any) -> None:
        self._call = session.make_callable(self._push)

    def run(self, _session: Any) -> Optional[float]:
        for _ in range(self._pushes):
            self._call()
        return time.monotonic()  # the sender's is the paper's clock

    def check(self, _session: Any) -> Optional[Check]:
        return None


class Server:
    def __init__(self, place: Place):
        self._place = place
        self._sums = Sums(place).variable

    def prepare(self, _session: Any) -> None:
        pass

    def run(self, _session: Any) -> Optional[float]:
        return None  # its cores add meanwhile

    def check(self, session: Any) -> Check:
        """Every push of every run has arrived, once."""
        plan = self._place.plan
        pushes = plan.options["pushes"] * (plan.warmup + plan.runs)
        expected = pattern(elements(plan.options["size"])) * np.float32(pushes)
        return Check(float(np.abs(session.run(self._sums) - expected).max()), 0.0)


ROLES = {WORKER: Worker, REDUCER: Server}

"""A process's place in a TensorFlow cluster: its server, its queues, a barrier.

Each process builds a graph of its own and runs it in a session of its own. They meet in queues, which a
name makes the same one for all (between-graph replication)."""

from types import ModuleType
from typing import Any, Optional

from quartet_dev.peers.tensorflow.plan import REDUCER, WORKER, Plan


class Place:
    def __init__(self, tf: ModuleType, plan: Plan, job: str, index: int):
        """Starts the process's server."""
        self.tf, self.plan, self.job, self.index = tf, plan, job, index
        config = tf.ConfigProto(intra_op_parallelism_threads=plan.threads,
                                inter_op_parallelism_threads=plan.threads,
                                device_count={"GPU": 0})
        cluster = tf.train.ClusterSpec({REDUCER: plan.reducers, WORKER: plan.workers})
        self.server = tf.train.Server(cluster, job_name=job, task_index=index, config=config)

    @property
    def workers(self) -> int:
        return len(self.plan.workers)

    @property
    def reducers(self) -> int:
        return len(self.plan.reducers)

    @property
    def own(self) -> Any:
        """The context in which operations are this process's."""
        return self.tf.device(_device(self.job, self.index))

    def at_reducer(self, index: int = 0) -> Any:
        return self.tf.device(_device(REDUCER, index))

    def queue(self, name: str, types: list[Any], shapes: list[Any], capacity: Optional[int] = None,
              task: tuple[str, int] = (REDUCER, 0)) -> Any:
        """The FIFO queue of that name, which `task` holds."""
        with self.tf.device(_device(*task)):
            return self.tf.FIFOQueue(capacity or self.plan.queue, types, shapes, shared_name=name)

    def loaded(self, load: Any, kind: Any, shape: tuple[int, ...]) -> Any:
        """A tensor of this process's that holds what the function `load` returns."""
        tensor = self.tf.numpy_function(load, [], kind)
        tensor.set_shape(shape)
        return tensor

    def variable(self, initial: Any) -> Any:
        return self.tf.Variable(initial, use_resource=True, trainable=False)


class Barrier:
    """Holds all processes until each has come. All wait in queues: nothing spins."""

    def __init__(self, place: Place):
        tf, everyone = place.tf, place.plan.tasks
        own, first = (place.job, place.index), everyone[0]

        def queue(name: str, task: tuple[str, int]) -> Any:
            return place.queue(name, [tf.int32], [()], len(everyone), task)

        arrivals = queue("arrivals", first)
        self._arrive = arrivals.enqueue(0)
        self._leave = queue(f"departures-{own[0]}-{own[1]}", own).dequeue()
        self._release: list[Any] = []
        if own == first:
            self._release = [arrivals.dequeue_many(len(everyone)),
                             tf.group(*(queue(f"departures-{job}-{index}", (job, index)).enqueue(0)
                                        for job, index in everyone))]

    def wait(self, session: Any) -> None:
        session.run(self._arrive)
        for step in self._release:
            session.run(step)
        session.run(self._leave)


def _device(job: str, index: int) -> str:
    return f"/job:{job}/task:{index}/device:CPU:0"

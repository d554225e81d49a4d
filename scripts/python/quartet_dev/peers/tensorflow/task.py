"""task.py PLAN JOB INDEX RECORD: one process of a launch; the Python that runs it has TensorFlow.

All processes begin a run after a barrier; each times it by its own monotonic clock."""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from quartet_dev.peers.tensorflow.cluster import Barrier, Place
from quartet_dev.peers.tensorflow.plan import Plan, Record


def measure(place: Place, session: Any, role: Any, barrier: Barrier, begun: float) -> Record:
    """Makes all runs. Those that warm up are left out of the result."""
    plan = place.plan
    seconds: list[float] = []
    cpu: list[float] = []
    paper: list[float] = []
    setup = 0.0
    for number in range(plan.warmup + plan.runs):
        role.prepare(session)
        setup = setup or time.monotonic() - begun
        barrier.wait(session)
        start, busy = time.monotonic(), time.process_time()
        moment = role.run(session)  # that the paper's clock stops at, if it is this process's
        if number >= plan.warmup:
            seconds.append(time.monotonic() - start)
            cpu.append(time.process_time() - busy)
            paper += [] if moment is None else [moment - start]
    barrier.wait(session)  # all is where it goes before anything is checked
    check = role.check(session)
    return Record(place.tf.__version__, setup, seconds, cpu, paper, [] if check is None else [check])


def main() -> None:
    plan, job, index, file = Plan.read(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3]), sys.argv[4]
    if plan.cpus:
        os.sched_setaffinity(0, plan.cpus)  # before any thread of TensorFlow's
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    begun = time.monotonic()
    place = Place(tf, plan, job, index)
    role = import_module(f"quartet_dev.peers.tensorflow.{plan.kernel}").ROLES[job](place)
    barrier = Barrier(place)
    initial = tf.global_variables_initializer()
    with tf.Session(place.server.target) as session:
        session.run(initial)
        measure(place, session, role, barrier, begun).write(Path(file))
        barrier.wait(session)  # no process ends while others need it
    sys.stdout.flush()
    os._exit(0)  # a server has no end of its own


if __name__ == "__main__":
    main()

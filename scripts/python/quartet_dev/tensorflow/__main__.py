"""python -m quartet_dev.tensorflow PLAN: one process of a launch by an MPI launcher, under a Python with TensorFlow. A
barrier precedes each run, which every process times by its own monotonic clock. In the end the first process writes the
document; it exits with 1 if a result differs from NumPy's."""

import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from quartet_dev.tensorflow.cluster import Barrier, Place
from quartet_dev.tensorflow.document import Plan, Record, document, write

RANK = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")  # variables of launchers


def measure(place: Place, session: Any, role: Any, barrier: Barrier, begun: float) -> Record:
    """Makes all runs. The record does not have those that warm up."""
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
        moment = role.run(session)  # when the paper's clock stops, if this process has it
        if number >= plan.warmup:
            seconds.append(time.monotonic() - start)
            cpu.append(time.process_time() - busy)
            paper += [] if moment is None else [moment - start]
    barrier.wait(session)  # all data have arrived before anything is checked
    return Record(place.tf.__version__, setup, seconds, cpu, paper, role.check(session))


def main() -> None:
    plan = Plan(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    rank = next(int(os.environ[name]) for name in RANK if name in os.environ)
    job, index = plan.tasks[rank]
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    os.environ.update(OMP_NUM_THREADS=str(plan.threads), CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="2")
    if plan.cpus:
        os.sched_setaffinity(0, plan.cpus)  # before any thread of TensorFlow's
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    begun = time.monotonic()
    place = Place(tf, plan, job, index)
    role = import_module(f"quartet_dev.tensorflow.{plan.kernel}").ROLES[job](place)
    barrier = Barrier(place)
    initial = tf.global_variables_initializer()
    with tf.Session(place.server.target) as session:
        session.run(initial)
        write(plan.record(rank), measure(place, session, role, barrier, begun))
        barrier.wait(session)  # no process ends while others need it; then all records are written
    sys.stdout.flush()
    os._exit(_finish(plan) if rank == 0 else 0)  # a server cannot be stopped otherwise


def _finish(plan: Plan) -> int:
    files = [plan.record(rank) for rank in range(len(plan.tasks))]
    records = [Record(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
    for file in files:
        file.unlink()
    ours = json.loads(Path(plan.companion).read_text(encoding="utf-8"))
    Path(plan.document).write_text(json.dumps(document(ours, plan, records), indent=1) + "\n", encoding="utf-8")
    return 0 if all(record.passed for record in records) else 1


if __name__ == "__main__":
    main()

"""The model of conjugate gradients; cg/README.md derives it."""

from quartet.predict import collectives
from quartet.predict.data_flow import DataFlow
from quartet.predict.duration import Duration
from quartet.predict.model import Model, Options, Run, shown
from quartet.results import Case
from quartet.text import size_in_bytes

# Bytes of vectors that an iteration reads and writes for each row.
FUSED = 16 + 48 + 24  # p.q; x, r and r.r in one pass; p
SEPARATE = 16 + 24 + 24 + 8 + 24  # a pass for each: p.q, x, r, r.r, p
PUSHED = 16  # a data flow's worker copies its part of p


def _matrix(size: int, options: Options) -> float:
    """Bytes of all ranks."""
    return (4.0 if options["storage"] == "symmetric" else 8.0) * size**2


def _local(run: Run, workers: int, vectors: int, launches: int) -> Duration:
    """The time of an iteration without other ranks."""
    cluster = run.cluster
    size = (_matrix(run.size, run.options) + vectors * run.size) / workers
    seconds = size / cluster.rate("memory_bytes_per_second", run.formulation)
    return Duration(compute=cluster.slowest(seconds), overhead=launches * cluster.values["launch_seconds"])


def _native(run: Run) -> Duration:
    cluster, vector = run.cluster, 8.0 * run.size
    is_symmetric = run.options["storage"] == "symmetric"
    iteration = _local(run, run.ranks, FUSED, launches=3 + is_symmetric)
    iteration += collectives.all_gather(cluster, vector)
    if is_symmetric:
        iteration += collectives.reduce_scatter(cluster, vector)
    # Beside its sums each reduction carries whether a rank asks to stop.
    if run.options["algorithm"] == "classic":
        iteration += 2 * collectives.ordered_sums(cluster, 2)
    else:
        iteration += collectives.ordered_sums(cluster, 3)
    return iteration * run.count("iterations")


def _dataflow(run: Run) -> Duration:
    flow = DataFlow(run.cluster, 1, run.count("queue"))
    cluster, vector, scalars = run.cluster, 8.0 * run.size, 24.0
    on_host = 0 if run.cluster.has_gpus else PUSHED  # a GPU's is counted below
    iteration = _local(run, flow.workers, FUSED + on_host, launches=5)
    iteration += flow.collected(vector / flow.workers)
    iteration += flow.published(vector)
    # The reducer puts p together; a GPU's piece leaves it, and all of p enters it.
    iteration += Duration(bandwidth=2 * vector / cluster.host_memory
                          + cluster.copied(vector / flow.workers) + cluster.copied(vector))
    iteration += 2 * (flow.collected(scalars) + flow.published(scalars))
    return iteration * run.count("iterations")


def _library(run: Run) -> Duration:
    cluster, vector = run.cluster, 8.0 * run.size
    gather = collectives.all_gather if cluster.is_staged else collectives.by_mpi
    iteration = _local(run, run.ranks, SEPARATE, launches=7)
    iteration += gather(cluster, vector) + 2 * collectives.all_reduce(cluster, 8.0)
    return iteration * run.count("iterations")


def _shows(case: Case, options: Options) -> dict[str, float]:
    if case.name.formulation == "dataflow":
        return {}
    size = size_in_bytes(case.name.size)
    vectors = SEPARATE if case.name.formulation == "library" else FUSED
    work = options["iterations"] * (_matrix(size, options) + vectors * size)
    return shown("memory_bytes_per_second", case, work, case.phases.get("compute", 0.0))


MODEL = Model(
    work=lambda run: run.count("iterations") * 2.0 * run.size**2,
    formulations={"native": _native, "dataflow": _dataflow, "library": _library},
    options={"storage": ("full", "symmetric"), "algorithm": ("classic", "single-reduction"),
             "iterations": 500, "queue": 16},
    shows=_shows)

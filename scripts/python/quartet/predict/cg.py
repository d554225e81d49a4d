"""The model of conjugate gradients."""

from quartet.predict.network import Duration, Model, Options, Run
from quartet.results import Row
from quartet.text import size_in_bytes

MEMORY = "memory_bytes_per_second"
# Bytes of vectors that an iteration reads and writes for each row.
FUSED = 16 + 48 + 24  # p.q; x, r and r.r in one pass; the next p
PUSHED = 16  # a data flow's worker copies its part of p


def _local(size: int, options: Options, workers: float, vectors: int) -> float:
    """Bytes of an iteration that one rank reads and writes."""
    return ((4.0 if options["storage"] == "symmetric" else 8.0) * size**2 + vectors * size) / workers


def _native(run: Run) -> Duration:
    """Each of the two reductions has a second number: whether a rank asks to stop."""
    is_symmetric = run.options["storage"] == "symmetric"
    iteration = run.computed(_local(run.size, run.options, run.ranks, FUSED), MEMORY, 3 + is_symmetric)
    iteration += run.cluster.all_gather(8.0 * run.size) + 2 * run.cluster.ordered_sums(2)
    if is_symmetric and run.ranks > 1:
        iteration += run.cluster.reduce_scatter(8.0 * run.size)
    return iteration * int(run.options["iterations"])


def _dataflow(run: Run) -> Duration:
    """The reducer assembles p. Each GPU copies its piece of p out, and all of p in."""
    flow, cluster, vector, scalars = run.flow, run.cluster, 8.0 * run.size, 24.0
    vectors = FUSED + (0 if cluster.has_gpus else PUSHED)  # a GPU's copy is counted below
    iteration = run.computed(_local(run.size, run.options, flow.workers, vectors), MEMORY, 5)
    iteration += flow.collected(vector / flow.workers) + flow.published(vector)
    iteration += Duration(bandwidth=2 * vector / cluster.host_memory + cluster.copied(vector / flow.workers)
                          + cluster.copied(vector))
    iteration += 2 * (flow.collected(scalars) + flow.published(scalars))
    return iteration * int(run.options["iterations"])


def _shows(row: Row, options: Options) -> tuple[float, float]:
    return (options["iterations"] * _local(size_in_bytes(row.name.size), options, 1, FUSED),
            row.phases.get("compute", 0.0))


MODEL = Model(work=lambda run: int(run.options["iterations"]) * 2.0 * run.size**2,
              formulations={"native": _native, "dataflow": _dataflow},
              options={"storage": ("full", "symmetric"), "iterations": 500}, rate=MEMORY, shows=_shows)

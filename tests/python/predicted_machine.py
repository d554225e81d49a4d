"""Machine files for tests of predictions."""


from quartet.kernels import KERNELS
from quartet.predict.machine import Machine, Work
from quartet.predict.models import MODELS
from quartet.predict.rates import Rates

RATES = {"memory_bytes_per_second": 1e10, "sgemm_flops_per_second": 1e11, "fft_flops_per_second": 1e10,
         "link_bytes_per_second": 1e9, "latency_seconds": 1e-6, "overhead_seconds": 1e-7,
         "node_bytes_per_second": 5e9, "node_latency_seconds": 5e-7, "addition_seconds": 1e-9}
FREE = 1e15  # a rate that takes no time


def rate(value, uncertainty=0.0):
    return {"value": value, "uncertainty": uncertainty, "source": "invented"}


def described(uncertainty=0.0, **rates):
    """The object `rates` of a machine file; None leaves a rate out."""
    values = {**RATES, **rates}
    return {name: rate(value, uncertainty) if isinstance(value, float) else value
            for name, value in values.items() if value is not None}


def file(uncertainty=0.0, machine=None, **rates):
    """A machine file's data."""
    return {"name": "invented", "cores_per_node": 4, "rates": described(uncertainty, **rates),
            **(machine or {})}


def machine(per_node=4, has_gpus=False, uncertainty=0.0, **rates):
    return Machine("invented", per_node, has_gpus, Rates.described(described(uncertainty, **rates)))


def work(kernel, ranks, size=4096, formulation="native", transport="", **options):
    given = {name: str(value) for name, value in options.items()}
    return Work(KERNELS[kernel], formulation, size, ranks, MODELS[kernel].chosen(given), transport)

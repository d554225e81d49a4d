"""What a GPU's data sheet promises, computed from what its driver says, and what of that is expected.

Nothing here is measured. The memory's rate is two transfers a clock over the whole bus; the rate in
single precision is two operations, a fused multiplication and addition, a clock and core."""

from dataclasses import dataclass
from typing import Any, Optional

# Cores for single precision of a multiprocessor: CUDA C++ Programming Guide, table "Throughput of
# Native Arithmetic Instructions", by compute capability.
CORES = {75: 64, 80: 64, 86: 128, 87: 128, 89: 128, 90: 128, 100: 128, 103: 128, 110: 128, 120: 128, 121: 128}
# Refreshes and turns of direction take a part of the memory's time, the power cap a part of the clock. One
# H100 had 0.93 reading, 0.90 copying, and 0.77 of single precision in products.
MEMORY_SHARE, FLOPS_SHARE = 0.9, 0.8


@dataclass(frozen=True)
class Ceilings:
    """The ceilings of one GPU, as its data sheet would have them; None if they cannot be computed."""

    peak_memory: Optional[float] = None  # bytes a second
    peak_flops: Optional[float] = None  # a second, single precision

    @staticmethod
    def of(facts: dict[str, Any]) -> "Ceilings":
        """Reads what a document says of a GPU."""
        clock, bus = facts.get("most_memory_clock_mhz"), facts.get("memory_bus_bits")
        cores = CORES.get(facts.get("architecture", 0))
        units, core_clock = facts.get("multiprocessors"), facts.get("most_clock_mhz")
        return Ceilings(2e6 * clock * bus / 8 if clock and bus else None,
                        2e6 * core_clock * cores * units if core_clock and cores and units else None)

    @property
    def memory(self) -> Optional[float]:
        """Bytes a second that are expected of kernels that only read and write."""
        return MEMORY_SHARE * self.peak_memory if self.peak_memory else None

    @property
    def flops(self) -> Optional[float]:
        """Operations a second that are expected of a product of matrices in single precision."""
        return FLOPS_SHARE * self.peak_flops if self.peak_flops else None

    def __str__(self) -> str:
        memory = (f"{self.peak_memory / 1e12:.2f} TB/s of memory" if self.peak_memory else "unknown rate of memory")
        flops = (f"{self.peak_flops / 1e12:.1f} TFLOP/s in single precision" if self.peak_flops
                 else "unknown rate in single precision")
        return f"{memory}, {flops}"

"""The list of kernels. To add one, write a module beside this file and name it here."""

from quartet.kernels import cg, fft, matmul, stream
from quartet.kernels.kernel import Kernel

KERNELS: dict[str, Kernel] = {
    module.KERNEL.name: module.KERNEL for module in (stream, matmul, cg, fft)}
NAMES = tuple(KERNELS)

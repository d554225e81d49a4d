"""The list of kernels. To add one, write a module beside this file and name it here."""

from importlib import import_module

from quartet.kernels.kernel import Kernel

NAMES = ("stream", "matmul", "cg", "fft")
KERNELS: dict[str, Kernel] = {name: import_module(f"quartet.kernels.{name}").KERNEL
                              for name in NAMES}

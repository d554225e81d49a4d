"""The part of quartet gpu that needs nothing but nvcc: our kernels alone, beside cuBLAS and cudaMemcpy."""

import os
import shutil
from pathlib import Path
from typing import Optional

from quartet.paths import ROOT
from quartet_dev.gpu.steps import Gpu, Place, Step, not_here

RATES = "rates of kernels"
SOURCE = ROOT / "tests" / "micro" / "kernel_benchmark.cu"


def kernel_steps(place: Place, gpu: Gpu) -> list[Step]:
    """Compiles the benchmark of the kernels where it is older than what it is made of, and runs it."""
    program = place.build / "kernel_benchmark"
    sources = [SOURCE, *sorted((ROOT / "common" / "device" / "cuda").glob("*/*.cu"))]
    steps = [Step("kernels", RATES, [str(program)], 60)]
    if _is_newer(program, [*sources, *(ROOT / "common" / "device" / "cuda").rglob("*.*h*")]):
        return steps
    nvcc = _nvcc()
    if not nvcc:
        return [not_here("kernels", RATES, "nvcc is neither on PATH nor in CUDAToolkit_ROOT")]
    place.build.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a compilation that fails must not leave rates of old kernels
    libraries = nvcc.resolve().parent.parent / "lib64"
    compiled = [str(nvcc), "-std=c++20", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
                f"-arch=sm_{gpu.architecture}", "-I", str(ROOT / "common"), *map(str, sources), "-lcublas",
                f"-Xlinker=-rpath={libraries}", "-o", str(program)]
    return [Step("kernels", f"compile for sm_{gpu.architecture}", compiled, 120), *steps]


def _is_newer(file: Path, others: list[Path]) -> bool:
    return file.exists() and file.stat().st_mtime > max(each.stat().st_mtime for each in others)


def _nvcc() -> Optional[Path]:
    root = os.environ.get("CUDAToolkit_ROOT")
    found = shutil.which("nvcc") or (shutil.which("nvcc", path=f"{root}/bin") if root else None)
    return Path(found) if found else None

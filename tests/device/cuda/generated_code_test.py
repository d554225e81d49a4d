"""generated_code_test.py NVCC SOURCES: what nvcc makes of the kernels, without a GPU. None spills, enough blocks fit into
an SM to hide the memory's latency, and each is loaded with the device: its first launch may be in a recording."""

import functools
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BLOCK_THREADS, REGISTERS_OF_SM, THREADS_OF_SM = 256, 65536, 2048
LEAST_BLOCKS = 3  # of 256 threads; passes of transforms copy a tile ahead past the registers
LEAST_BLOCKS_OF_PASSES = 1


def short(symbol):
    """A kernel's name and template arguments, without namespaces and parameters."""
    name = re.sub(r"(_GLOBAL__N__\w+|\(anonymous namespace\)|quartet|device|cg|fft)::", "", symbol)
    depth = 0
    for i, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            name = name[:i]
            break
    return re.sub(r"^void ", "", name)


@functools.cache
def compiled(source, architecture):
    """Registers and spilt bytes of each kernel of a .cu file, as ptxas says them."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [NVCC, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-I", SOURCES, "-I", f"{SOURCES}/common", "-cubin", f"-arch=sm_{architecture}",
             "-Xptxas", "-v", source, "-o", f"{folder}/kernels.cubin"], check=True, capture_output=True, text=True)
    said = subprocess.run(["c++filt"], input=done.stderr, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"Compiling entry function '([^']+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads.*?Used (\d+) registers", said, re.DOTALL)
    return {short(symbol): (int(registers), sum(map(int, spills))) for symbol, *spills, registers in found}


def blocks_of_sm(registers):
    """Registers go by 8 to a thread (CUDA Programming Guide, technical specifications)."""
    return min(THREADS_OF_SM, REGISTERS_OF_SM // (-(-max(registers, 1) // 8) * 8)) // BLOCK_THREADS


def problems(name, registers, spills):
    least = LEAST_BLOCKS_OF_PASSES if name.startswith("fft_pass<") else LEAST_BLOCKS
    if spills:
        yield f"{name} spills {spills} bytes or has a stack frame"
    if blocks_of_sm(registers) < least:
        yield f"{name} takes {registers} registers: {blocks_of_sm(registers)} blocks of an SM, not {least}"


def loaded(text):
    """The kernels that a source hands to loaded(), as short() has their names."""
    found = []
    for names in re.findall(r"\bloaded\(([^;]*)\);", text):
        depth = 0
        found.append("")
        for letter in "".join(names.split()):
            depth += {"<": 1, ">": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                found.append("")
            else:
                found[-1] += letter
    # And those of a table that a function goes through.
    tables = re.findall(r"\bmade<([^>]*)>\(", text)
    return {*found, *(f"fft_pass<{''.join(arguments.split())}>" for arguments in tables)}


def with_numbers(text):
    """A text with enumerators of FftLines as nvcc writes them: (FftLines)0."""
    kernels = Path(SOURCES, "fft/cuda/kernels.hpp").read_text(encoding="utf-8")
    enumerators = re.search(r"enum class FftLines \{(.*?)\}", kernels, re.DOTALL)[1]
    names = re.findall(r"^    (\w+),? +///<", enumerators, re.M)
    return re.sub(r"FftLines::(\w+)", lambda found: f"(FftLines){names.index(found[1])}", text)


class GeneratedCode(unittest.TestCase):
    def sources(self):
        return sorted(source for pattern in ("common/device/cuda/**/*.cu", "*/cuda/*.cu") for source in Path(SOURCES).glob(pattern))

    def test_kernels_do_not_spill_and_leave_room_for_others(self):
        for source in self.sources():
            found = [problem for name, figures in compiled(source, 90).items() for problem in problems(name, *figures)]
            self.assertEqual(found, [], source)

    def test_each_source_loads_all_of_its_kernels_with_the_device(self):
        for source in self.sources():
            self.assertEqual({name.replace(" ", "") for name in compiled(source, 90)},
                             loaded(with_numbers(source.read_text(encoding="utf-8"))), source)

    def test_each_rule_can_fail(self):
        self.assertEqual([len(list(problems("a", *figures))) for figures in ((80, 0), (90, 0), (64, 8))], [0, 1, 1])
        self.assertEqual(loaded("return loaded(a<float>, b<Add<double>,\n  int>, c);"),
                         {"a<float>", "b<Add<double>,int>", "c"})

    def test_the_kernel_benchmark_compiles(self):
        source = Path(SOURCES) / "tests" / "micro" / "kernel_benchmark.cu"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([NVCC, "-std=c++20", "-O1", "--expt-relaxed-constexpr", "--extended-lambda", "-arch=sm_90",
                            "-I", SOURCES, "-I", f"{SOURCES}/common", "-c", source, "-o", Path(folder) / "benchmark.o"], check=True)


if __name__ == "__main__":
    NVCC, SOURCES = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()

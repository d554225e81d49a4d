"""What nvcc makes of kernels: registers, spills and shared memory as ptxas says them, and the machine
code. No GPU is needed."""

import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

BLOCK_THREADS = 256
REGISTERS_OF_SM = 65536


@dataclass(frozen=True)
class Figures:
    registers: int
    spills: int  # bytes of them, and of the stack frame
    shared: int  # bytes of a block
    in_flight: Optional[int] = None  # KB of an SM's global loads, on average; None if nobody can tell


def blocks_of_sm(registers, architecture):
    """Blocks of 256 threads that an SM has registers and room for (CUDA Programming Guide, table of
    technical specifications): registers go by 8 to a thread, threads are 1536 or 2048."""
    most = 1536 if architecture in (86, 87, 88, 89, 120, 121) else 2048
    by_thread = -(-max(registers, 1) // 8) * 8
    return min(most, REGISTERS_OF_SM // by_thread) // BLOCK_THREADS


def architectures(nvcc):
    """That the toolkit can compile for, ascending."""
    listed = subprocess.run([nvcc, "--list-gpu-code"], check=True, capture_output=True, text=True)
    return sorted(int(number) for number in re.findall(r"^sm_(\d+)$", listed.stdout, re.MULTILINE))


def short(symbol):
    """A kernel's name and template arguments, without namespaces and parameters."""
    name = re.sub(r"(_GLOBAL__N__\w+|\(anonymous namespace\)|quartet|device)::", "", symbol)
    depth = 0
    for i, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            name = name[:i]
            break
    return re.sub(r"^void ", "", name)


def demangled(text):
    return subprocess.run(["c++filt"], input=text, check=True, capture_output=True,
                          text=True).stdout


def compiled(nvcc, include, source, architecture, cubin):
    """The figures of each kernel of a .cu file, but for what is in flight; writes its machine code."""
    done = subprocess.run(
        [nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-I", include, "-cubin",
         f"-arch=sm_{architecture}", "-Xptxas", "-v", source, "-o", cubin],
        check=True, capture_output=True, text=True)
    found = re.findall(
        r"Compiling entry function '([^']+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
        r"(\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)", demangled(done.stderr), re.DOTALL)
    figures = {}
    for symbol, *spills, registers, rest in found:
        shared = re.search(r"(\d+) bytes smem", rest)
        figures[short(symbol)] = Figures(int(registers), sum(map(int, spills)),
                                         int(shared[1]) if shared else 0)
    return figures


def disassembler(nvcc):
    """cuobjdump, of the toolkit, of the path, or of the Python package nvidia-cuda-cuobjdump."""
    packages = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    places = [Path(nvcc).parent / "cuobjdump", *sorted(packages.glob("*/bin/cuobjdump"))]
    found = next((str(place) for place in places if place.exists()), None)
    return found or shutil.which("cuobjdump")


def instructions(cuobjdump, cubin):
    """Of each kernel: (address, text) of its instructions."""
    dump = subprocess.run([cuobjdump, "-sass", cubin], check=True, capture_output=True, text=True)
    kernels = {}
    for line in demangled(dump.stdout).splitlines():
        function = re.match(r"\s*Function : (.*)", line)
        if function:
            current = kernels.setdefault(short(function[1]), [])
        instruction = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line)
        if instruction:
            current.append((int(instruction[1], 16), instruction[2]))
    return kernels

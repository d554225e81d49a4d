"""generated_code_test.py NVCC COMMON: what nvcc makes of the kernels is no worse than figures.json
says: occupancy, spills, shared memory, loads in flight. With --update, writes the table anew."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import machine_code
from loads_in_flight import GPUS, mean_in_flight

TABLE = Path(__file__).with_name("figures.json")
ALWAYS = (80, 90, 100)  # and the newest
# Load nothing, or next to nothing, or from the caches; by the beginning of the name. Passes of transforms copy a
# tile ahead past the registers: 128 KB in flight in an SM.
SMALL = ("fill<double>", "fill<float>", "fill_tiles", "sum_partials", "update_alpha_kernel",
         "update_alpha_beta_kernel", "update_beta_kernel", "add_product<ChunkSums>", "add_product<TriangleSums>",
         "update_blocks_of<ChunkSums>", "update_blocks_of<TriangleSums>", "last_direction",
         "multiply_add<", "fft_pass<")
# Loads' share of the traffic, where there are stores; by the beginning of the name.
LOADS = {"update_packs": 2 / 3, "sum_blocks<UpdateSingle": 5 / 9,
         "multiply_by_twiddles": 1 / 2, "pack": 1 / 2, "unpack": 1 / 2, "scatter_tile": 1 / 2,
         "transpose": 1 / 2, "natural_order": 1 / 2}
# Kernels with less than twice the loads in flight that the memory of a GPU needs.
BELOW_TWICE = {
    (100, "multiply_rows<ReadPairs>"): "1.97 times: four blocks have no registers for more",
    (100, "multiply_rows<ReadSingles>"): "1.97 times: four blocks have no registers for more",
    (100, "multiply_tiles"): "1.6 times: four rows at once; with more, registers spill",
    (100, "transpose"): "conditions of ragged squares part them; unconditional ones do worse on Hopper",
    (100, "unpack"): "1.9 times: three blocks, by the registers of its places",
}


def toolkit(nvcc):
    said = subprocess.run([nvcc, "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"release ([\d.]+)", said)[1]


def figures(nvcc, common, architecture, cuobjdump):
    """Of every kernel; two files may have the same one: it is listed once."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernels.cubin"
        for source in sorted(Path(common).glob("device/cuda/**/*.cu")):
            of_file = machine_code.compiled(nvcc, common, source, architecture, cubin)
            code = machine_code.instructions(cuobjdump, cubin) if cuobjdump else {}
            for name, each in of_file.items():
                found[name] = replace(each, in_flight=loads(
                    code[name], each.registers, architecture) if cuobjdump else None)
    return found


def loads(body, registers, architecture):
    """KB in flight in an SM; the newest GPU is taken for a B200."""
    gpu = GPUS.get(architecture, GPUS[100])
    warps = 8 * machine_code.blocks_of_sm(registers, architecture)
    return round(mean_in_flight(body, gpu.cycles, warps))


def times_needed(name, in_flight, gpu):
    """How often a kernel has the loads in flight that keep the GPU's memory busy."""
    share = next((share for begin, share in LOADS.items() if name.startswith(begin)), 1)
    return in_flight / (gpu.needed * share)


def problems(name, found, wanted, architecture):
    """Why a kernel's figures are worse than those of the table."""
    blocks = machine_code.blocks_of_sm(found.registers, architecture)
    least = machine_code.blocks_of_sm(wanted["registers"], architecture)
    if found.spills:
        yield f"{name} spills {found.spills} bytes or has a stack frame"
    if blocks < least:
        yield (f"{name} takes {found.registers} registers, not {wanted['registers']}: "
               f"{blocks} blocks of an SM, not {least}")
    if found.shared > wanted["shared"]:
        yield f"{name} takes {found.shared} bytes of shared memory, not {wanted['shared']}"
    if found.in_flight is not None and found.in_flight < wanted["in_flight"]:
        yield f"{name} has {found.in_flight} KB of loads in flight in an SM, not {wanted['in_flight']}"


class Rules(unittest.TestCase):
    """Each figure that is worse is a problem."""

    def test_each_can_fail(self):
        good = machine_code.Figures(56, 0, 64, 32)
        wanted = {"registers": 54, "shared": 64, "in_flight": 32}
        self.assertEqual(list(problems("a", good, wanted, 90)), [])
        for worse in (replace(good, registers=65), replace(good, spills=8),
                      replace(good, shared=65), replace(good, in_flight=16)):
            self.assertEqual(len(list(problems("a", worse, wanted, 90))), 1, worse)
        self.assertEqual(list(problems("a", replace(good, in_flight=None), wanted, 90)), [])

    def test_blocks_of_an_sm_are_bounded_by_registers_and_threads(self):
        self.assertEqual([machine_code.blocks_of_sm(count, 90) for count in (16, 32, 33, 40, 64)],
                         [8, 8, 6, 6, 4])
        self.assertEqual(machine_code.blocks_of_sm(16, 120), 6)

    def test_names_have_no_namespaces_and_parameters(self):
        self.assertEqual(machine_code.short(
            "void quartet::device::_GLOBAL__N__12_ab::rows<quartet::device::"
            "(anonymous namespace)::Pairs>(quartet::device::Matrix, double const*)"), "rows<Pairs>")


def loaded(text):
    """The kernels that a source hands to loaded(), as machine_code.short() has their names."""
    found = []
    for names in re.findall(r"\bloaded\(([^;]*)\);", text):
        depth, first = 0, len(found)
        found.append("")
        for letter in "".join(names.split()):
            depth += {"<": 1, ">": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                found.append("")
            else:
                found[-1] += letter
        assert all(found[first:]), names
    # And those of a table that a function goes through.
    tables = re.findall(r"\bmade<([^>]*)>\(", text)
    return {*found, *(f"fft_pass<{''.join(arguments.split())}>" for arguments in tables)}


class LoadedKernels(unittest.TestCase):
    """A kernel's first launch may be in a recording, where it must not have to be loaded."""

    def test_each_source_loads_all_of_its_kernels_with_the_device(self):
        architecture = machine_code.architectures(NVCC)[0]
        for source in sorted(Path(COMMON).glob("device/cuda/**/*.cu")):
            with tempfile.TemporaryDirectory() as folder:
                kernels = machine_code.compiled(NVCC, COMMON, source, architecture,
                                                Path(folder) / "kernels.cubin")
            self.assertEqual({name.replace(" ", "") for name in kernels},
                             loaded(source.read_text(encoding="utf-8")), source)

    def test_template_arguments_belong_to_the_name(self):
        self.assertEqual(loaded("return loaded(a<float>, b<Add<double>,\n  int>, c);"),
                         {"a<float>", "b<Add<double>,int>", "c"})


class KernelBenchmark(unittest.TestCase):
    def test_compiles(self):
        source = Path(COMMON).parent / "tests" / "micro" / "kernel_benchmark.cu"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([NVCC, "-std=c++20", "-O1", "--expt-relaxed-constexpr", "--extended-lambda", "-arch=sm_90",
                            "-I", COMMON, "-c", source, "-o", Path(folder) / "benchmark.o"], check=True)


class GeneratedCode(unittest.TestCase):
    def test_twice_the_loads_that_a_memory_needs_are_in_flight_but_for_those_named(self):
        table = json.loads(TABLE.read_text(encoding="utf-8"))["architectures"]
        below = {(architecture, name) for architecture, gpu in GPUS.items()
                 for name, row in table[str(architecture)].items()
                 if not name.startswith(SMALL) and times_needed(name, row["in_flight"], gpu) < 2}
        self.assertEqual(below, set(BELOW_TWICE))

    def test_is_no_worse_than_the_table(self):
        table = json.loads(TABLE.read_text(encoding="utf-8"))
        if toolkit(NVCC) != table["toolkit"]:
            self.skipTest(f"the table is of CUDA {table['toolkit']}, this is {toolkit(NVCC)}")
        cuobjdump = machine_code.disassembler(NVCC)
        if not cuobjdump:
            print("skipped loads in flight: no cuobjdump (pip install nvidia-cuda-cuobjdump "
                  "nvidia-cuda-nvdisasm)")
        for name, wanted in table["architectures"].items():
            with self.subTest(architecture=name):
                found = figures(NVCC, COMMON, int(name), cuobjdump)
                self.assertEqual(sorted(found), sorted(wanted))
                self.assertEqual([problem for kernel in wanted for problem in problems(
                    kernel, found[kernel], wanted[kernel], int(name))], [])


def update():
    cuobjdump = machine_code.disassembler(NVCC)
    if not cuobjdump:
        sys.exit("no cuobjdump: its Python package nvidia-cuda-cuobjdump will do")
    wanted = sorted({*ALWAYS, machine_code.architectures(NVCC)[-1]})
    rows = {architecture: figures(NVCC, COMMON, architecture, cuobjdump) for architecture in wanted}
    text = ",\n".join(f'"{architecture}": {{\n' + ",\n".join(
        f' {json.dumps(name)}: ' + json.dumps({"registers": each.registers, "shared": each.shared,
                                               "in_flight": each.in_flight})
        for name, each in sorted(of_kernels.items())) + "}"
        for architecture, of_kernels in rows.items())
    TABLE.write_text(f'{{"toolkit": "{toolkit(NVCC)}", "architectures": {{\n{text}}}}}\n',
                     encoding="utf-8")


if __name__ == "__main__":
    update_wanted = "--update" in sys.argv and not sys.argv.remove("--update")
    NVCC, COMMON = sys.argv[1:3]
    del sys.argv[1:3]
    if update_wanted:
        update()
    else:
        unittest.main()

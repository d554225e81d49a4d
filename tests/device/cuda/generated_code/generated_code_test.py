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

TABLE = Path(__file__).with_name("figures.json")
ALWAYS = (80, 90)  # and the newest
# Twice what an H200 needs by Little's law: 4.8 TB/s over 132 SMs at 0.55 us are 20 KB an SM.
ENOUGH_IN_FLIGHT = 40_000
# Load nothing, or next to nothing.
SMALL = ("fill<double>", "fill<float>", "sum_partials", "update_alpha_kernel",
         "update_alpha_beta_kernel", "update_beta_kernel")


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
                loads = machine_code.in_flight(code[name]) if cuobjdump else None
                found[name] = replace(each, in_flight=loads)
    return found


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
        yield f"{name} has {found.in_flight} bytes of loads in flight, not {wanted['in_flight']}"


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

    def test_loads_are_in_flight_until_they_are_named(self):
        chain = [(0, "LDG.E.64 R4, desc[UR4][R2.64]"), (16, "DADD R6, R4, R6"),
                 (32, "@P0 LDG.E.EF.128 R8, desc[UR4][R2.64]"), (48, "DADD R6, R10, R6")]
        self.assertEqual(machine_code.most_in_flight(chain), 16)
        self.assertEqual(machine_code.most_in_flight([chain[0], *chain[2:]]), 24)

    def test_the_loop_that_loads_most_counts(self):
        body = [(0, "LDG.E.64 R20, desc[UR4][R2.64]"), (16, "LDG.E.64 R22, desc[UR4][R2.64]"),
                (32, "LDG.E R4, desc[UR4][R2.64]"), (48, "IADD3 R4, R4, R6, RZ"),
                (64, "@P0 BRA 0x20"), (80, "EXIT")]
        self.assertEqual(machine_code.in_flight(body), 4)
        self.assertEqual(machine_code.in_flight(body[:2]), 16)

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
    return set(found)


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


class GeneratedCode(unittest.TestCase):
    def test_the_table_has_enough_loads_in_flight_on_hopper(self):
        rows = json.loads(TABLE.read_text(encoding="utf-8"))["architectures"]["90"]
        for name, row in rows.items():
            threads = machine_code.BLOCK_THREADS * machine_code.blocks_of_sm(row["registers"], 90)
            if name not in SMALL:
                self.assertGreaterEqual(row["in_flight"] * threads, ENOUGH_IN_FLIGHT, name)

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

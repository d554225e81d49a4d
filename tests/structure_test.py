"""Tests that the sources keep the suite's structure, and that each rule of it can fail.

- Includes point down: kernels -> bench -> flow -> comm -> device -> system -> core; no kernel uses another.
- Includes between folders form no cycle.
- Vendors' headers stay in the files that are for them.
- The preprocessor includes and says #pragma once; features are chosen by linking. One header alone asks
  for the compiler's own macros.
- The environment is read in one file, so that what was read is recorded.
- Only common/device, and a kernel's own cuda/, know device/cuda/: everything else asks for devices by the registry.
- A transport's or a kernel's name stands as a string in its own folder and in the registry alone.
- No product header includes CLI11 or the whole of nlohmann/json: both take seconds to compile."""

import posixpath
import re
import tempfile
import unittest
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("core", "system", "device", "comm", "flow", "bench")  # of common/, from the bottom
KERNELS = tuple(sorted(path.parent.name for path in ROOT.glob("*/main.cpp")))
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".cpp.in", ".hpp.in")

# Which files may include a vendor's header ("*" goes across folders); tests beside what they test.
VENDORS = {
    r"mpi\.h|mpi-ext\.h": ("common/comm/*", "tests/*", *(f"{kernel}/library*" for kernel in KERNELS)),
    r"cblas.*|mkl.*|openblas.*": ("common/device/host/*blas*",),
    r"fftw3(-mpi)?\.h": ("fft/fftw*", "fft/library*", "tests/fakes/fake_cufft*"),
    r"(cuda|cublas|cufft|curand|cusolver|cub/|thrust/|device_launch).*":
        ("common/device/cuda/*", "*/cuda/*.?pp", "tests/fakes/fake_*", "tests/fakes/emulator/*", "*.cu"),
    r"nvml\.h": ("common/device/cuda/*",),
    r"nccl\.h": ("common/comm/transport/nccl/*", "tests/fakes/fake_nccl*"),
    r"(grpc(pp)?|google/protobuf)/.*": ("common/comm/transport/grpc/*", "tests/comm/transport/grpc/*"),
    r"hwloc.*": ("common/comm/topology/topology*", "common/bench/report/provenance*"),
    r"xxhash\.h": ("common/core/files/checksum*",),
    r"Random123/.*": ("common/core/data_source*", "fft/cuda/random*", "tests/core/data_source*"),
}
# What the compiler may use, by processor.
CONDITIONAL = ("common/device/host/loops/per_isa/simd.hpp", "common/device/cuda/runtime/instructions.cuh")
ENVIRONMENT_READER = "common/core/environment.cpp"
UNTIED = ("common", *KERNELS)  # whose folders' includes form no cycle

TRANSPORTS_FOLDER = "common/comm/transport"
REGISTRY = f"{TRANSPORTS_FOLDER}/registry/transport_registry.cpp"
# Strings that are no names: keys of documents.
KEYS = {("common/bench/report/provenance.cpp", "mpi")}
HEAVY_HEADERS = r"<CLI/|<nlohmann/json\.hpp>"


def sources(root):
    """Every C++ file of the suite, as paths relative to `root`."""
    folders = [root / name for name in ("common", "tests", *KERNELS)]
    return sorted(path.relative_to(root).as_posix() for folder in folders
                  for path in folder.rglob("*") if path.name.endswith(SUFFIXES))


def without_comments(text):
    """The text with comments blanked; strings stay, line numbers too."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda match: match[0] if match[0][0] == '"'
                  else "\n" * match[0].count("\n"), text, flags=re.DOTALL)


def height(path):
    """How far up a file is, tests highest; None for what is none of the suite's folders."""
    top, *rest = path.split("/")
    if top == "common" and rest[0] in LAYERS:
        return LAYERS.index(rest[0])
    return {"tests": len(LAYERS) + 1}.get(top, len(LAYERS) if top in KERNELS else None)


def included_height(header):
    """The height of a header as it is included: common/ is on the include path."""
    top = header.split("/")[0]
    return LAYERS.index(top) if top in LAYERS else height(header)


def include_problem(path, header):
    """Why a file must not include one of our headers, or None."""
    if ".." in header.split("/"):
        return f'includes "{header}" by way of ".."'
    own, other = height(path), included_height(header)
    if own is None or other is None:
        return None  # a header beside the file, or a generated one
    if other > own:
        return f'includes "{header}", which is above it'
    kernel = path.split("/")[0]
    if kernel in KERNELS and other == own and header.split("/")[0] != kernel:
        return f'includes "{header}" of another kernel'
    return None


def vendor_problem(path, header):
    """Why a file must not include a vendor's header, or None."""
    for pattern, allowed in VENDORS.items():
        if re.fullmatch(pattern, header) and not any(fnmatch(path, glob) for glob in allowed):
            return f"includes <{header}>, which belongs to {', '.join(allowed)}"
    return None


def file_problems(path, text):
    """What is wrong with one file, as (line number, problem)."""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if directive and directive[1] == "include":
            opening, header = re.match(r'([<"]?)([^>"]*)', directive[2]).groups()
            problems = [vendor_problem(path, header)]
            problems += [include_problem(path, header)] if opening == '"' else []
            yield from ((number, problem) for problem in problems if problem)
        elif directive and directive[1] != "pragma" and not (
                path in CONDITIONAL and directive[1] in ("if", "elif", "else", "endif")):
            yield number, f"uses #{directive[1]}: choose by linking another file"
        if re.search(r"\b(secure_)?getenv\s*\(|\benviron\b", line) and path != ENVIRONMENT_READER:
            yield number, f"reads the environment: ask {ENVIRONMENT_READER}"
    if ".hpp" in path and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield 1, "has no #pragma once"


def transports(root):
    """The transports: the files of their room that define one, and its folders but for the registry."""
    folder = root / TRANSPORTS_FOLDER
    files = [path.stem for path in folder.glob("*.cpp") if f" {path.stem}_transport()" in path.read_text()]
    return sorted(files + [path.name for path in folder.glob("*/") if path.is_dir() and path.name != "registry"])


def name_problem(path, name, own_folder):
    """Why a file must not hold that name as a string, or None."""
    if path in (REGISTRY, own_folder + ".cpp") or (path, name) in KEYS or path.startswith(own_folder + "/"):
        return None
    return f'holds "{name}" as a string: ask the registry, or for what it can do'


def product_problems(path, text, transport_names):
    """What is wrong with one file of the product, as (line number, problem)."""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if re.search(r'#\s*include "device/cuda/', line) and not re.match(r"common/device/|\w+/cuda/", path):
            yield number, "includes device/cuda/: ask the registry of devices"
        if ".hpp" in path and re.search(r"#\s*include " + f"(?:{HEAVY_HEADERS})", line):
            yield number, "is a header that includes CLI11 or all of nlohmann/json"
        for literal in re.findall(r'"((?:\\.|[^"\\\n])*)"', line):
            problem = None
            if literal in transport_names:
                problem = name_problem(path, literal, f"{TRANSPORTS_FOLDER}/{literal}")
            elif literal in KERNELS and not path.startswith("common/device/"):  # there, an operation
                problem = name_problem(path, literal, literal)
            if problem:
                yield number, problem


def folder_arrows(texts):
    """Which folders each folder includes from, with one file that does: {folder: {other: file}}."""
    folders = {posixpath.dirname(path) for path in texts}
    arrows = {folder: {} for folder in folders}
    for path, text in texts.items():
        own = posixpath.dirname(path)
        for header in re.findall(r'^\s*#\s*include "([^"]+)"', without_comments(text), re.MULTILINE):
            other = posixpath.dirname(header)
            other = next((folder for folder in (f"common/{other}", other) if folder in folders), own)
            if other != own:
                arrows[own].setdefault(other, path)
    return arrows


def cycle(arrows):
    """A way from a folder back to itself, or None."""
    done, way = set(), []

    def visit(folder):
        if folder in way:
            return [*way[way.index(folder):], folder]
        if folder in done:
            return None
        way.append(folder)
        for other in sorted(arrows[folder]):
            if other in arrows and (found := visit(other)):
                return found
        done.add(way.pop())
        return None

    return next((found for folder in sorted(arrows) if (found := visit(folder))), None)


def cycle_problems(texts, untied):
    """The first cycle of includes between the folders below these."""
    arrows = folder_arrows({path: text for path, text in texts.items()
                            if path.startswith(tuple(f"{folder}/" for folder in untied))})
    found = cycle(arrows) or []
    return [f"{arrows[below][above]}:1: includes {above}, in a cycle: {' -> '.join(found)}"
            for below, above in zip(found, found[1:])]


def problems(root, untied=UNTIED):
    """Every problem of a tree, a line each."""
    texts = {path: (root / path).read_text(encoding="utf-8") for path in sources(root)}
    product = {path: text for path, text in texts.items() if not path.startswith("tests/")}
    names = transports(root)
    return [f"{path}:{number}: {problem}" for path, text in texts.items()
            for number, problem in (*file_problems(path, text),
                                    *(product_problems(path, text, names) if path in product else ()))
            ] + cycle_problems(product, untied)


class Suite(unittest.TestCase):
    def test_sources_keep_the_structure(self):
        self.assertGreater(len(sources(ROOT)), 10)
        self.assertGreater(len(transports(ROOT)), 3)
        self.assertEqual(problems(ROOT), [])


class Rules(unittest.TestCase):
    """Each rule on a made-up tree of a file or a few."""

    def check(self, texts, **settings):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in texts.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return problems(Path(folder), **settings)

    def assert_fails(self, path, text, words, **others):
        found = self.check({path: text, **others})
        self.assertEqual(len(found), 1, (path, text, found))
        self.assertIn(words, found[0])

    def assert_passes(self, path, text):
        self.assertEqual(self.check({path: text}), [], (path, text))

    def test_cycles_of_folders_are_found(self):
        files = {"common/core/a.hpp": '#pragma once\n#include "core/files/b.hpp"\n',
                 "common/core/files/b.hpp": '#pragma once\n#include "core/units/c.hpp"\n',
                 "common/core/units/c.hpp": '#pragma once\n#include "core/a.hpp"\n'}
        found = self.check(files, untied=("common", "cg"))
        self.assertEqual(len(found), 3, found)
        self.assertIn("common/core -> common/core/files -> common/core/units -> common/core", found[0])
        self.assertEqual(self.check(files, untied=("common/core/files", "common/core/units")), [])
        files["common/core/units/c.hpp"] = '#pragma once\n// #include "core/a.hpp"\n'
        self.assertEqual(self.check(files, untied=("common",)), [])

    def test_names_of_transports_and_kernels_are_found(self):
        transport = {"common/comm/transport/pigeon.cpp": 'TransportKind pigeon_transport() { return {"pigeon"}; }\n'}
        folder = {"common/comm/transport/raven/raven_transport.cpp": 'auto a = "raven";\n'}
        self.assertEqual(self.check({**transport, **folder, REGISTRY: 'auto a = "pigeon";\n',
                                     "cg/main.cpp": '// "pigeon"\nauto a = "cg";\n'}), [])
        self.assert_fails("cg/plan.cpp", 'bool is = name == "pigeon";\n', 'cg/plan.cpp:1: holds "pigeon"', **transport)
        self.assert_fails("common/bench/a.cpp", 'auto a = "matmul";\n', 'holds "matmul"')

    def test_only_devices_know_the_cuda_device(self):
        text = '#include "device/cuda/runtime/a.hpp"\n'
        self.assert_passes("common/device/a.cpp", text)
        self.assert_fails("common/comm/a.cpp", text, "common/comm/a.cpp:1: includes device/cuda/")

    def test_heavy_headers_are_found_in_headers_alone(self):
        self.assert_passes("common/bench/a.cpp", "#include <CLI/CLI.hpp>\n")
        self.assert_fails("common/bench/a.hpp", "#pragma once\n#include <nlohmann/json.hpp>\n",
                          "common/bench/a.hpp:2: is a header that includes")

    def test_includes_point_down(self):
        order = [*(f"common/{layer}" for layer in LAYERS), "cg"]
        for height_below, below in enumerate(order):
            for above in order[height_below + 1:]:
                header = above.replace("common/", "") + "/thing.hpp"
                self.assert_fails(f"{below}/a.cpp", f'#include "{header}"\n', "above it")
                header = below.replace("common/", "") + "/thing.hpp"
                self.assert_passes(f"{above}/a.cpp", f'#include "{header}"\n')
        self.assert_fails("common/bench/a.cpp", '#include "tests/a.hpp"\n', "above it")
        self.assert_fails("common/comm/a.cpp", '#include "../flow/a.hpp"\n', 'by way of ".."')
        self.assert_passes("common/comm/a.cpp", '#include "comm/b.hpp"\n#include "beside.hpp"\n')
        self.assert_passes("tests/cg/a.cpp", '#include "cg/b.hpp"\n#include "support/c.hpp"\n')

    def test_kernels_do_not_use_each_other(self):
        for kernel in KERNELS:
            for other in KERNELS:
                text = f'#include "{other}/problem.hpp"\n'
                if kernel == other:
                    self.assert_passes(f"{kernel}/main.cpp", text)
                else:
                    self.assert_fails(f"{kernel}/main.cpp", text, "another kernel")

    def test_vendor_headers_stay_where_they_belong(self):
        headers = ("mpi.h", "cblas.h", "mkl_cblas.h", "fftw3.h", "fftw3-mpi.h", "cuda_runtime.h",
                   "cublas_v2.h", "cufft.h", "nvml.h", "nccl.h", "hwloc.h",
                   "hwloc/glibc-sched.h", "xxhash.h", "Random123/philox.h")
        for header in headers:
            for text in (f"#include <{header}>\n", f'#include "{header}"\n', f"  #  include <{header}>  // why\n"):
                self.assert_fails("stream/main.cpp", text, "belongs to")
        self.assert_fails("common/comm/transport/nccl/a.cpp", "#include <cuda_runtime.h>\n", "belongs to")
        for path, header in (("common/comm/a/b.hpp", "mpi.h"), ("tests/comm/a.cpp", "mpi.h"),
                             ("common/device/host/blas/host_blas.cpp", "cblas.h"),
                             ("common/device/cuda/fft.cpp", "cufft.h"),
                             ("cg/step.cu", "cuda_runtime.h"), ("stream/library.cpp", "mpi.h"),
                             ("common/comm/transport/nccl/nccl_transport.cpp", "nccl.h")):
            self.assert_passes(path, f"#pragma once\n#include <{header}>\n")

    def test_no_preprocessor_beyond_includes(self):
        for directive in ("if 1", "ifdef CUDA", "ifndef A_HPP", "define A 1", " undef A", "else",
                          "elif 1", "endif", "error no", "line 1"):
            self.assert_fails("stream/a.cpp", f"int a;\n#{directive}\n", "linking another file")
            self.assert_fails("tests/a.cu", f"  # {directive}\n", "linking another file")
        self.assert_passes("stream/a.cpp", "#pragma omp simd\n// #if 0\n/*\n#define A\n*/\n")

    def test_one_header_asks_for_the_compilers_macros(self):
        text = "#pragma once\n#if defined(__SSE2__)\n#elif 1\n#else\n#endif\n"
        self.assert_passes(CONDITIONAL[0], text)
        self.assertTrue(self.check({"common/device/host/loops/loops.hpp": text}))
        self.assert_fails(CONDITIONAL[0], text + "#define A\n", "linking another file")

    def test_headers_say_pragma_once(self):
        self.assert_fails("stream/a.hpp", "int a();\n", "no #pragma once")
        self.assert_fails("stream/a.hpp.in", "// #pragma once\n", "no #pragma once")
        self.assert_passes("stream/a.hpp", "#pragma once\n")

    def test_environment_is_read_in_one_file(self):
        for text in ('std::getenv("A")', 'secure_getenv ("A");', "char** all = environ;"):
            self.assert_fails("common/bench/a.cpp", text + "\n", "reads the environment")
            self.assert_passes(ENVIRONMENT_READER, text + "\n")
        self.assert_passes("common/bench/a.cpp", "// getenv(\nint environment;\n")

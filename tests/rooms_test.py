"""Tests that prevent decay, and that each rule can fail. They measure nothing.

- No folder of product code has more than 25 files.
- Only common/device knows device/cuda/: everything above asks for devices by the registry.
- A transport's or a kernel's name stands as a string in its own folder and in the registry alone.
- No product header includes CLI11 or the whole of nlohmann/json: both take seconds to compile."""

import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from layers_test import KERNELS, ROOT, sources, without_comments

PRODUCT = ("common", *KERNELS, "scripts")
MOST_FILES = 25
TRANSPORTS_FOLDER = "common/comm/transport"
REGISTRY = f"{TRANSPORTS_FOLDER}/registry/transport_registry.cpp"
# Strings that are no names: keys of documents.
KEYS = {("common/bench/checkpoint/set_up.cpp", "mpi"), ("common/bench/report/provenance.cpp", "mpi")}
HEAVY_HEADERS = r"<CLI/|<nlohmann/json\.hpp>"


def transports(root):
    """The transports: the folders of their room, but for their registry and what they share."""
    folder = root / TRANSPORTS_FOLDER
    return sorted(path.name for path in folder.iterdir()
                  if path.is_dir() and path.name not in ("registry", "support")) if folder.is_dir() else []


def crowded_folders(root):
    count = Counter(path.parent.relative_to(root).as_posix() for top in PRODUCT
                    for path in (root / top).rglob("*")
                    if path.is_file() and "__pycache__" not in path.parts)
    return [f"{folder}: {files} files, more than {MOST_FILES}: make rooms in it"
            for folder, files in sorted(count.items()) if files > MOST_FILES]


def name_problem(path, name, own_folder):
    """Why a file must not hold that name as a string, or None."""
    if path == REGISTRY or (path, name) in KEYS or path.startswith(own_folder + "/"):
        return None
    return f'holds "{name}" as a string: ask the registry, or for what it can do'


def line_problems(path, line, transport_names):
    if re.search(r'#\s*include "device/cuda/', line) and not path.startswith("common/device/"):
        yield "includes device/cuda/: ask the registry of devices"
    if ".hpp" in path and re.search(r"#\s*include " + f"(?:{HEAVY_HEADERS})", line):
        yield "is a header that includes CLI11 or all of nlohmann/json"
    for literal in re.findall(r'"((?:\\.|[^"\\\n])*)"', line):
        if literal in transport_names:
            yield name_problem(path, literal, f"{TRANSPORTS_FOLDER}/{literal}")
        elif literal in KERNELS and not path.startswith("common/device/"):  # there, an operation
            yield name_problem(path, literal, literal)


def problems(root):
    """Every problem of a tree, a line each."""
    names = transports(root)
    found = crowded_folders(root)
    for path in sources(root):
        if path.startswith("tests/"):
            continue
        text = without_comments((root / path).read_text(encoding="utf-8"))
        found += [f"{path}:{number}: {problem}" for number, line in enumerate(text.splitlines(), 1)
                  for problem in line_problems(path, line, names) if problem]
    return found


class Suite(unittest.TestCase):
    def test_the_rooms_are_in_order(self):
        self.assertGreater(len(transports(ROOT)), 3)
        self.assertEqual(problems(ROOT), [])


class Rules(unittest.TestCase):
    """Each rule on a small tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("common/comm/transport/pigeon/pigeon_transport.cpp", 'auto a = "pigeon";\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_problem(self, words):
        found = problems(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_tidy_tree_has_none(self):
        self.write(REGISTRY, 'auto a = "pigeon";\n')
        self.write("cg/main.cpp", '// "pigeon"\nauto a = "cg";\n')
        self.assertEqual(problems(self.root), [])

    def test_crowded_folders_are_found(self):
        for number in range(MOST_FILES + 1):
            self.write(f"common/core/a{number}.cpp", "")
        self.assert_problem("26 files")

    def test_names_of_transports_are_found(self):
        self.write("cg/plan.cpp", 'bool is = name == "pigeon";\n')
        self.assert_problem('cg/plan.cpp:1: holds "pigeon"')

    def test_names_of_other_kernels_are_found(self):
        self.write("common/bench/a.cpp", 'auto a = "matmul";\n')
        self.assert_problem('holds "matmul"')

    def test_includes_of_the_cuda_device_are_found(self):
        self.write("common/device/a.cpp", '#include "device/cuda/runtime/a.hpp"\n')
        self.write("common/comm/a.cpp", '#include "device/cuda/runtime/a.hpp"\n')
        self.assert_problem("common/comm/a.cpp:1: includes device/cuda/")

    def test_heavy_headers_are_found_in_headers_alone(self):
        self.write("common/bench/a.cpp", "#include <CLI/CLI.hpp>\n")
        self.write("common/bench/a.hpp", "#include <nlohmann/json.hpp>\n")
        self.assert_problem("common/bench/a.hpp:1: is a header that includes")


if __name__ == "__main__":
    unittest.main()

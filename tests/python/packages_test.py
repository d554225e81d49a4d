"""Tests of how the packages lie over each other: no ring of modules, users' tools without developers', and a kernel
that a tool has no entry for is left out by it."""

import ast
import unittest
from unittest import mock

import fake_results
from quartet import kernels
from quartet.commands import report
from quartet.predict.curve import options_of
from quartet.report.data import Material, Result
from quartet.results import rows_of
from tree import SCRIPTS

PACKAGES = SCRIPTS / "python"
ENTRIES = ("__main__",)  # they belong to no folder: whatever is called lies below them


def imported(node, package):
    """Modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    above = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
    base = ".".join([*above, *([node.module] if node.module else [])])
    whole = [f"{base}.{name.name}" for name in node.names]
    return [module if PACKAGES.joinpath(*module.split(".")).with_suffix(".py").is_file()
            or PACKAGES.joinpath(*module.split(".")).is_dir() else base for module in whole]


def arrows():
    """Of each module those that it imports."""
    found = {}
    for file in sorted(PACKAGES.rglob("*.py")):
        package = ".".join(file.relative_to(PACKAGES).parent.parts)
        if not package or file.stem in ENTRIES:
            continue
        name = package if file.stem == "__init__" else f"{package}.{file.stem}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for module in imported(node, package):
                if module.split(".")[0] in ("quartet", "quartet_dev") and module != name:
                    found.setdefault(name, {})[module] = f"{name} imports {module}"
    return found


def ring(found):
    """Why some modules lie in a ring: an import for each step; none if there is no ring."""
    def search(path):
        for other, why in found.get(path[-1], {}).items():
            if other in path:
                steps = [*path[path.index(other):], other]
                return [found[one][next_one] for one, next_one in zip(steps, steps[1:])]
            if other not in done:
                steps = search([*path, other])
                if steps:
                    return steps
        done.add(path[-1])
        return []

    done = set()
    return next(filter(None, (search([package]) for package in found)), [])


class Packages(unittest.TestCase):
    def test_no_modules_lie_in_a_ring(self):
        self.assertEqual(ring(arrows()), [])

    def test_a_ring_is_found(self):
        found = {"a": {"b": "a to b"}, "b": {"c": "b to c", "d": "b to d"}, "c": {}, "d": {"a": "d to a"}}
        self.assertEqual(ring(found), ["a to b", "b to d", "d to a"])
        self.assertEqual(ring({"a": {"b": "", "c": ""}, "b": {"c": ""}}), [])

    def test_users_tools_need_no_developers_tools(self):
        self.assertEqual([why for package, others in arrows().items() if package.split(".")[0] == "quartet"
                          for other, why in others.items() if other.startswith("quartet_dev")], [])


class AnotherKernel(unittest.TestCase):
    """One with the four facts, and in no tool's table."""

    def test_it_is_shown_and_left_out_where_a_tool_has_no_entry(self):
        row = fake_results.case("example/native/host/shm/n:4096/ranks:2/threads:1", 12.5, "GFLOP/s")
        document = fake_results.document(row)
        self.assertIsNone(options_of(rows_of(document)[0]))
        material = Material([("a.json", document)], [Result(tuple(rows_of(document)), "a machine", ("a.json",))])
        with mock.patch.dict(kernels.KERNELS, {"example": kernels.Kernel("example", "GFLOP/s")}):
            page = report.compose(material)
        self.assertEqual(page.sections[0].charts[0].groups[0][0], "example")

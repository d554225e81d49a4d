"""Tests that kernels' names stand in the list of kernels and in tools' tables by kernel alone.

Names in docstrings, comments and examples are allowed: they decide nothing."""

import ast
import re
import unittest
from fnmatch import fnmatch

from quartet.kernels import KERNELS, NAMES
from tree import SCRIPTS

ALLOWED = {
    "python/quartet/kernels.py": "the list itself",
    "python/quartet/check_machine.py": "a table by kernel, as the next ones",
    "python/quartet/nodes/plan.py": "",
    "python/quartet/predict/curve.py": "",
    "python/quartet/report/figures.py": "",
    "python/quartet/report/tables.py": "commands that make what a section shows",
    "python/quartet/run.py": "",
    "packaging/reframe/checks.py": "",
    "python/quartet/sizes.py": "",
    "python/quartet_dev/gpu_plan.py": "",
    "python/*/commands/*.py": "examples in help",
}
KERNEL_NAME = re.compile(rf"\b({'|'.join(NAMES)})\b")


def docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body \
                and isinstance(node.body[0], ast.Expr):
            yield node.body[0].value
        if isinstance(node, ast.Assign) and [ast.unparse(name) for name in node.targets] == ["EXAMPLE"]:
            yield node.value


def kernel_names(source):
    """Lines and strings in which a kernel's name stands as a word."""
    tree = ast.parse(source)
    ignored = {id(node) for node in docstrings(tree)}
    return [(node.lineno, node.value) for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            and id(node) not in ignored and KERNEL_NAME.search(node.value)]


class KernelNames(unittest.TestCase):
    def test_only_the_list_names_kernels(self):
        files = sorted(SCRIPTS.rglob("*.py"))
        self.assertGreater(len(files), 10)
        for file in files:
            path = file.relative_to(SCRIPTS).as_posix()
            if not any(fnmatch(path, pattern) for pattern in ALLOWED):
                self.assertEqual(kernel_names(file.read_text(encoding="utf-8")), [], path)

    def test_names_in_strings_are_found(self):
        name = NAMES[0]
        for source in (f'a = "{name}"', f'a = f"{name}/{{b}}"', f'KERNELS = ("x", "{name}")',
                       f'if kernel == "{name}":\n    pass', f'print("only {name} does")'):
            self.assertEqual(len(kernel_names(source)), 1, source)

    def test_other_words_and_docstrings_are_not_found(self):
        name = NAMES[0]
        for source in (f'a = "{name}ed"', f'"""{name}."""', f'def a():\n    """{name}."""',
                       f"{name} = 1  # {name}"):
            self.assertEqual(kernel_names(source), [], source)

    def test_list_has_every_program(self):
        programs = {file.parent.name for file in SCRIPTS.parent.glob("*/main.cpp")}
        self.assertEqual(set(KERNELS), programs)

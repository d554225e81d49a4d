"""Tests that the tree stays within its budgets (budgets.txt), and that a tree above them is found."""

import os
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {"C++": (".cpp", ".hpp", ".cu", ".cuh", ".cpp.in", ".hpp.in"), "Python": (".py",), "pages": (".md",)}
IGNORED = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}


def budgets(text):
    """The rows of a table: (kind, folders, lines at most, files at most)."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()
            if line.strip() and not line.startswith("#")]
    return [(kind, folders.split(), int(size), int(files)) for kind, folders, size, files in rows]


def files_below(folder, kind, root=ROOT):
    """The files of a kind in a folder and below it, without what was built or measured there."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in IGNORED
                      and Path(parent, name).relative_to(root).as_posix() not in IGNORED]
        yield from (Path(parent, name) for name in names if name.endswith(SUFFIXES[kind]))


def size(path, kind):
    """Lines, or words of a page."""
    text = path.read_text(encoding="utf-8")
    return len(text.split()) if kind == "pages" else text.count("\n")


def excesses(root, rows):
    """What is above its budget, a line each."""
    for kind, folders, most, most_files in rows:
        files = [file for folder in folders for file in files_below(root / folder, kind, root)]
        total = sum(size(file, kind) for file in files)
        if total > most or len(files) > most_files:
            unit = "words" if kind == "pages" else "lines"
            yield (f"{kind} in {' '.join(folders)}: {total} {unit} in {len(files)} files; "
                   f"the budget is {most} in {most_files}")


class Budgets(unittest.TestCase):
    def test_the_tree_keeps_them(self):
        rows = budgets((ROOT / "tests/budgets.txt").read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 10)
        self.assertEqual(list(excesses(ROOT, rows)), [])

    def test_every_layer_has_one(self):
        rows = budgets((ROOT / "tests/budgets.txt").read_text(encoding="utf-8"))
        named = {folder for _, folders, _, _ in rows for folder in folders}
        wanted = {f"common/{path.name}" for path in (ROOT / "common").iterdir() if path.is_dir()}
        self.assertEqual(wanted - named, set())

    def test_an_excess_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "cg/build").mkdir(parents=True)
            (root / "cg/main.cpp").write_text("int a;\nint b;\n")
            (root / "cg/build/made.cpp").write_text("int c;\n")
            (root / "cg/README.md").write_text("Three short words\n")
            table = "# kind  folders  most  files\nC++  cg  {}  {}\npages  cg  {}  1\n"
            self.assertEqual(list(excesses(root, budgets(table.format(2, 1, 3)))), [])
            for numbers, words in (((1, 1, 3), "2 lines in 1 files; the budget is 1 in 1"),
                                   ((2, 0, 3), "the budget is 2 in 0"), ((2, 1, 2), "3 words")):
                found = list(excesses(root, budgets(table.format(*numbers))))
                self.assertEqual(len(found), 1, found)
                self.assertIn(words, found[0])

"""docs/paper.md: each of its rows has a state that it defines, and what it names is there."""

import re
import unittest

from tree import ROOT

PAGE = ROOT / "docs" / "paper.md"


def anchors(file):
    """Of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def flags():
    """All that the programs know, by their sources."""
    sources = [file for folder in ("common/bench", "stream", "matmul", "cg", "fft")
               for file in (ROOT / folder).rglob("*.cpp")]
    return {flag for file in sources for flag in re.findall(r'"(--[a-z-]+)"', file.read_text(encoding="utf-8"))}


class Page(unittest.TestCase):
    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")
        self.rows = [[cell.strip() for cell in line.strip("|").split("|")]
                     for line in self.text.splitlines() if line.startswith("| ")][1:]

    def test_each_row_has_a_state_that_is_defined(self):
        states = set(re.findall(r"^- \*\*(.+?)\*\*:", self.text, re.MULTILINE))
        self.assertGreater(len(self.rows), 20)
        for row in self.rows:
            self.assertEqual(len(row), 4, row)
            self.assertIn(row[3], states, row)
        self.assertEqual({row[3] for row in self.rows}, states)

    def test_links_lead_somewhere(self):
        links = re.findall(r"\]\(([^)]+)\)", self.text)
        self.assertGreater(len(links), 10)
        for link in links:
            name, _, anchor = link.partition("#")
            file = (PAGE.parent / name).resolve()
            self.assertTrue(file.is_file(), link)
            if anchor:
                self.assertIn(anchor, anchors(file), link)

    def test_flags_and_files_that_it_names_are_there(self):
        known = flags() | {"--distribution"}  # of quartet submit and start.sh
        for code in re.findall(r"`([^`]+)`", self.text):
            for flag in re.findall(r"--[a-z-]+", code):
                self.assertIn(flag, known, code)
            for name in re.findall(r"scripts/[\w/.-]+", code):
                self.assertTrue((ROOT / name).exists(), code)

"""Tests of the one command: its help, what it refuses, and what all commands have."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import in_process
from fake_build import Scratch
from quartet.__main__ import all_summaries, module_of, parser_of
from quartet.commands import SHELL_SCRIPTS, SUMMARIES
from quartet.paths import SWEEPS, given_or_shipped
from tree import SCRIPTS

LINES, COLUMNS = 24, 80  # of a screen


def quartet(*words, **environment):
    return subprocess.run([SCRIPTS / "quartet", *words], text=True, capture_output=True, check=False,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL)


class Command(Scratch):
    def assert_refused(self, done, *parts):
        """In one line."""
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_help_fits_a_screen_and_all_adds_the_maintainers_commands(self):
        for flag, expected in (("--help", list(SUMMARIES)), ("--all", list(all_summaries()))):
            done = quartet(flag)
            self.assertEqual(re.findall(r"^  ([a-z-]+) ", done.stdout, re.MULTILINE), expected, done)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), COLUMNS)
        self.assertLessEqual(len(quartet("help").stdout.splitlines()), LINES)
        self.assertEqual(quartet().returncode, 2)

    def test_every_module_is_listed(self):
        for package, summaries in (("quartet", set(SUMMARIES) - set(SHELL_SCRIPTS)),
                                   ("quartet_dev", set(all_summaries()) - set(SUMMARIES))):
            there = {file.stem.replace("_", "-") for file in (SCRIPTS / "python" / package / "commands").glob("[a-z]*.py")}
            self.assertEqual(there, summaries)

    def test_every_help_keeps_to_80_columns_and_ends_with_an_example_that_its_parser_takes(self):
        for name in set(all_summaries()) - set(SHELL_SCRIPTS):
            with self.subTest(name), mock.patch.dict(os.environ, {"COLUMNS": "200"}):
                example, parser = module_of(name).EXAMPLE, parser_of((name,))
                words = shlex.split(example)
                self.assertEqual(words[:2], ["quartet", name])
                parser.parse_args(words[1:])
                output = io.StringIO()
                with contextlib.redirect_stdout(output), self.assertRaises(SystemExit):
                    parser.parse_args([name, "--help"])
                self.assertTrue(output.getvalue().endswith(f"example:\n  {example}\n"), output.getvalue())
                self.assertEqual([line for line in output.getvalue().splitlines() if len(line) > COLUMNS], [])
        for name in SHELL_SCRIPTS:
            text = quartet(name, "--help").stdout
            self.assertIn(f"quartet {name}", text)
            self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS)

    def test_it_names_the_word_that_was_probably_meant(self):
        self.assert_refused(quartet("tabel", "x"), "'tabel'", "(did you mean table?)", "quartet --help")
        self.assert_refused(quartet("table", "--markdwn", "x"), "'--markdwn'", "(did you mean --markdown?)",
                            "quartet table --help")
        self.assert_refused(quartet("--versoin"), "'--versoin'", "(did you mean --version?)")
        self.assertNotIn("did you mean", quartet("zzzzzz").stderr)
        cases = ("--sizes", "9", "--ranks", "1")
        for words, meant in ((("sweep", "--kernels", "cgg", *cases), "cg"),
                             (("sweep", "laptop-cgg"), "laptop-cg"),
                             (("nodes", "--slurm", "h100-exmple"), "h100-example"),
                             (("predict", "h100-example", "cg", *cases, "--formulation", "natve"), "native"),
                             (("submit", "h100-example", "--ranks", "1", "sream"), "stream"),
                             (("machine", "--discver"), "--discover")):
            with self.subTest(words):
                self.assert_refused(in_process.quartet(*words), f"did you mean {meant}?")

    def test_it_knows_its_version(self):
        version = (SCRIPTS.parent / "VERSION").read_text(encoding="utf-8").strip()
        self.assertEqual(quartet("--version").stdout, f"quartet {version}\n")

    def test_a_name_that_is_refused_moves_no_cursor(self):
        for word in ("\x1b[2J", "a\nb"):
            done = quartet(word)
            self.assert_refused(done)
            self.assertNotIn("\x1b", done.stderr)

    def test_it_passes_over_a_python_that_is_too_old(self):
        self.write("python3", "#!/bin/sh\nexit 1\n")
        self.write("python3.13", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        for environment in ({"PATH": f"{self.folder}:/usr/bin:/bin"}, {"QUARTET_PYTHON": f"{self.folder}/python3"}):
            self.assertIn("usage: quartet table", quartet("table", "--help", **environment).stdout)

    def test_pictures_are_drawn_by_a_python_that_has_matplotlib(self):
        """PATH's own may have none, while the package is there for the system's."""
        for name, has_it in (("python3", "exit 1"), ("python3.13", "exit 0")):
            self.write(name, f'#!/bin/sh\n[ "${{3-}}" != matplotlib ] || {has_it}\n[ "$1" = -B ] || exit 0\n'
                             f'echo {name} "$3"\n')
        path = {"PATH": f"{self.folder}:/usr/bin:/bin"}
        self.assertEqual(quartet("table", **path).stdout, "python3 table\n")
        self.assertEqual(quartet("trace", **path).stdout, "python3.13 trace\n")
        self.assertEqual(quartet("report", **path, QUARTET_PYTHON=f"{self.folder}/python3").stdout, "python3 report\n")

    def test_a_folder_with_modules_of_the_same_names_does_not_disturb_it(self):
        for name in ("statistics", "json", "quartet"):
            self.write(f"{name}.py", "raise SystemExit('mine')")
        done = subprocess.run([SCRIPTS / "quartet", "table", "--help"], cwd=self.folder, text=True, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done)


class Shipped(Scratch):
    def test_a_file_goes_before_one_that_was_shipped(self):
        own, shipped = self.folder / "own", self.folder / "shipped"
        for place in (own, shipped):
            place.mkdir()
            (place / "a.json").touch()
        before = os.getcwd()
        os.chdir(own)
        try:
            self.assertEqual(given_or_shipped(Path("a.json"), shipped), Path("a.json"))
            self.assertEqual(given_or_shipped(Path("a"), shipped), shipped / "a.json")
            (own / "a.json").unlink()
            self.assertEqual(given_or_shipped(Path("a.json"), shipped), shipped / "a.json")
            self.assertEqual(given_or_shipped(Path("./x/a.json"), shipped), Path("x/a.json"))
            self.assertEqual(given_or_shipped(Path("b"), shipped), Path("b"))
        finally:
            os.chdir(before)

    def test_there_are_sweeps(self):
        self.assertTrue(given_or_shipped(Path("laptop-cg"), SWEEPS).is_file())

"""Tests of the command quartet in the source tree, and of how scripts speak of themselves under it."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from quartet import wording  # noqa: E402
from quartet.paths import SWEEPS, given_or_shipped  # noqa: E402

OLD_PYTHON = "#!/bin/sh\nexit 1\n"  # what it is asked is whether it is new enough


def quartet(*words, **environment):
    return subprocess.run([SCRIPTS / "quartet.sh", *words], text=True, capture_output=True, check=False,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL)


class Command(unittest.TestCase):
    def test_help_lists_scripts_that_are_there_and_all_that_users_need(self):
        done = quartet("help")
        listed = re.findall(r"^([a-z-]+)  ", done.stdout, re.MULTILINE)
        self.assertEqual(done.returncode, 0, done)
        for name in listed:
            places = [SCRIPTS / f"{name.replace('-', '_')}.py", SCRIPTS / f"{name}.sh", SCRIPTS / f"slurm/{name}.sh"]
            self.assertTrue(any(place.exists() for place in places), name)
        there = {file.stem.replace("_", "-") for file in SCRIPTS.glob("*.py")}
        self.assertEqual(there - set(listed), {"build", "dist", "gpu", "reference"})

    def test_without_a_command_it_says_how_and_fails(self):
        done = quartet()
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: quartet COMMAND", done.stderr)

    def test_a_name_that_is_refused_moves_no_cursor(self):
        for word in ("\x1b[2J", "\\033[2J", "a\nb"):
            done = quartet(word)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
            self.assertNotIn("\x1b", done.stderr)

    def test_exit_codes_and_arguments_pass(self):
        with tempfile.TemporaryDirectory(prefix="a b") as folder:
            done = quartet("table", f"{folder}/no such.json")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("no such.json", done.stderr)

    def test_it_passes_over_a_python_that_is_too_old(self):
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder, "python3")
            old.write_text(OLD_PYTHON, encoding="utf-8")
            old.chmod(0o755)
            new = Path(folder, "python3.13")
            new.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
            new.chmod(0o755)
            done = quartet("table", "--help", PATH=f"{folder}:/usr/bin:/bin")
            self.assertIn("usage: quartet table", done.stdout)
            done = quartet("table", "--help", QUARTET_PYTHON=str(old))
            self.assertIn("usage: quartet table", done.stdout)

    def test_scripts_by_their_own_names_speak_as_before(self):
        done = subprocess.run([sys.executable, SCRIPTS / "table.py", "--help"], text=True, capture_output=True,
                              check=True)
        self.assertIn("usage: table.py", done.stdout)

    def test_children_do_not_inherit_how_it_was_called(self):
        program = f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import os, quartet.wording as w; " \
                  "print(w.IS_COMMAND, 'QUARTET_COMMAND' in os.environ)"
        done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True,
                              env={**os.environ, "QUARTET_COMMAND": "1"})
        self.assertEqual(done.stdout.split(), ["True", "False"])


class Typed(unittest.TestCase):
    def typed(self, text, is_installed=False):
        with mock.patch.object(wording, "IS_COMMAND", True), \
                mock.patch.object(wording, "IS_INSTALLED", is_installed):
            return wording.as_typed(text)

    def test_scripts_and_targets_become_commands(self):
        for text, typed in (("see scripts/sweep.py --help", "see quartet sweep --help"),
                            ("`make check-machine`", "`quartet check-machine`"),
                            ("plot_trace.py a b", "quartet plot-trace a b"),
                            ("scripts/launch.sh 2 x", "quartet launch 2 x")):
            self.assertEqual(self.typed(text), typed)
            self.assertEqual(wording.as_typed(text), text)

    def test_other_words_and_paths_stay(self):
        for text in ("make programs", "make test", "/a/scripts/sweep.py", "my/sweep.py", "test.py", "make build"):
            self.assertEqual(self.typed(text), text)

    def test_folders_are_where_they_were_installed(self):
        self.assertEqual(self.typed("in scripts/slurm/machines/", True), f"in {SCRIPTS}/slurm/machines/")
        self.assertEqual(self.typed("results/runs/x", True), "quartet-results/runs/x")
        self.assertEqual(self.typed("results/runs/x"), "results/runs/x")


class Shipped(unittest.TestCase):
    def test_a_file_goes_before_one_that_was_shipped(self):
        with tempfile.TemporaryDirectory() as folder:
            own, shipped = Path(folder, "own"), Path(folder, "shipped")
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


if __name__ == "__main__":
    unittest.main()

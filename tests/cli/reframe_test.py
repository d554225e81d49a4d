"""The suite for ReFrame, by ReFrame itself where it is on PATH: green on sound runs, red where a rate
falls short or a row is not verified."""

import json
import os
import re
import shutil
import subprocess
import unittest

from fake_build import temporary_folder
from quartet_cli import PROGRAMS
from tree import ROOT

SUITE = ROOT / "scripts" / "packaging" / "reframe"
SMALL = "--device host --size 64 --iterations 3 --runs 2 --threads 1 --limits off"
# A program that "measures" what was measured before: it writes the document beside it.
REPEATING = '#!/bin/bash\ncp "$(dirname "$0")/document.json" "${!#}"\nexit CODE\n'


@unittest.skipUnless(shutil.which("reframe"), "there is no reframe on PATH")
class ReFrame(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = temporary_folder(cls.addClassCleanup)
        cls.first = cls.reframe("first", f"programs={PROGRAMS}", f"arguments={SMALL}")
        kept = list(cls.folder.glob("first/output/**/quartet.json"))
        assert len(kept) == 1, cls.first.stdout
        cls.document = json.loads(kept[0].read_text(encoding="utf-8"))

    @classmethod
    def reframe(cls, name, *settings):
        words = [word for setting in settings for word in ("-S", setting)]
        return subprocess.run(
            ["reframe", "--nocolor", "--prefix", cls.folder / name, "-C", SUITE / "settings.py",
             "-c", SUITE / "checks.py", "-n", "QuartetCheck.*kernel=cg", *words, "-r"], text=True, capture_output=True, check=False,
            cwd=cls.folder, env=cls.environment())

    @classmethod
    def environment(cls):
        return {**os.environ, "HOME": str(cls.folder), "RFM_ENABLE_RESULTS_STORAGE": "1",
                "RFM_SQLITE_DB_FILE": str(cls.folder / "results.db")}

    def repeated(self, name, references="", code=0, arguments=f"arguments={SMALL}", **changes):
        """A check of a program that repeats the first document, with other values in its rows."""
        folder = self.folder / name
        folder.mkdir()
        document = json.loads(json.dumps(self.document))
        for row in document["benchmarks"]:
            row.update({key: value for key, value in changes.items() if key in row})
        (folder / "document.json").write_text(json.dumps(document), encoding="utf-8")
        program = folder / "cg"
        program.write_text(REPEATING.replace("CODE", str(code)), encoding="utf-8")
        program.chmod(0o755)
        more = [f"references={references}"] if references else []
        return self.reframe(f"{name}/prefix", f"programs={folder}", arguments, "num_tasks=1", *more)

    def references(self, name, factor):
        document = json.loads(json.dumps(self.document))
        for row in document["benchmarks"]:
            row["GFLOP/s"] *= factor
        folder = self.folder / name
        folder.mkdir()
        (folder / "good.json").write_text(json.dumps(document), encoding="utf-8")
        return folder

    def assert_red(self, done, words):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stdout)

    def test_a_sound_run_is_green_and_gives_its_rates(self):
        self.assertEqual(self.first.returncode, 0, self.first.stdout)
        self.assertRegex(self.first.stdout, r"P: cg/native/host/shm/[^ ]*/rate: [0-9.e-]+ GFLOP/s")

    def test_without_arguments_a_program_gets_those_of_quartet_run(self):
        done = self.repeated("plain", arguments="small=no")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_stored_runs_are_compared(self):
        folder = self.folder / "results.db"
        folder.unlink(missing_ok=True)
        for name, rate in (("before", 4.0), ("after", 3.0)):
            self.assertEqual(self.repeated(name, **{"GFLOP/s": rate}).returncode, 0)
        ask = ["reframe", "--nocolor", "-C", SUITE / "settings.py"]
        listed = self.must(*ask, "--list-stored-sessions")
        before, after = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", listed)
        text = self.must(*ask, f"--performance-compare={after}/{before}/mean:/")
        self.assertRegex(text, r"/rate +│ GFLOP/s +│ +3 +│ +4 +│ +-25 ")

    def must(self, *words):
        done = subprocess.run(words, text=True, capture_output=True, check=False, cwd=self.folder, env=self.environment())
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_a_rate_within_the_tolerance_is_green_and_one_below_is_red(self):
        done = self.repeated("near", self.references("slightly", 1.05))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assert_red(self.repeated("far", self.references("much", 1.5)), "performance")

    def test_a_row_that_is_not_verified_is_red_whatever_the_exit_code(self):
        self.assert_red(self.repeated("wrong", verified=False), "not verified: cg/native")

    def test_a_program_that_fails_is_red(self):
        self.assert_red(self.repeated("failing", code=3), "the program failed")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What `cmake --install` puts into a folder works from there, and from where the folder is moved."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, run
from tree import ROOT

BUILD = os.environ["QUARTET_BUILD"]
WITHOUT_HELP = {"launch", "start"}  # their words are for the program


class Installed(unittest.TestCase):
    """In a prefix that was moved."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        first = Path(temporary.name).resolve() / "first"
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", first],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        cls.said = done.stdout.splitlines()
        cls.prefix = first.with_name("moved")
        shutil.move(first, cls.prefix)
        for kernel in KERNELS:
            cls.mark(cls.prefix / f"share/quartet/published/{kernel.name}.json")
        cls.folder = first.with_name("elsewhere")
        cls.folder.mkdir()

    @classmethod
    def mark(cls, file):
        """Tells the installed copy from the source tree's, and lets it compare with one node."""
        document = json.loads(file.read_text(encoding="utf-8"))
        document["source"]["short"] = "Installed"
        for number in document["numbers"]:
            number["match"] = {key: number["match"][key] for key in ("kernel", "device")} | {"nodes": "1"}
            number.pop("workers", None)
        file.write_text(json.dumps(document), encoding="utf-8")

    def quartet(self, *words, code=0):
        """What `quartet WORDS` prints, where no program is on PATH."""
        done = subprocess.run([self.prefix / "bin/quartet", *words], text=True, capture_output=True,
                              check=False, cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def test_installing_says_where_to_begin_and_not_each_file(self):
        self.assertLess(len(self.said), 10, self.said)
        self.assertTrue(self.said[-1].endswith("first/bin/quartet --help"), self.said)

    def test_programs_run(self):
        self.assertTrue((self.prefix / "share/quartet/schema/quartet-results.schema.json").exists())
        self.assertTrue((self.prefix / "share/quartet/scripts/packaging/reframe/checks.py").exists())
        for kernel in KERNELS:
            outcome = run(self.prefix / "bin" / kernel.name, 2, kernel.small, "--runs 1")
            self.assertEqual(outcome.code, 0, outcome)

    def test_nothing_names_the_folder_that_it_was_installed_to(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and not file.is_symlink() and file.parent.name != "bin":
                content = file.read_bytes()
                for path in (f"{self.prefix.parent}/first", BUILD, f"{ROOT}/"):
                    self.assertNotIn(path.encode(), content, file)

    def test_each_command_that_is_listed_answers_by_its_own_name(self):
        commands = re.findall(r"^  ([a-z-]+) ", self.quartet("help"), re.MULTILINE)
        self.assertLess({"run", "sweep", "compare", "report", "submit", "launch"}, set(commands))
        for command in set(commands) - WITHOUT_HELP:
            self.assertIn(f"usage: quartet {command} ", self.quartet(command, "--help"))
        for command in WITHOUT_HELP:
            self.assertIn(f"{command}.sh: ", self.quartet(command, code=2))
        for command in ("build", "setup", "release", "gpu", "nothing", "Run", "../run", "quartet", "limits", "slurm/start"):
            self.assertIn("no command is called", self.quartet(command, code=2))
        self.assertRegex(self.quartet("--version"), r"^quartet \d+\.\d+\.\d+\n$")

    def test_programs_need_no_path_and_results_stay_in_the_folder(self):
        self.quartet("launch", "2", "cg", *"--size 64 --runs 2 --threads 1 --json one.json".split())
        self.assertIn("All 1 row verified", self.quartet("table", "one.json"))
        self.quartet("launch", "2", "stream", *"--sizes 64KiB --pushes 3 --runs 2 --threads 1 --json two.json".split())
        self.assertIn("(Installed", self.quartet("compare", "published", "two.json", code=4))
        self.quartet("sweep", *"--kernels cg --sizes 64 --ranks 1 --threads 1".split(), "--arguments",
                     "--runs 1 --iterations 3")
        self.assertTrue(any((self.folder / "quartet-results/runs").glob("*/*-launch1.json")))
        self.quartet("report")
        self.assertTrue((self.folder / "quartet-results/report/index.html").exists())

    def test_sweeps_and_machines_are_found_by_their_names(self):
        self.assertIn("launch 1", self.quartet("sweep", "laptop-cg", "--dry-run"))
        self.assertIn("ranks", self.quartet("predict", "h100-example", "cg", "--sizes", "65536",
                                            "--ranks", "1:4"))
        self.assertIn("nowhere: cannot be read", self.quartet("sweep", "nowhere", "--dry-run", code=2))

    def test_jobs_find_the_installed_scripts_and_programs(self):
        command = self.quartet("submit", "fat-tree-cpu-example", "--ranks", "2", "--dry-run", "cg",
                               "--device", "host").split()
        root = next(word.partition("=")[2] for word in command if word.startswith("--root="))
        self.assertTrue(Path(root, "scripts/slurm/batch.sh").samefile(
            self.prefix / "share/quartet/scripts/slurm/batch.sh"))
        self.assertTrue(os.access(Path(root, "scripts/slurm/batch.sh"), os.X_OK))
        self.assertIn(str(self.prefix / "bin/cg"), command)


class RunPath(unittest.TestCase):
    """rpath.cmake, with a library where no loader looks."""

    def build(self, step, folder, *more):
        for command in (["cmake", "-S", ROOT / "tests/cli/site", "-B", folder / step,
                         f"-DQUARTET_SOURCES={ROOT}", f"-DSTEP={step}",
                         f"-DCMAKE_INSTALL_PREFIX={folder}/{step}-prefix", *more],
                        ["cmake", "--build", folder / step, "--target", "install"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done)
        return folder / f"{step}-prefix"

    def test_installed_programs_start_without_LD_LIBRARY_PATH(self):
        with tempfile.TemporaryDirectory() as name:
            odd = self.build("library", Path(name))
            program = self.build("program", Path(name), f"-DCMAKE_PREFIX_PATH={odd}") / "bin/program"
            environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
            self.assertEqual(subprocess.run([program], env=environment, check=False).returncode, 7)

    def test_the_programs_are_built_so(self):
        script = Path(BUILD, "cg/cmake_install.cmake").read_text(encoding="utf-8")
        linked = subprocess.run(["readelf", "-d", f"{BUILD}/bin/cg"], text=True, capture_output=True, check=True)
        outside = re.search(r"\[([^:\]]+)", next(iter(re.findall("runpath.*", linked.stdout)), ""))
        if not outside:
            self.skipTest("all libraries are where the loader looks")
        self.assertIn(outside[1], re.search('NEW_RPATH "([^"]*)"', script)[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)

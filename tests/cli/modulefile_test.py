"""`module load` of what `cmake --install` leaves, with the module commands that are there."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = os.environ["QUARTET_BUILD"]
KINDS = {"environment modules": "/usr/share/modules/init/sh", "Lmod": "/usr/share/lmod/lmod/init/sh"}


class ModuleFile(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        installed = Path(temporary.name) / "installed"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", installed], check=True,
                       stdout=subprocess.DEVNULL)
        self.prefix = Path(temporary.name) / "moved"
        shutil.move(installed, self.prefix)

    def shell(self, init, commands):
        module_path = self.prefix / "share/modulefiles"
        return subprocess.run(["sh", "-c", f". {init} && module use {module_path} && {commands}"],
                              text=True, capture_output=True, check=False)

    def test_programs_are_on_the_path_once_it_is_loaded(self):
        kinds = {name: init for name, init in KINDS.items() if Path(init).exists()}
        if not kinds:
            self.skipTest("there is no module command")
        for name, init in kinds.items():
            with self.subTest(name):
                before = self.shell(init, "command -v matmul").stdout
                self.assertNotIn(str(self.prefix), before)
                done = self.shell(init, "module load quartet && command -v matmul && matmul --version")
                self.assertEqual(done.returncode, 0, done)
                path, version = done.stdout.split("\n")[:2]
                self.assertEqual(Path(path).resolve(), (self.prefix / "bin/matmul").resolve())
                self.assertIn("quartet", version)
                gone = self.shell(init, "module load quartet && module unload quartet && "
                                  "command -v matmul")
                self.assertNotIn(str(self.prefix), gone.stdout)
                about = self.shell(init, "module whatis quartet")
                self.assertIn("four MPI benchmarks", about.stdout + about.stderr)


class NeededModules(unittest.TestCase):
    """The module file of a build with modules loaded: it loads those that programs need."""

    def test_modules_of_the_build_are_loaded_but_for_its_tools(self):
        kinds = [init for init in KINDS.values() if Path(init).exists()]
        if not kinds:
            self.skipTest("there is no module command")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        for name in ("somempi/4.1", "someblas/0.3", "cmake/3.25"):
            (folder / "modules" / name).parent.mkdir(parents=True)
            (folder / "modules" / name).write_text(f"#%Module1.0\nappend-path LOADED {name}\n", encoding="utf-8")
        environment = {**os.environ, "LOADEDMODULES": "somempi/4.1:cmake/3.25:someblas/0.3"}
        for command in (["cmake", "-S", ROOT / "tests/cli/site", "-B", folder / "build", f"-DQUARTET_SOURCES={ROOT}",
                         f"-DCMAKE_INSTALL_PREFIX={folder}/prefix"],
                        ["cmake", "--install", folder / "build"]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        for init in kinds:
            for words in ("load quartet", "load someblas quartet"):
                done = subprocess.run(
                    ["sh", "-c", f". {init} && module use {folder}/modules {folder}/prefix/share/modulefiles && "
                     f"module {words} && echo $LOADED"], text=True, capture_output=True, check=True)
                self.assertEqual(sorted(done.stdout.strip().split(":")), ["someblas/0.3", "somempi/4.1"], done)


if __name__ == "__main__":
    unittest.main(verbosity=2)

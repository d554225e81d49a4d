"""`module load` of what `cmake --install` leaves, with the module commands that are there."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

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


if __name__ == "__main__":
    unittest.main(verbosity=2)

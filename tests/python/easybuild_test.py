"""EasyBuild reads the recipe and finds all that it depends on, where `eb` is on PATH. It builds nothing."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_dev.commands import release

NAME, RECIPE = release.recipe("1.2.3", b"")
COMMANDS = [Path(path) for path in ("/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/lib/modulecmd.tcl",
                                    "/usr/share/modules/libexec/modulecmd.tcl")]


@unittest.skipUnless(shutil.which("eb"), "there is no EasyBuild on PATH")
class EasyBuild(unittest.TestCase):
    def dry_run(self, text):
        command = next((path for path in COMMANDS if path.exists()), None)
        if not command:
            self.skipTest("there are no environment modules")
        with tempfile.TemporaryDirectory() as folder:
            recipe = Path(folder) / NAME
            recipe.write_text(text, encoding="utf-8")
            (Path(folder) / "libexec").mkdir()
            (Path(folder) / "libexec/modulecmd.tcl").symlink_to(command)
            return subprocess.run(
                ["eb", "--allow-use-as-root-and-accept-consequences", "--modules-tool=EnvironmentModules",
                 "--module-syntax=Tcl", f"--prefix={folder}/prefix", "--robot", "--dry-run", recipe], text=True,
                capture_output=True, check=False, cwd=folder,
                env={**os.environ, "HOME": folder, "MODULESHOME": folder})

    def test_it_reads_the_recipe_and_finds_its_dependencies(self):
        done = self.dry_run(RECIPE)
        self.assertEqual(done.returncode, 0, done)
        for module in ("quartet/1.2.3-foss-2024a", "foss/2024a", "hwloc/", "Python/"):
            self.assertIn(f"(module: {module}", done.stdout)

    def test_it_refuses_a_recipe_whose_dependency_nobody_has(self):
        done = self.dry_run(RECIPE.replace("'hwloc'", "'nothing'"))
        self.assertNotEqual(done.returncode, 0, done)
        self.assertIn("nothing", done.stdout + done.stderr)

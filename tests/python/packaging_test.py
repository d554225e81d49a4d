"""Tests of the recipes for package managers and of the bundle for GPUs. EasyBuild reads its recipe where `eb` is on
PATH; it builds nothing."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_dev.commands import release
from tree import ROOT

PACKAGING = ROOT / "scripts" / "packaging"
SPACK = PACKAGING / "spack/packages/quartet/package.py"
EASYBUILD = PACKAGING / "easybuild/quartet.eb.in"
BUNDLE = (PACKAGING / "gpu_bundle.sh").read_text(encoding="utf-8")
SETUP = (ROOT / "scripts" / "setup.sh").read_text(encoding="utf-8")
# Without them a transport or a formulation is left out; neither runs on GPUs.
NOT_FOR_GPUS = {"libgrpc++-dev", "libscalapack-openmpi-dev"}
NAME, RECIPE = release.recipe("7.8.9", b"")
COMMANDS = [Path(path) for path in ("/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/lib/modulecmd.tcl",
                                    "/usr/share/modules/libexec/modulecmd.tcl")]


class Recipes(unittest.TestCase):
    def test_they_name_options_that_the_build_has(self):
        files = [ROOT / "CMakeLists.txt", *(ROOT / "scripts/cmake").glob("*.cmake")]
        text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        options = set(re.findall(r"(?:option\(|set\()(QUARTET_\w+) (?:\S+ CACHE|\")", text))
        for file in (SPACK, EASYBUILD):
            named = set(re.findall(r"QUARTET_\w+", file.read_text(encoding="utf-8")))
            self.assertGreater(len(named), 2)
            self.assertLessEqual(named, options, file)

    def test_the_recipe_of_a_release_has_its_version_and_name(self):
        self.assertEqual(NAME, "quartet-7.8.9-foss-2024a.eb")
        self.assertIn("\nversion = '7.8.9'\n", RECIPE)
        self.assertIn("e3b0c44298fc1c14", RECIPE)  # SHA-256 of nothing
        self.assertNotIn("@", RECIPE)
        compile(RECIPE, NAME, "exec")

    def test_version_and_least_python_stand_in_one_file(self):
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        for name in ("CMakeLists.txt", "CITATION.cff", "pyproject.toml"):
            self.assertNotIn(version, (ROOT / name).read_text(encoding="utf-8"), name)
        least = re.search(r'requires-python = ">=(\d+)\.(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        launcher = (ROOT / "scripts/quartet").read_text(encoding="utf-8")
        self.assertIn(f"sys.version_info < ({least[1]}, {least[2]})", launcher)

    def test_the_spack_repository_holds_a_package_whose_clone_is_this_one(self):
        text = SPACK.read_text(encoding="utf-8")
        compile(text, SPACK, "exec")
        self.assertIn("class Quartet(CMakePackage)", text)
        ups = int(re.search(r"\[os\.pardir\] \* (\d)", text)[1])
        self.assertEqual(SPACK.parents[ups], ROOT)
        self.assertTrue((PACKAGING / "spack/repo.yaml").exists())

    @unittest.skipUnless(shutil.which("eb") and any(path.exists() for path in COMMANDS), "no EasyBuild, or no modules")
    def test_easybuild_finds_the_recipes_dependencies_or_refuses_it(self):
        for text, code in ((RECIPE, 0), (RECIPE.replace("'hwloc'", "'nothing'"), 1)):
            with tempfile.TemporaryDirectory() as folder:
                recipe = Path(folder) / NAME
                recipe.write_text(text, encoding="utf-8")
                (Path(folder) / "libexec").mkdir()
                (Path(folder) / "libexec/modulecmd.tcl").symlink_to(next(path for path in COMMANDS if path.exists()))
                done = subprocess.run(
                    ["eb", "--allow-use-as-root-and-accept-consequences", "--modules-tool=EnvironmentModules",
                     "--module-syntax=Tcl", f"--prefix={folder}/prefix", "--robot", "--dry-run", recipe], text=True,
                    capture_output=True, check=False, cwd=folder,
                    env={**os.environ, "HOME": folder, "MODULESHOME": folder})
            self.assertEqual(bool(done.returncode), bool(code), done)
            for module in ("quartet/7.8.9-foss-2024a", "foss/2024a", "hwloc/", "Python/") if not code else ():
                self.assertIn(f"(module: {module}", done.stdout)


class Bundle(unittest.TestCase):
    def test_each_library_that_setup_installs_is_in_it(self):
        packages = set(re.search(r"^packages=\(\n(.*?)^\)", BUNDLE, re.MULTILINE | re.DOTALL)[1].split())
        wanted = set(re.findall(r"^(?:run|test) +\S+ +(\S+-dev) ", SETUP, re.MULTILINE))
        self.assertGreater(len(wanted), 10)
        self.assertEqual(wanted - packages, NOT_FOR_GPUS)

    @unittest.skipUnless(os.geteuid() == 0, "another user's folder needs root")
    def test_what_another_user_has_put_there_is_not_run(self):
        with tempfile.TemporaryDirectory() as root:
            os.chown(root, 65534, 65534)
            done = subprocess.run(["bash", "-c", f'. "{PACKAGING}/gpu_env.sh"; echo "$? $PATH"'],
                                  env={"PATH": os.environ["PATH"], "QUARTET_GPU_ROOT": root}, text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout, f"2 {os.environ['PATH']}\n")
            self.assertIn(f"{root} is another user's", done.stderr)
            os.chown(root, 0, 0)

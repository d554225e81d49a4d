"""Tests of the recipes for package managers, as far as none of them is needed."""

import re
import unittest

from quartet_dev.commands import release
from tree import ROOT

DEPLOY = ROOT / "scripts" / "packaging"
SPACK = DEPLOY / "spack/packages/quartet/package.py"
EASYBUILD = DEPLOY / "easybuild/quartet.eb.in"


def options():
    files = [ROOT / "CMakeLists.txt", *(ROOT / "scripts/cmake").glob("*.cmake")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return set(re.findall(r"(?:option\(|set\()(QUARTET_\w+) (?:\S+ CACHE|\")", text))


class Recipes(unittest.TestCase):
    def test_they_name_options_that_the_build_has(self):
        self.assertLess({"QUARTET_NATIVE", "QUARTET_TESTS", "QUARTET_GRPC"}, options())
        for file in (SPACK, EASYBUILD):
            named = set(re.findall(r"QUARTET_\w+", file.read_text(encoding="utf-8")))
            self.assertGreater(len(named), 2)
            self.assertLessEqual(named, options(), file)

    def test_the_recipe_of_a_release_has_its_version_and_name(self):
        name, text = release.recipe("7.8.9", b"")
        self.assertEqual(name, "quartet-7.8.9-foss-2024a.eb")
        self.assertIn("\nversion = '7.8.9'\n", text)
        self.assertIn("e3b0c44298fc1c14", text)  # SHA-256 of nothing
        self.assertNotIn("@", text)
        compile(text, name, "exec")

    def test_the_version_stands_in_one_file(self):
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        for name in ("CMakeLists.txt", "CITATION.cff", "pyproject.toml"):
            text = (ROOT / name).read_text(encoding="utf-8")
            self.assertNotIn(version, text, name)

    def test_the_least_python_stands_in_one_file_and_the_launcher_obeys_it(self):
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        least = re.search(r'requires-python = ">=(\d+)\.(\d+)"', text)
        launcher = (ROOT / "scripts/quartet").read_text(encoding="utf-8")
        self.assertIn(f"sys.version_info < ({least[1]}, {least[2]})", launcher)
        self.assertIn(f'target-version = "py{least[1]}{least[2]}"', text)

    def test_the_spack_repository_holds_a_package_whose_clone_is_this_one(self):
        text = SPACK.read_text(encoding="utf-8")
        compile(text, SPACK, "exec")
        self.assertIn("class Quartet(CMakePackage)", text)
        self.assertEqual(SPACK.parents[4], ROOT / "scripts")
        ups = int(re.search(r"\[os\.pardir\] \* (\d)", text)[1])
        self.assertEqual(SPACK.parents[ups], ROOT)
        self.assertTrue((DEPLOY / "spack/repo.yaml").exists())

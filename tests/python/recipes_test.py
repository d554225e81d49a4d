"""Tests of the recipes for package managers, as far as none of them is needed."""

import re
import unittest

from tree import ROOT

DEPLOY = ROOT / "scripts" / "packaging"
SPACK = DEPLOY / "spack/packages/quartet/package.py"
EASYBUILD = sorted((DEPLOY / "easybuild").glob("*.eb"))


def options():
    files = [ROOT / "CMakeLists.txt", *(ROOT / "scripts/cmake").glob("*.cmake")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return set(re.findall(r"(?:option\(|set\()(QUARTET_\w+) (?:\S+ CACHE|\")", text))


class Recipes(unittest.TestCase):
    def test_they_name_options_that_the_build_has(self):
        self.assertLess({"QUARTET_NATIVE", "QUARTET_TESTS", "QUARTET_GRPC"}, options())
        for file in (SPACK, *EASYBUILD):
            named = set(re.findall(r"QUARTET_\w+", file.read_text(encoding="utf-8")))
            self.assertGreater(len(named), 2)
            self.assertLessEqual(named, options(), file)

    def test_the_easyconfig_is_of_this_version_and_of_its_name(self):
        version = re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
                            .partition("project(quartet")[2])[1]
        for file in EASYBUILD:
            text = file.read_text(encoding="utf-8")
            compile(text, file, "exec")
            toolchain = re.search(r"'name': '(.*)', 'version': '(.*)'", text)
            self.assertIn(f"\nversion = '{version}'\n", text)
            self.assertEqual(file.name, f"quartet-{version}-{toolchain[1]}-{toolchain[2]}.eb")

    def test_the_spack_repository_holds_a_package_whose_clone_is_this_one(self):
        text = SPACK.read_text(encoding="utf-8")
        compile(text, SPACK, "exec")
        self.assertIn("class Quartet(CMakePackage)", text)
        self.assertEqual(SPACK.parents[4], ROOT / "scripts")
        ups = int(re.search(r"\[os\.pardir\] \* (\d)", text)[1])
        self.assertEqual(SPACK.parents[ups], ROOT)
        self.assertTrue((DEPLOY / "spack/repo.yaml").exists())

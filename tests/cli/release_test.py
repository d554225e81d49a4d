"""The release tarball: what it carries, and that it builds by that alone."""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import unittest

from fake_build import temporary_folder
from quartet_dev.commands import release
from tree import QUARTET, ROOT

# A source that uses each library, by the name of its package for CMake.
OBJECTS = {
    "fmt": "common/core/CMakeFiles/quartet_core.dir/units.cpp.o",
    "Random123": "common/core/CMakeFiles/quartet_core.dir/data_source.cpp.o",
    "XxHash": "common/core/CMakeFiles/quartet_core.dir/files/checksum.cpp.o",
    "nlohmann_json": "common/core/CMakeFiles/quartet_core.dir/files/tiles.cpp.o",
    "CLI11": "common/bench/CMakeFiles/quartet_bench.dir/flags/command_line.cpp.o",
}
HEADERS = r"/(fmt/\w+\.h|CLI/\w+\.hpp|nlohmann/[\w/]+\.hpp|Random123/[\w/]+\.h|xxhash\.h)$"


def run(*command, **more):
    return subprocess.run(command, text=True, capture_output=True, check=False, **more)


def commit_of_the_tree():
    """With what has been changed but is not committed."""
    somebody = {f"GIT_{who}_{what}": "test@test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = run("git", "-C", ROOT, "stash", "create", env={**os.environ, **somebody})
    return done.stdout.strip() or "HEAD"


@unittest.skipUnless(shutil.which("git") and (ROOT / ".git").exists(), "this is no clone")
class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = temporary_folder(cls.addClassCleanup)
        cls.commit = commit_of_the_tree()
        cls.file = cls.folder / "quartet.tar.gz"
        done = cls.make(cls.file)
        assert done.returncode == 0, done
        with tarfile.open(cls.file) as archive:
            archive.extractall(cls.folder)
        cls.root = next(path for path in cls.folder.glob("quartet-*") if path.is_dir())

    @classmethod
    def make(cls, file, *more, **environment):
        return run(*QUARTET, "release", "--commit", cls.commit, "--output", file, *more,
                   env={**os.environ, **environment})

    def test_it_has_the_commit_and_each_library_with_its_licence(self):
        self.assertRegex((self.root / "COMMIT").read_text(encoding="utf-8"), "^[0-9a-f]{7,40}\n$")
        self.assertTrue((self.root / "cg/main.cpp").exists())
        about = (self.root / "carried/README.md").read_text(encoding="utf-8")
        for name, (headers, _) in release.LIBRARIES.items():
            self.assertTrue((self.root / "carried/include" / headers).exists())
            licence = (self.root / f"carried/licences/{name}.txt").read_text(encoding="utf-8")
            self.assertRegex(" ".join(licence.split()), "(?i)permission is hereby granted|redistribution and use")
            self.assertIn(f"- {name} ", about)

    def test_the_same_commit_gives_the_same_bytes(self):
        again = self.folder / "again.tar.gz"
        self.make(again)
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (self.file, again)]
        self.assertEqual(*digests)

    def test_a_recipe_with_its_checksum_lies_beside(self):
        recipe, = self.folder.glob("quartet-*.eb")
        self.assertIn(hashlib.sha256(self.file.read_bytes()).hexdigest(), recipe.read_text(encoding="utf-8"))
        self.assertTrue(recipe.name.startswith(f"{self.root.name}-"))

    def test_nothing_is_carried_without_a_licence(self):
        done = self.make(self.folder / "none.tar.gz", "--licence", f"fmt={self.folder}/nowhere")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("fmt: no licence", done.stderr)
        self.assertFalse((self.folder / "none.tar.gz").exists())

    def test_unknown_words_are_refused(self):
        for words, problem in ((["--licence", "mpi=x"], "'mpi=x' is no NAME=FILE"), (["--commit", "none"], "git show")):
            done = self.make(self.folder / "none.tar.gz", *words)
            self.assertIn(done.returncode, (2, 3))
            self.assertIn(problem, done.stderr)

    def test_sources_compile_with_the_carried_headers_alone(self):
        build = self.folder / "build"
        done = run("cmake", "-S", self.root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                   "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DQUARTET_TESTS=OFF",
                   "-DQUARTET_CUDA=OFF", "-DQUARTET_GRPC=OFF",
                   *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in OBJECTS))
        self.assertEqual(done.returncode, 0, done)
        for package in OBJECTS:
            self.assertIn(f"{package}: the headers of the release itself", done.stdout)
        done = run("cmake", "--build", build, "--target", *OBJECTS.values(), "quartet_version")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.check_headers(build)
        symbols = run("nm", "-C", build / OBJECTS["fmt"]).stdout
        self.assertIn("fmt::v", symbols)
        self.assertNotRegex(symbols, " U fmt::")  # no library of fmt's is needed
        commit = (self.root / "COMMIT").read_text(encoding="utf-8").strip()
        self.assertIn(f'commit {commit})', (build / "common/bench/version.cpp").read_text(encoding="utf-8"))

    def check_headers(self, build):
        """What the compiler read, as Ninja keeps it."""
        for package, name in OBJECTS.items():
            listing = run("ninja", "-C", build, "-t", "deps", name).stdout.split()
            read = [path for path in listing if re.search(HEADERS, path)]
            self.assertTrue(read, package)
            for path in read:
                self.assertTrue(path.startswith(f"{self.root}/carried/include/"), path)


if __name__ == "__main__":
    unittest.main(verbosity=2)

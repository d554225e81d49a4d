"""CMake in the sources' own folder leaves our Makefile alone, and the version names their commit alone."""

import shutil
import subprocess
import unittest

from fake_build import Scratch
from tree import ROOT


class Sources(Scratch):
    def test_cmake_in_their_folder_leaves_the_makefile(self):
        for file in ("CMakeLists.txt", "Makefile"):
            shutil.copy(ROOT / file, self.folder)
        done = subprocess.run(["cmake", "."], cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertIn("would overwrite the Makefile", done.stderr)
        self.assertEqual((self.folder / "Makefile").read_bytes(), (ROOT / "Makefile").read_bytes())


@unittest.skipUnless(shutil.which("git"), "needs git")
class Version(Scratch):
    def commit(self, folder):
        """Makes a repository of one commit; returns its name."""
        somebody = ("-c", "user.name=test", "-c", "user.email=test@test")
        for words in (("init", "--quiet"), ("add", "."), (*somebody, "commit", "--quiet", "--message", "One")):
            subprocess.run(["git", "-C", folder, *words], check=True)
        done = subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], check=True, text=True,
                              capture_output=True)
        return done.stdout.strip()

    def recorded(self, sources):
        (self.folder / "values.cmake").touch()
        (self.folder / "input").write_text("@QUARTET_COMMIT@")
        output = self.folder / "output"
        subprocess.run(["cmake", "-D", f"SOURCE_DIR={sources}", "-D", f"VALUES={self.folder / 'values.cmake'}",
                        "-D", f"INPUT={self.folder / 'input'}", "-D", f"OUTPUT={output}",
                        "-P", ROOT / "scripts/cmake/write_version.cmake"], check=True)
        return output.read_text().strip()

    def test_it_names_no_commit_of_a_repository_above_the_sources(self):
        sources = self.folder / "above" / "sources"
        sources.mkdir(parents=True)
        (sources / "file").write_text("content")
        above = self.commit(sources.parent)
        self.assertEqual(self.recorded(sources.parent), above)
        self.assertEqual(self.recorded(sources), "unknown")
        (sources / "COMMIT").write_text("1a2b3c4\n")
        self.assertEqual(self.recorded(sources), "1a2b3c4")
        (sources / "COMMIT").unlink()
        (sources / "file").write_text("another")
        own = self.commit(sources)
        self.assertEqual(self.recorded(sources), own)

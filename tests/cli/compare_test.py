"""Google Benchmark's own compare.py reads our documents, and tests whether they differ."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, run, unavailable_transports

PYTHON = os.environ.get("QUARTET_PYTHON_WITH_SCIPY")
COMPARE = next((path for path in (Path("/usr/share/benchmark/compare.py"),
                                  Path("/usr/local/share/benchmark/compare.py"),
                                  Path("/usr/share/googlebenchmark/tools/compare.py"),
                                  Path("/usr/local/share/googlebenchmark/tools/compare.py"))
                if path.exists()), None)


@unittest.skipUnless(COMPARE, "compare.py is not installed (Debian: libbenchmark-tools)")
@unittest.skipUnless(PYTHON, "no Python with numpy and scipy")
class Compare(unittest.TestCase):
    def test_reads_two_documents_of_nine_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            for kernel in KERNELS:
                transports = ["mpi", *unavailable_transports(kernel)[:1]]  # with an error row
                files = [Path(folder) / f"{kernel.name}-{which}.json" for which in ("a", "b")]
                for file in files:
                    outcome = run(kernel.name, 2, kernel.small, "--runs 9 --json", str(file),
                                  "--transport", ",".join(transports))
                    self.assertEqual(outcome.code, 0 if len(transports) == 1 else 77, outcome)
                self.assert_compared(kernel, files)

    def assert_compared(self, kernel, files):
        done = subprocess.run([PYTHON, COMPARE, "--no-color", "benchmarks", *files],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        words = done.stdout.split()
        for name in kernel.names(2, ["mpi"]):
            if "/native/" in name:
                self.assertEqual(words.count(name), 9)
                self.assertEqual(words.count(f"{name}_pvalue"), 1)
        self.assertIn("U Test, Repetitions: 9 vs 9", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)

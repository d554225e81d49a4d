"""fake_gpu_test.py FOLDER: scripts/gpu.py over the programs that run on a fake GPU,
fake_gpu_* in FOLDER: all that they list on cuda runs, and is right."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from quartet.kernels import NAMES  # noqa: E402


class FakeGpu(unittest.TestCase):
    def test_all_that_is_listed_runs_and_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            programs = Path(folder) / "bin"
            programs.mkdir()
            for name in NAMES:
                (programs / name).symlink_to(FOLDER / f"fake_gpu_{name}")
            done = subprocess.run(
                [sys.executable, ROOT / "scripts" / "gpu.py", "--build", folder, "--results",
                 Path(folder) / "results", "--gpu", "Fake GPU, 9.0", "--only", "check"],
                text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in NAMES:
            self.assertRegex(done.stdout, rf"ok .* {name}, 2 ranks, native")
        self.assertNotIn("FAILED", done.stdout)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop(1))
    unittest.main()

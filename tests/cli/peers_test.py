"""The data flows by TensorFlow itself, beside ours: the same problem, a verified result, a valid document.

Each starts processes that import TensorFlow, which takes seconds: skipped where scripts/setup.sh tensorflow has not
made its environment."""

import sys
import unittest

import schemas
from quartet.exit_codes import ScriptError
from quartet.launch import Files, LocalLauncher
from quartet.paths import LAUNCHER
from quartet.results import rows_of, load
from quartet_cli import Scratch, run
from quartet_dev.commands import peers
from quartet_dev.goals import RANKS

COMMON = "--device host --threads 1 --runs 2 --limits off --formulation dataflow --transport shm"
SECONDS = 240
# Ranks, flags, whether there are files, and whether the paper's clock is another.
PROBLEMS = {"stream": (2, "--sizes 64KiB --pushes 3", False, True),
            "matmul": (4, "--size 96 --tile 24 --reducers 2", True, False),
            "cg": (3, "--size 64 --iterations 12 --problem random", True, False),
            "fft": (3, "--size 2^10 --tiles 8", True, True)}


class Peers(Scratch):
    def test_each_kernel_is_verified_beside_our_data_flow(self):
        for kernel in PROBLEMS:
            with self.subTest(kernel):
                self.beside(kernel)

    def beside(self, kernel):
        ranks, flags, has_files, has_paper_clock = PROBLEMS[kernel]
        folder = self.folder / kernel
        folder.mkdir()
        data = f"--generate --data {folder / 'data'}" if has_files else ""
        ours = run(kernel, ranks, COMMON, flags, data, f"--json {folder / 'ours-1.json'}")
        self.assertEqual(ours.code, 0, ours.stderr)
        variant = peers.TensorFlowVariant("tensorflow", RANKS, (), companions="ours-*.json", data=folder / "data")
        files = Files(folder / "theirs.json", folder / "theirs.log")
        running = LocalLauncher(LAUNCHER).submit(variant.job(folder, kernel, files), files.log)
        self.assertEqual(running.wait(SECONDS), 0, files.log.read_text())
        schemas.validator("results").validate(load(files.document))
        case, = rows_of(load(files.document))
        expected, = rows_of(ours.document)
        self.assertEqual(case.text, expected.text.replace("/dataflow/host/shm/", "/tensorflow/host/grpc/"))
        self.assertEqual((case.verified, len(case.rates), case.workers), (True, 2, expected.workers))
        self.assertEqual(case.paper_rate is not None, has_paper_clock)


if __name__ == "__main__":
    try:
        peers.require_tensorflow(peers.PYTHON)
    except ScriptError as error:
        print(f"skipped: {error}")
        sys.exit()
    unittest.main()

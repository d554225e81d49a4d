"""The data flows by TensorFlow itself, beside ours: the same problem, a verified result, a valid document.

Each starts three or four processes that import TensorFlow, which takes seconds: skipped where
scripts/setup.sh tensorflow has not made its environment."""

import sys
import tempfile
import unittest
from pathlib import Path

import schemas
from quartet.launch import Files
from quartet.results import cases, load
from quartet_cli import run
from quartet_dev.peers.tensorflow import environment
from quartet_dev.peers.tensorflow.launch import TensorFlow

COMMON = "--device host --threads 1 --runs 2 --limits off --remeasure off --formulation dataflow --transport shm"
SECONDS = 240
# Ranks, flags, whether there are files, and whether the paper's clock is another.
PROBLEMS = {"stream": (2, "--sizes 64KiB --pushes 3", False, True),
            "matmul": (4, "--size 96 --tile 24 --reducers 2", True, False),
            "cg": (3, "--size 64 --iterations 12 --problem random", True, False),
            "fft": (3, "--size 2^10 --tiles 8", True, True)}


class Peers(unittest.TestCase):
    def beside(self, kernel):
        ranks, flags, has_files, has_paper_clock = PROBLEMS[kernel]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            data = f"--generate --data {folder / 'data'}" if has_files else ""
            ours = run(kernel, ranks, COMMON, flags, data, f"--json {folder / 'ours-1.json'}")
            self.assertEqual(ours.code, 0, ours.stderr)
            peer = TensorFlow(kernel, environment.PYTHON, folder / "ours-*.json", folder / "data")
            files = Files(folder / "theirs.json", folder / "theirs.log")
            outcome = peer.complete(None, ranks, files, SECONDS)
            self.assertEqual((outcome.exit_code, outcome.message), (0, ""), files.log.read_text())
            schemas.validator("results").validate(load(files.document))
            case, = peer.read(files.document)
            expected, = cases(ours.document)
            self.assertEqual(case.text, expected.text.replace("/dataflow/host/shm/", "/tensorflow/host/grpc/"))
            self.assertEqual((case.verified, len(case.rates), case.workers),
                             (True, 2, expected.workers))
            self.assertEqual(any(row["name"].endswith("/paper_median")
                                 for row in load(files.document)["benchmarks"]), has_paper_clock)

    def test_vector_is_pushed_and_added(self):
        self.beside("stream")

    def test_tiles_are_multiplied_and_added_by_two_reducers(self):
        self.beside("matmul")

    def test_system_is_solved_by_two_workers(self):
        self.beside("cg")

    def test_tiles_of_two_workers_are_merged(self):
        self.beside("fft")


if __name__ == "__main__":
    reason = environment.why_not(environment.PYTHON)
    if reason:
        print(f"skipped: {reason}")
        sys.exit()
    unittest.main()

"""cg over the fake GPU, whose memory the CPU cannot touch: every way to solve is verified."""

import tempfile
import unittest
from pathlib import Path

from quartet_cli import run
from verified import WAYS, assert_verified

EVERY_WAY = "--storage full,symmetric --algorithm classic,single-reduction"


def on_gpu(ranks, *arguments):
    return run("fake_gpu_cg", ranks, "--device cuda --threads 1 --runs 1 --warmup 0 --remeasure off", *arguments)


class StandInCg(unittest.TestCase):
    def test_solves_by_every_storage_and_algorithm(self):
        for ranks, transport in WAYS:
            for problem in ("--problem laplace --size 131 --iterations 12",
                            "--problem random --size 7 --iterations 3"):
                with self.subTest(ranks=ranks, transport=transport, problem=problem):
                    assert_verified(self, on_gpu(ranks, problem, EVERY_WAY,
                                                 f"--transport {transport}"), 4)

    def test_goes_on_from_a_checkpoint_with_the_same_residuals(self):
        case = "--size 60 --iterations 40"
        whole = on_gpu(1, case).document
        with tempfile.TemporaryDirectory() as folder:
            saved = f"--checkpoint {Path(folder) / 'saved'} --every 25 --device cuda --threads 1"
            self.assertEqual(run("fake_gpu_cg", 1, case, saved).code, 0)
            outcome = run("fake_gpu_cg", 1, case, saved, "--restart")
            self.assertEqual(outcome.code, 0, outcome)
        histories = [row["residual_history"] for document in (whole, outcome.document)
                     for row in document["benchmarks"] if "residual_history" in row]
        self.assertGreater(len(histories), 1)
        for history in histories:
            self.assertEqual(history, histories[0])


if __name__ == "__main__":
    unittest.main()

"""stream over the fake GPU: every transport of GPU memory that can be had there, end to end."""

import os
import unittest
from unittest import mock

from quartet_cli import assert_refused, cases, errors, medians, run

SMALL = "--sizes 4KiB,1MiB --pushes 3 --runs 1 --threads 1"


class StandInStream(unittest.TestCase):
    def assert_verified(self, outcome, expected):
        """Every case is verified, and those of the expected device and transport are all."""
        self.assertEqual((outcome.code, outcome.left), (0, []), outcome)
        self.assertEqual(errors(outcome.document), [])
        self.assertEqual({tuple(name.split("/")[2:4]) for name in cases(outcome.document)}, expected)
        for median in medians(outcome.document):
            self.assertIs(median["verified"], True, median)

    def test_pushes_arrive_over_every_transport(self):
        for ranks in (2, 3):
            for transfer in ("", "--chunk 3000", "--pipeline off"):
                with self.subTest(ranks=ranks, transfer=transfer):
                    outcome = run("fake_gpu_stream", ranks, SMALL, transfer,
                                  "--device cuda --transport staged,ipc")
                    self.assert_verified(outcome, {("cuda", "staged"), ("cuda", "ipc")})

    def test_the_data_flow_copies_its_payloads_out_of_one_gpu_and_into_the_other(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                outcome = run("fake_gpu_stream", ranks, SMALL,
                              "--device cuda --formulation dataflow --transport staged,ipc")
                self.assert_verified(outcome, {("cuda", "staged"), ("cuda", "ipc")})

    def test_automatic_is_the_gpu_where_its_memory_can_be_moved(self):
        self.assert_verified(run("fake_gpu_stream", 2, SMALL), {("cuda", "ipc")})
        self.assert_verified(run("fake_gpu_stream", 2, SMALL, "--transport shm"), {("host", "shm")})

    def test_without_a_usable_gpu_automatic_is_the_host(self):
        for refuses, reason in (("device", "GPU 0 cannot be used"),
                                ("kernels", "no kernels for GPU 0"),
                                ("all", "the toolkit's stub")):
            with self.subTest(refuses), \
                    mock.patch.dict(os.environ, QUARTET_STAND_IN_REFUSES=refuses):
                self.assert_verified(run("fake_gpu_stream", 2, SMALL), {("host", "shm")})
                outcome = run("fake_gpu_stream", 2, SMALL, "--device cuda")
                assert_refused(self, outcome, 77, "stream", "no CUDA device", reason)

    def test_says_why_the_rest_cannot_be_had(self):
        outcome = run("fake_gpu_stream", 2, "--list")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("transports on cuda (auto: ipc)", outcome.stdout)
        lines = {line.split()[0]: line for line in outcome.stdout.splitlines() if line}
        for name in ("cuda", "staged", "ipc"):
            self.assertTrue(lines[name].endswith(" available"), lines[name])
        for name in ("shm", "rma"):
            self.assertIn("memory of the host", lines[name])
        self.assertRegex(lines["mpi"], " available$|needs an MPI that reaches memory of GPUs")
        self.assertRegex(lines["nccl"], "needs a GPU for each rank|not available in this build")


if __name__ == "__main__":
    unittest.main()

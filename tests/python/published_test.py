"""Tests of quartet.results.published: which number may stand beside a result."""

import unittest
from types import SimpleNamespace

from quartet.results import published
from quartet.results.case import Name


def result(math):
    name = Name.parse(f"matmul/dataflow/cuda/ipc/n:32768{math}/tile:8192/reducers:2/queue:16/ranks:18/threads:1")
    return SimpleNamespace(name=name, unit="GFLOP/s", workers=16, nodes=4, gpus=())


class Published(unittest.TestCase):
    def test_a_number_in_float32_is_for_results_in_float32(self):
        self.assertEqual(published.nearest(result("")).value, 2478)
        self.assertIsNone(published.nearest(result("/math:tf32")))
        self.assertIsNone(published.nearest(result("/math:bf16x9")))


if __name__ == "__main__":
    unittest.main()

"""Tests of what TensorFlow's programs do by NumPy alone: merging, references and their checks."""

import math
import unittest

import pytest

from fake_build import Scratch

np = pytest.importorskip("numpy")
from quartet_dev.tensorflow import cg, fft, matmul, stream  # noqa: E402


class Folder(Scratch):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(1)


class ConjugateGradients(Folder):
    def test_reference_solves_the_system(self):
        half = self.random.random((12, 12))
        matrix, right = half @ half.T + 12 * np.eye(12), self.random.random(12)
        np.testing.assert_allclose(cg.solution(matrix, right, 12), np.linalg.solve(matrix, right), rtol=1e-9)
        self.assertGreater(np.abs(cg.solution(matrix, right, 1) - np.linalg.solve(matrix, right)).max(), 1e-6)


class Products(Folder):
    def setUp(self):
        super().setUp()
        self.a, self.b = (self.random.random((8, 8), dtype=np.float32) for _ in range(2))
        for name, whole in (("A", self.a), ("B", self.b)):
            for i in range(2):
                for j in range(2):
                    np.save(self.folder / f"{name}_{i}_{j}.npy", whole[4 * i:4 * i + 4, 4 * j:4 * j + 4])

    def test_error_shows_which_tiles_are_wrong(self):
        product = self.a.astype(float) @ self.b
        tiles = {matmul.target(2, i, j): product[4 * i:4 * i + 4, 4 * j:4 * j + 4].copy()
                 for i in range(2) for j in range(2)}
        self.assertLess(matmul.worst_error(self.folder, 2, tiles), 1e-14)
        tiles[2][3, 3] *= 1.01
        self.assertGreater(matmul.worst_error(self.folder, 2, tiles), 1e-4)
        tiles[2] = tiles[1]
        self.assertGreater(matmul.worst_error(self.folder, 2, tiles), 1e-2)
        tiles[2] = np.full((4, 4), math.nan)
        self.assertTrue(math.isnan(matmul.worst_error(self.folder, 2, tiles)))


class Transforms(Folder):
    def test_merger_makes_one_transform_of_the_tiles(self):
        x = self.random.random(96) + 1j * self.random.random(96)
        for tiles in (1, 2, 8, 32):
            parts = np.stack([np.fft.fft(x[t::tiles]) for t in range(tiles)])
            np.testing.assert_allclose(fft.merged(parts), np.fft.fft(x), atol=1e-12)
            if tiles > 1:
                self.assertGreater(np.abs(fft.merged(parts[::-1]) - np.fft.fft(x)).max(), 0.1)


class Pushes(unittest.TestCase):
    def test_sums_of_what_is_pushed_are_exact(self):
        pattern = stream.pattern(4096)
        self.assertEqual((len(pattern), pattern.dtype), (1024, np.float32))
        total = np.zeros(1024, np.float32)
        for _ in range(400):
            total += pattern
        np.testing.assert_array_equal(total, pattern * np.float32(400))
        self.assertEqual(len(set(pattern)), 7, "elements in another order are noticed")

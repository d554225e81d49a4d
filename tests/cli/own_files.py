"""Files of a user's own, made by NumPy, and what NumPy makes of the results."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import run

PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY")
BAD_USAGE, UNAVAILABLE = 2, 77
ONCE = "--runs 1 --warmup 0 --limits off --device host --threads 1"

# Ragged edges: 37 rows in tiles of 12; blocks of 10, 0 and 13 rows; 360 points in 5 tiles.
MAKE = """
import sys, os, numpy as np
rng = np.random.default_rng(1)
os.chdir(sys.argv[1])
for folder in ("matmul", "cg", "fft"):
    os.makedirs(folder)
for name in "AB":
    m = rng.standard_normal((37, 37)).astype("f4")
    np.save(f"{name}.npy", m)
    for i in range(4):
        for j in range(4):
            np.save(f"matmul/{name}_{i}_{j}.npy", m[12 * i:12 * i + 12, 12 * j:12 * j + 12])
m = rng.standard_normal((23, 23))
m, b = m @ m.T + 23 * np.eye(23), rng.standard_normal(23)
np.save("M.npy", m)
np.save("b.npy", b)
for r, rows in enumerate((slice(0, 10), slice(10, 10), slice(10, 23))):
    np.save(f"cg/A-{r}.npy", m[rows])
    np.save(f"cg/b-{r}.npy", b[rows])
x = rng.standard_normal(360) + 1j * rng.standard_normal(360)
np.save("x.npy", x)
for t in range(5):
    np.save(f"fft/x-{t}.npy", x[t::5])
"""

# Puts what was kept together and prints its largest error, relative to NumPy's result in float64.
COMPARE = """
import sys, os, re, json, numpy as np
kernel, ranks = sys.argv[2], int(sys.argv[3])
os.chdir(sys.argv[1])
load = lambda name: np.load(name + ".npy")
if kernel == "matmul":
    found = np.block([[load(f"matmul/C_{i}_{j}") for j in range(4)] for i in range(4)])
    wanted = load("A").astype("f8") @ load("B").astype("f8")
elif kernel == "cg":
    assert not os.path.exists(f"cg/X-{ranks}.npy")
    found = np.concatenate([load(f"cg/X-{r}") for r in range(ranks)])
    wanted = np.linalg.solve(load("M"), load("b"))
else:
    assert not os.path.exists(f"fft/result/X-{ranks}.npy")
    manifest = json.load(open("fft/result/manifest.json"))
    assert "seed" not in manifest
    order = manifest["order"]
    parts = [load(f"fft/result/X-{r}") for r in range(ranks)]
    wanted = np.fft.fft(load("x"))
    if order.startswith("natural"):
        found = np.concatenate(parts)
    elif order.startswith("transposed"):
        found = np.concatenate(parts, axis=1).ravel()
    else:
        found = np.empty(360, complex)
        found.fill(np.nan)
        steps = re.findall(r"k = (\\d+) \\+ (\\d+) i \\+ (\\d+) j", order)
        for part, (first, row, column) in zip(parts, (map(int, step) for step in steps)):
            i, j = np.indices(part.shape)
            found[first + row * i + column * j] = part
assert found.shape == wanted.shape, (found.shape, wanted.shape)
print(np.abs(found - wanted).max() / np.abs(wanted).max())
"""


def numpy(program, *arguments, cwd=None):
    done = subprocess.run([PYTHON_WITH_NUMPY, "-c", program, *map(str, arguments)], cwd=cwd,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@unittest.skipUnless(PYTHON_WITH_NUMPY, "no Python with NumPy")
class OwnFiles(unittest.TestCase):
    """A folder of files for each program, and the arrays that they are parts of."""

    ERRORS = {"matmul": 1e-5, "cg": 1e-12, "fft": 1e-13}
    MORE = {"matmul": "", "cg": "--iterations 60", "fft": ""}
    FACTORS = {"matmul": ("/n:37/tile:12/data:own/",), "cg": ("/own/", "/n:23/"),
               "fft": ("/n:360/", "/tiles:5/", "/data:own/")}

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        numpy(MAKE, self.folder)

    def compute(self, kernel, ranks, *arguments, codes=(0,)):
        outcome = run(kernel, ranks, f"--data {self.folder / kernel}", self.MORE[kernel], ONCE,
                      *arguments)
        self.assertIn(outcome.code, codes, outcome)
        return outcome

    def assert_right(self, kernel, ranks, what):
        error = float(numpy(COMPARE, self.folder, kernel, ranks))
        self.assertLess(error, self.ERRORS[kernel], what)

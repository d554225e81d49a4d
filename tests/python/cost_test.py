"""Tests of quartet cost with a fake launcher and fake programs."""

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

from fake_build import FakeBuild
from in_process import quartet
from quartet.launch import LaunchError, LocalLauncher
from quartet_dev import cost
from quartet_dev.commands import cost as script
from quartet_dev.cost import Cost, Point

# cg with a matrix of a sixteenth of the bytes, and a time that grows with the size cubed.
PROGRAM = """#!{python} -S
import json, sys
sys.path.insert(0, {tests!r})
import fake_results
size = int(sys.argv[sys.argv.index("--size") + 1])
with open({folder!r} + "/calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
matrix = bytearray(size * size // 4)
for page in range(0, len(matrix), 4096):
    matrix[page] = 1
rows = fake_results.case("cg/native/host/shm/n:%d/ranks:2/threads:1" % size, 1.0, "GFLOP/s", 3,
                    real_time=1e-6 * size**3, time_unit="ms")
json.dump(fake_results.document(rows), open(sys.argv[sys.argv.index("--json") + 1], "w"))
if size == {fails}:
    print("cg: no memory left", file=sys.stderr)
    sys.exit(3)
"""


class Arithmetic(unittest.TestCase):
    def cost(self, exponent, memory=lambda n: 4.0 * n**2, start=1.0):
        return Cost([Point(n, 1e-9 * n**exponent, memory(n)) for n in cost.COSTS["cg"].sizes],
                    start)

    def test_exponent_is_found_again(self):
        sizes = [100, 200, 400, 800, 1600]
        self.assertAlmostEqual(cost.fitted(sizes, [7.0 * n**2.5 for n in sizes]), 2.5)
        self.assertLess(cost.fitted(sizes, [5.0 + n for n in sizes]), 1)

    def test_text_has_both_exponents_and_each_size_beside_the_formula(self):
        text = cost.describe("cg", self.cost(3))
        self.assertIn("time ~ n^3.00; 2 n^2 an iteration: n^2.00", text)
        self.assertIn("memory ~ n^2.00; 8 n^2 / 2 bytes: n^2.00", text)
        first = next(line.split() for line in text.splitlines() if line.split()[0] == "1024")
        # A sixteenth of the time that a square law foresees from the largest size on.
        self.assertEqual(first[2:], ["0.06x", "4.0", "4.0"])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_start_is_beside_its_goal(self):
        self.assertIn("1.9 s at most (goal <=2: met)", cost.describe("cg", self.cost(2, start=1.9)))
        self.assertIn("missed", cost.describe("cg", self.cost(2, start=2.1)))

    def test_sizes_are_four_doublings(self):
        for name, kernel in cost.COSTS.items():
            self.assertEqual(kernel.sizes[-1], 16 * kernel.sizes[0], name)
            self.assertLess(kernel.memory(kernel.small), kernel.memory(kernel.sizes[0]) / 7, name)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_picture_has_the_points_and_the_formula(self):
        points = self.cost(3)
        with script.style.applied():
            time, memory = script.picture("cg", points).get_axes()
        lines = {line.get_label(): line.get_xydata().tolist()
                 for axes in (time, memory) for line in axes.get_lines()}
        self.assertEqual(time.get_lines()[1].get_xydata().tolist(),
                         [[point.size, 1e3 * point.seconds] for point in points.points])
        self.assertEqual(lines["8 n^2 / 2 bytes"][0], [1024, 4.0])
        self.assertEqual([tick.get_text() for tick in time.get_xticklabels()][:2],
                         ["1024", "2048"])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_picture_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, kernel in cost.COSTS.items():
                points = [Point(n, kernel.work(n), kernel.memory(n)) for n in kernel.sizes]
                file = Path(folder) / f"{name}.png"
                script.draw(name, Cost(points, 1.0), file)
                self.assertEqual(file.read_bytes()[1:4], b"PNG")


class Measuring(FakeBuild):
    def setUp(self):
        super().setUp()
        self.program()

    def program(self, fails=0):
        self.write("bin/cg", PROGRAM.format(python=sys.executable, folder=str(self.folder),
                                            tests=str(Path(__file__).parent), fails=fails))

    def laboratory(self):
        return cost.Laboratory(LocalLauncher(self.folder / "launcher"), self.folder / "bin",
                               self.folder, 60)

    def test_memory_is_that_of_the_program_and_time_that_of_its_row(self):
        found = self.laboratory().cost("cg")
        self.assertEqual([point.size for point in found.points], list(cost.COSTS["cg"].sizes))
        self.assertAlmostEqual(found.points[0].seconds, 1e-9 * 1024**3)
        largest, before = found.points[-1], found.points[-2]
        self.assertAlmostEqual((largest.memory - before.memory) / (3 * before.size**2 / 4), 1,
                               delta=0.05)

    def test_failure_is_said_with_the_size_and_the_programs_words(self):
        self.program(fails=4096)
        with self.assertRaisesRegex(LaunchError, "cg 4096: cg: no memory left"):
            self.laboratory().cost("cg")

    def command(self, *arguments):
        return quartet("cost", "--only", "cg", "--build", self.folder, "--launcher", self.folder / "launcher",
                       "--results", self.folder, "--pictures", self.folder, *arguments)

    def test_reuse_says_the_same_and_launches_nothing(self):
        self.assertEqual(self.command("--reuse").returncode, 2)
        done = self.command()
        calls = (self.folder / "calls").read_text()
        again = self.command("--reuse")
        self.assertEqual((done.returncode, again.returncode), (0, 0), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(again.stdout, done.stdout)
        self.assertIn("time ~ n^3.00", done.stdout)
        self.assertEqual((self.folder / "calls").read_text(), calls)

    def test_failed_launch_is_the_exit_code(self):
        self.program(fails=2048)
        self.assertEqual(self.command().returncode, 3)

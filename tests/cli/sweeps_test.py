"""The programs accept what the ready-made sweeps ask of them, and a sweep over all of them runs."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet.sweep import plan as sweep_plan
from quartet.sweep import spec as sweep_spec
from quartet_cli import KERNELS, LAUNCHER, PROGRAMS, main, run_each, schemas
from tree import QUARTET, SCRIPTS

SMALL = {"stream": ("64KiB", ["--pushes", "3", "--runs", "6"]),
         "matmul": ("96", ["--tile", "32", "--runs", "6"]),
         "cg": ("100", ["--iterations", "5", "--runs", "6"]),
         "fft": ("4096", ["--tiles", "64", "--runs", "6"])}


class Sweeps(unittest.TestCase):
    def test_programs_accept_every_launch_of_the_laptop_sweeps(self):
        draft = sweep_plan.Draft(cores=2)
        for file in sorted((SCRIPTS / "sweeps").glob("laptop-*.json")):
            sweep_plan.add_blocks(draft, sweep_spec.read_spec(file), file.name)
        jobs = [(one.kernel, one.ranks, *one.command_line(), "--dry-run")
                for one in draft.configurations]
        self.assertGreater(len(jobs), 15)
        for job, outcome in zip(jobs, run_each(jobs)):
            self.assertEqual(outcome.code, 0, (job, outcome))

    def test_sweep_of_all_programs_leaves_good_documents_and_a_table(self):
        blocks = [{"kernels": [kernel], "sizes": [size], "ranks": [2], "arguments": arguments}
                  for kernel, (size, arguments) in SMALL.items()]
        blocks[2].update(ranks=[1, 2], scaling="weak")
        with tempfile.TemporaryDirectory() as folder:
            spec, results = Path(folder) / "small.json", Path(folder) / "results"
            spec.write_text(json.dumps({"name": "small", "blocks": blocks}))
            # The build's layout: programs in bin/.
            done = subprocess.run([*QUARTET, "sweep", spec, "--build",
                                   PROGRAMS.parent, "--folder", results, "--launcher", LAUNCHER],
                                  text=True, capture_output=True, check=False, env=os.environ)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            files = list(results.glob("*.json"))
            self.assertEqual(len(files), len(KERNELS) + 1)
            for file in files:
                self.assertEqual(schemas.problems("results", schemas.read_strictly(file)), [])
        self.assertIn("cg GFLOP/s, native, ", done.stdout)
        self.assertIn(" on 1 worker at 100, the size growing", done.stdout)


if __name__ == "__main__":
    main()

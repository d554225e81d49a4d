"""What reads and starts the programs: sweeps and their table, comparisons, Google Benchmark's compare.py."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from quartet.sweep import plan as sweep_plan
from quartet_cli import CG, KERNELS, LAUNCHER, PROGRAMS, Scratch, main, run, run_each, schemas
from tree import QUARTET, SCRIPTS

WITH_SCIPY = os.environ.get("QUARTET_PYTHON_WITH_SCIPY")
COMPARE = next((path for path in map(Path, ("/usr/share/benchmark/compare.py", "/usr/local/share/benchmark/compare.py",
                                            "/usr/share/googlebenchmark/tools/compare.py",
                                            "/usr/local/share/googlebenchmark/tools/compare.py")) if path.exists()), None)


class Sweeps(Scratch):
    def test_programs_accept_the_launches_of_the_laptop_sweeps(self):
        draft = sweep_plan.Draft(cores=2)
        for file in sorted((SCRIPTS / "sweeps").glob("laptop-*.json")):
            sweep_plan.add_blocks(draft, sweep_plan.read_spec(file), file.name)
        self.assertGreater(len(draft.configurations), 15)
        jobs = [(one.kernel, one.ranks, *one.command_line(), "--dry-run") for one in draft.configurations[::3]]
        for job, outcome in zip(jobs, run_each(jobs)):
            self.assertEqual(outcome.code, 0, (job, outcome))

    def test_sweep_of_all_programs_leaves_good_documents_a_table_and_what_compare_reads(self):
        blocks = [{"kernels": [kernel.name], "sizes": [kernel.size], "ranks": [2],
                   "arguments": [*kernel.arguments.split(), "--runs", "6"]} for kernel in KERNELS]
        blocks[2].update(ranks=[1, 2], scaling="weak")
        spec, results = self.folder / "small.json", self.folder / "results"
        spec.write_text(json.dumps({"name": "small", "blocks": blocks}))
        done = self.quartet("sweep", spec, "--build", PROGRAMS.parent, "--folder", results, "--launcher", LAUNCHER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("cg GFLOP/s, native, ", done.stdout)
        self.assertIn(" on 1 worker at 100, the size growing", done.stdout)
        files = list(results.glob("*.json"))
        self.assertEqual(len(files), len(KERNELS) + 1)
        for file in files:
            self.assertEqual(schemas.problems("results", schemas.read_strictly(file)), [])
        self.assertIn("verified", self.quartet("table", *files).stdout)
        compared = self.quartet("compare", files[0], files[0])
        self.assertIn(compared.returncode, (0, 4), compared)
        self.assertIn(json.loads(files[0].read_text())["context"]["quartet"]["program"], compared.stdout)

    def quartet(self, *words):
        return subprocess.run([*QUARTET, *words], text=True, capture_output=True, check=False)

    @unittest.skipUnless(COMPARE and WITH_SCIPY, "no compare.py (Debian: libbenchmark-tools), or no SciPy")
    def test_google_benchmarks_compare_reads_two_documents(self):
        files = [self.folder / f"{name}.json" for name in "ab"]
        for file in files:  # with an error row where there is no GPU
            run("cg", 2, CG.small, f"--runs 9 --json {file} --transport mpi,ipc")
        done = subprocess.run([WITH_SCIPY, COMPARE, "--no-color", "benchmarks", *files],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        name, = CG.names(2, ["mpi"], ["native"])
        self.assertEqual(done.stdout.split().count(f"{name}_pvalue"), 1)


if __name__ == "__main__":
    main()

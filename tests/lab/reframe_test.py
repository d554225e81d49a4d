"""The suite for ReFrame on a real Slurm, where ReFrame is on PATH: all four programs over two nodes, and a check whose rate
falls short."""

import json
import shutil
import unittest

from enclosure import ROOT, enclose

enclose("slurmctld", "slurmd", "munged", "mpirun")
from cluster import ClusterTest, setUpModule  # noqa: F401
from documents import PROGRAMS, medians, quartet, read

KERNELS = ("cg", "fft", "matmul", "stream")
SUITE = ROOT / "scripts" / "packaging" / "reframe" / "checks.py"
# As a site has them. There is no accounting here: squeue says when a job has ended.
SETTINGS = """
site_configuration = {"systems": [{"name": "lab", "hostnames": [".*"], "partitions": [
    {"name": "main", "scheduler": "squeue", "launcher": "mpirun", "environs": ["builtin"], "max_jobs": 2}]}]}
"""


@unittest.skipUnless(shutil.which("reframe"), "there is no reframe on PATH")
class ReFrame(ClusterTest):
    def reframe(self, name, kernel, *settings):
        """Runs a part of the suite. Returns how it ended, and its documents by kernel."""
        site = self.folder / "settings.py"
        site.write_text(SETTINGS)
        words = [word for setting in (f"programs={PROGRAMS}", "small=yes", "num_tasks_per_node=1", *settings)
                 for word in ("-S", setting)]
        done = self.cluster.run("reframe", "--nocolor", "--prefix", self.folder / name, "-C", site, "-c", SUITE,
                                "-n", f"QuartetCheck.*kernel={kernel}", *words, "-r",
                                environment={"HOME": str(self.folder)}, timeout=400)
        documents = [read(file) for file in self.folder.glob(f"{name}/output/**/quartet.json")]
        return done, {quartet(document)["program"]: document for document in documents}

    def test_all_programs_are_green_and_one_that_falls_short_is_red(self):
        done, documents = self.reframe("good", "")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(sorted(documents), sorted(KERNELS))
        for kernel, document in documents.items():
            self.assertEqual((quartet(document)["ranks"], quartet(document)["nodes"]), (2, 2), kernel)
            self.assertIn("SLURM_JOB_ID", quartet(document)["slurm"])
            self.assertIn(f"{kernel}/native", done.stdout)
        good = documents["cg"]
        for row in good["benchmarks"]:
            if "GFLOP/s" in row:
                row["GFLOP/s"] *= 1000
        self.assertTrue(medians(good))
        references = self.folder / "references"
        references.mkdir()
        (references / "cg.json").write_text(json.dumps(good))
        done, _ = self.reframe("short", "cg", f"references={references}")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("performance", done.stdout)


if __name__ == "__main__":
    unittest.main()

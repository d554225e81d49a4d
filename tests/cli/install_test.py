"""What `cmake --install` puts into a folder works from there."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, ROOT, medians, run

BUILD = os.environ["QUARTET_BUILD"]


class Installed(unittest.TestCase):
    def test_programs_run_and_find_the_published_numbers_beside_them(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder)
            done = subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((prefix / "share/quartet/schema/quartet-results.schema.json").exists())
            for kernel in KERNELS:
                self.mark(prefix / f"share/quartet/published/{kernel.name}.json")
                outcome = run(prefix / "bin" / kernel.name, 2, kernel.small, "--runs 1")
                self.assertEqual(outcome.code, 0, outcome)
                compared = [row["published"]["source"] for row in medians(outcome.document)
                            if "published" in row]
                self.assertEqual(len(compared), 1 if self.has_rate_of_a_host(kernel.name) else 0)
                self.assertTrue(all(source.startswith("Installed") for source in compared))

    def has_rate_of_a_host(self, kernel):
        file = ROOT / "results" / "published" / f"{kernel}.json"
        return any(number["match"]["device"] == "host" and number["unit"] != "speed-up"
                   for number in json.loads(file.read_text(encoding="utf-8"))["numbers"])

    def mark(self, file):
        """Tells the installed copy from the source tree's, and lets it compare with one node."""
        document = json.loads(file.read_text(encoding="utf-8"))
        document["source"]["short"] = "Installed"
        for number in document["numbers"]:
            number["match"]["nodes"] = "1"
        file.write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    unittest.main(verbosity=2)

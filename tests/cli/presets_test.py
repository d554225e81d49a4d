"""The presets of scripts/paper: each says what the paper says, its program takes it, and those for a laptop run."""

import re
import unittest

from quartet_cli import BAD_USAGE, main, medians, run
from tree import SCRIPTS

PRESETS = SCRIPTS / "paper"
# What the paper's captions and text say (VI.A to VI.D), by preset.
PUBLISHED = {
    "fig07-stream": {"sizes": "2:128", "pushes": "100"},
    **{f"fig08-matmul-{gpu}-{size}": {"formulation": "dataflow", "size": str(size), "tile": tile, "reducers": "2",
                                      "queue": "16"}
       for gpu, tile in (("k420", "4096"), ("k80", "8192")) for size in (2**14, 2**15, 2**16)},
    **{f"fig10-cg-{size}": {"formulation": "dataflow", "size": str(size), "iterations": "500", "problem": "laplace",
                            "storage": "full"} for size in (2**14, 2**15, 2**16)},
    "fig11-fft-k420": {"formulation": "dataflow", "size": "2^29", "tiles": "64"},
    "fig11-fft-k80": {"formulation": "dataflow", "size": "2^31", "tiles": "128"},
}
LAPTOP = {f"laptop-fig{number}-{kernel}": kernel
          for number, kernel in (("07", "stream"), ("08", "matmul"), ("10", "cg"), ("11", "fft"))}


class Presets(unittest.TestCase):
    def run_preset(self, preset, *arguments):
        kernel = re.search(r"fig\d+-(\w+?)(-|$)", preset)[1]
        return run(kernel, 3 if kernel == "matmul" else 2, f"--config {PRESETS / preset}.toml --threads 1 --device host",
                   *arguments)

    def test_there_is_one_for_each_figure_and_size_and_they_say_what_the_paper_says(self):
        self.assertEqual({file.stem for file in PRESETS.glob("*.toml")}, {*PUBLISHED, *LAPTOP})
        for preset, published in PUBLISHED.items():
            text = (PRESETS / f"{preset}.toml").read_text(encoding="utf-8")
            flags = dict(re.findall(r'^([\w-]+) = "?([^"\n]*)"?$', text, re.MULTILINE))
            self.assertEqual({name: flags.get(name) for name in published}, published, preset)
            outcome = self.run_preset(preset, "--dry-run")
            if outcome.code != 0:  # for its memory alone
                self.assertEqual(outcome.code, BAD_USAGE, outcome)
                self.assertRegex(outcome.stderr, r"needs [\d.]+ [GT]iB", outcome)

    def test_those_for_a_laptop_run(self):
        for preset in LAPTOP:
            outcome = self.run_preset(preset, "--runs 1")
            self.assertEqual(outcome.code, 0, outcome)
            self.assertTrue(all(row["verified"] for row in medians(outcome.document)))


if __name__ == "__main__":
    main()

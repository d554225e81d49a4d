"""The presets of scripts/paper: each says what the paper says, its program takes it, and those for
a laptop run."""

import re
import unittest
from pathlib import Path

from quartet_cli import main, medians, run

PRESETS = Path(__file__).resolve().parents[2] / "scripts" / "paper"
# What the paper's captions and text say (VI.A to VI.D), by preset.
PUBLISHED = {
    "fig07-stream": {"sizes": "2:128", "pushes": "100"},
    **{f"fig08-matmul-{gpu}-{size}": {"formulation": "dataflow", "size": str(size),
                                      "tile": tile, "reducers": "2", "queue": "16"}
       for gpu, tile in (("k420", "4096"), ("k80", "8192")) for size in (2**14, 2**15, 2**16)},
    **{f"fig10-cg-{size}": {"formulation": "dataflow", "size": str(size), "iterations": "500",
                            "problem": "laplace", "storage": "full"}
       for size in (2**14, 2**15, 2**16)},
    "fig11-fft-k420": {"formulation": "dataflow", "size": "2^29", "tiles": "64"},
    "fig11-fft-k80": {"formulation": "dataflow", "size": "2^31", "tiles": "128"},
}
LAPTOP = {f"laptop-fig{number}-{kernel}" for number, kernel in
          (("07", "stream"), ("08", "matmul"), ("10", "cg"), ("11", "fft"))}
RANKS = {"stream": 2, "matmul": 3, "cg": 2, "fft": 2}


def kernel_of(preset):
    return re.search(r"fig\d+-(\w+?)(-|$)", preset)[1]


def flags_of(preset):
    text = (PRESETS / f"{preset}.toml").read_text(encoding="utf-8")
    return dict(re.findall(r'^([\w-]+) = "?([^"\n]*)"?$', text, re.MULTILINE))


def run_preset(preset, *arguments):
    kernel = kernel_of(preset)
    return run(kernel, RANKS[kernel], f"--config {PRESETS / preset}.toml", "--threads 1",
               "--device host", *arguments)


class Presets(unittest.TestCase):
    def test_there_is_one_for_each_figure_and_size(self):
        self.assertEqual({file.stem for file in PRESETS.glob("*.toml")}, {*PUBLISHED, *LAPTOP})

    def test_they_say_what_the_paper_says(self):
        for preset, published in PUBLISHED.items():
            flags = flags_of(preset)
            self.assertEqual({name: flags.get(name) for name in published}, published, preset)

    def test_each_is_planned_or_refused_for_its_memory_alone(self):
        for preset in (*PUBLISHED, *LAPTOP):
            outcome = run_preset(preset, "--dry-run")
            if outcome.code != 0:
                self.assertNotIn(preset, LAPTOP, outcome)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertRegex(outcome.stderr, r"needs [\d.]+ [GT]iB", outcome)
                continue
            for name in {"size": "n", "tile": "tile", "tiles": "tiles"}.keys() & \
                    flags_of(preset).keys():
                value = flags_of(preset)[name]
                value = str(2 ** int(value[2:])) if value.startswith("2^") else value
                self.assertRegex(outcome.stdout, rf":{value}/", outcome)

    def test_those_for_a_laptop_run(self):
        for preset in sorted(LAPTOP):
            outcome = run_preset(preset, "--runs 1")
            self.assertEqual(outcome.code, 0, outcome)
            for row in medians(outcome.document):
                self.assertTrue(row["verified"], row["name"])


if __name__ == "__main__":
    main()

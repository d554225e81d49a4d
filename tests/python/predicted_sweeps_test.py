"""Tests of what a sweep's table says of predictions, and never a word of a measurement."""

import json

import fake_results
from in_process import run
from predicted_machine import file
from quartet.commands import sweep
from sweep_test import SweepCase


class Sweeps(SweepCase):
    def test_table_has_bands_and_what_is_outside(self):
        machine = self.folder / "machine.json"
        # The programs say 100 GFLOP/s a rank.
        machine.write_text(json.dumps(file(0.05, sgemm_flops_per_second=2e11)))
        spec = self.spec(launches=1, ranks=[1, 2])
        code, output, errors = run(sweep, "--build", self.folder, "--launcher", self.folder / "launcher",
                                   "--folder", self.results, spec, "--rates", machine)
        self.assertEqual(code, 0, errors)
        text = " ".join(output.split())
        self.assertRegex(text, r"predicted \(90%\), not measured: 1\d\d-2\d\d at 512 on 1 worker, 3\d\d-4\d\d "
                               "at 512 on 2 workers")
        self.assertRegex(text, r"~ matmul native shm 512, 2 workers: expected 3\d\d to 4\d\d, measured 200: "
                               "look at")
        self.assertRegex(text, r"~ matmul native shm: model 50% \(4\d-5\d%\), 50% unexplained at 512 on [12] ranks?, "
                               r"first at 1 rank, in computing")
        for line in output.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_measured_rates_take_the_place_of_described_ones(self):
        machine, shown = self.folder / "machine.json", self.folder / "shown.json"
        machine.write_text(json.dumps(file(0.05, sgemm_flops_per_second=2e11)))
        name = "matmul/native/host/shm/n:512/tile:256/ranks:4/threads:1"
        seconds = 2 * 512**3 / 4 / 1e11
        shown.write_text(json.dumps(fake_results.document(fake_results.case(
            name, 400.0, "GFLOP/s", workers=4, phases={"compute": seconds}))))
        words = ("--build", self.folder, "--launcher", self.folder / "launcher", "--folder", self.results,
                 self.spec(launches=1, ranks=[1, 2]), "--from", shown)
        code, output, errors = run(sweep, *words, "--rates", machine)
        self.assertEqual(code, 0, errors)
        self.assertIn("predicted (90%)", output)
        self.assertNotIn("unexplained", output)
        self.assertNotIn("expected", output)
        code, _, errors = run(sweep, *words)
        self.assertEqual((code, len(errors.splitlines())), (2, 1))
        self.assertIn("name one with --rates", errors)

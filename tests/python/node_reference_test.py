"""Tests of the files of references: what a history writes, and what quartet compare and node-check make of it."""

import json
from pathlib import Path

import fake_results
from compare_case import CompareCase, flat, row_of
from history_test import launch
from node_check_test import SICK, SOUND, FakeNode
from quartet.history import reference as history_reference
from quartet.history import store
from quartet.results import cases, reference

FFT = "fft/native/host/shm/transposed/n:4096/ranks:2/threads:1"
STREAM = fake_results.stream_name()
PLACE = ["A CPU, 4 CPUs", "L1 32 KiB", 1]


def row(**changes):
    return {"name": "cg/native/host/shm/n:512/ranks:2/threads:1", "unit": "GFLOP/s", "median": 100.0, "low": 99.0,
            "high": 101.0, "slow_below": 93.0, "fraction_of_limit": 0.8, "launches": 40, "nodes": 4, "first": "2025-01-01",
            "last": "2025-12-30", "place": PLACE, **changes}


class Written(CompareCase):
    def renewed(self, *documents):
        kept = store.Store([(Path(str(number)), document) for number, document in enumerate(documents)])
        return history_reference.renew(self.folder / "sound", kept, kept.series(), [], ["results/nodes"])

    def test_a_row_is_a_line_and_is_compared_with(self):
        launches = [launch(f"n{number % 4}", number, {STREAM: 1000 + number % 7, FFT: 20}) for number in range(20)]
        file, = self.renewed(*launches)
        self.assertEqual(file.name, "a-processor-4-cpus.reference.json")
        head, fft, stream, end = file.read_text().splitlines()
        self.assertEqual(json.loads(head + "]}"), {"kind": "A processor, 4 CPUs", "from": ["results/nodes"], "rows": []})
        found = json.loads(stream)
        self.assertEqual([found[key] for key in ("name", "median", "launches", "nodes", "first", "last")],
                         [STREAM, 1003, 20, 4, "2025-01-01", "2025-01-20"])
        self.assertTrue(found["slow_below"] < found["low"] < 1003 < found["high"], found)
        self.assertEqual(self.renewed(*launches), [file])
        self.assertEqual(file.read_text().splitlines(), [head, fft, stream, end])
        for factor, code, verdict in ((1, 0, "same"), (0.8, 1, "slower")):
            side = self.side("b", *(launch("n9", number, {STREAM: factor * (1000 + number)}) for number in range(6)))
            for named in (("reference", side, "--measured", file.parent), (file, side), (file.parent, side)):
                done = self.compare(*named)
                self.assertEqual((done.returncode, row_of(done)[-1]), (code, verdict), done)
        self.assertIn("median of 20 launches (a-processor-4-cpus.reference.json, 2025-01-01 to 2025-01-20)",
                      flat(done.stdout))

    def test_pairs_of_nodes_are_rows_of_their_own(self):
        """They have the same name."""
        alone = [launch("n1", number, {STREAM: 1000}) for number in range(6)]
        pairs = [launch("n2", number, {STREAM: 100}) for number in range(6)]
        for document in pairs:
            document["context"]["quartet"]["nodes"] = 2
        file, = self.renewed(*alone, *pairs)
        self.assertEqual(sorted(each["median"] for each in json.loads(file.read_text())["rows"]), [100, 1000])

    def test_damaged_files_are_a_line(self):
        file = self.folder / "x.reference.json"
        side = self.side("b", launch("n1", 1, {STREAM: 1000}))
        for text in ("{", "[]", '{"rows": 1}', '{"rows": [1]}', json.dumps({"rows": [row(place=[[1]])]}),
                     json.dumps({"rows": [row(median="x")]}), json.dumps({"rows": [row(slow_below=200)]}),
                     json.dumps({"rows": [row(fraction_of_limit="x")]})):
            file.write_text(text)
            done = self.compare(file, side)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (text, done))
            self.assertIn(str(file), done.stderr)
        file.unlink()
        self.assertEqual(self.compare(file, side).returncode, 2)


class OfANode(FakeNode):
    def test_a_file_is_a_reference(self):
        for file in self.reference.iterdir():
            file.unlink()
        made = self.folder / "made"
        self.document("cg", 100, made)
        case, = cases(json.loads(made.read_text()))
        reference.write(self.reference / "a.reference.json", "A CPU", [], [row(place=case.place)])
        self.assertEqual(self.verdict(94)[0], SOUND)
        self.assertEqual(self.verdict(91, more=("--least", "0.05"))[0], SICK)
        code, line = self.verdict(80)
        self.assertEqual(code, SICK)
        self.assertIn("cg 80.0 GFLOP/s is 80% of the reference (100, 40 launches) and 0.80 of its limit (0.80 there)", line)

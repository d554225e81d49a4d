"""Tests of which documents the report puts together: folders, machines, disturbed launches, the shipped
reference."""

import json
import re

import fake_results
from quartet.results import identity
from quartet.text import rate
from report_test import CG, FFT, Reported, report, scaling
from tree import ROOT


class Places(Reported):
    def test_folders_are_series_of_their_own(self):
        for folder, value in (("before", 10.0), ("after", 20.0)):
            self.put(f"{folder}/a.json", scaling(value / 2, value, value * 2), commit=folder)
        page = self.page()
        at_two = {row["series"]: row["GFLOP/s"] for row in self.rows("figure-10-cg")
                  if row["role"] == "measured" and row["workers (computing devices)"] == "2"}
        self.assertEqual(at_two, {"before": "10.0", "after": "20.0"})
        self.assertNotIn("launched more than once", page.text)
        self.assertNotIn("commits stand side by side", page.text)

    def test_machines_of_one_name_are_told_apart(self):
        for host, family in (("left", 25), ("right", 26)):
            document = self.put(f"{host}.json", scaling(5, 10, 20), system={"processor": {"family": family}})
            document["context"]["host_name"] = host
            self.put_text(f"{host}.json", json.dumps(document))
        text = self.page().text
        for name in ("(left, family 25)", "(right, family 26)"):
            self.assertIn(f"unknown processor, 4 CPUs {name}", text)
        self.assertNotIn("launched more than once", text)

    def test_vector_instructions_tell_runs_of_one_machine_apart(self):
        for isa in ("baseline", "avx512"):
            self.put(f"{isa}.json", scaling(5, 10, 20), isa=isa)
        text = self.page().text
        for isa in ("baseline", "avx512"):
            self.assertIn(f"unknown processor, 4 CPUs ({isa})", text)
        self.assertRegex(text, r"vector instructions\s+avx512, baseline")
        self.assertNotIn("launched more than once", text)

    def test_vector_instructions_beside_a_gpu_are_no_other_machine(self):
        for isa in ({}, {"isa": "avx2"}):
            document = fake_results.document(fake_results.case(CG.format(2), 10, "GFLOP/s"))
            document["context"]["quartet"].update(device="cuda", gpus=[fake_results.GPU], **isa)
            self.assertNotIn("avx2", identity.processor(document))

    def test_one_slow_minute_is_said_and_never_quoted_bare(self):
        flags = [{"kind": "disturbed", "text": "other processes took 45% of the cores"}]
        self.put("a.json", fake_results.case(CG.format(2), 12.25, "GFLOP/s", workers=2),
                 fake_results.case(FFT.format("native"), 3.75, "GFLOP/s", flags=flags, distrusted=True))
        text = self.page().text
        warnings, rest = text.split("100% is the rate", 1)
        self.assertIn("Distrusted: these rows were disturbed", warnings)
        self.assertRegex(warnings, r"fft native host shm, .* threads?: other processes took 45% of the cores")
        self.assertIn("3.75?", rest)
        self.assertNotRegex(rest, r"3\.75(?!\?)")
        self.assertNotRegex(rest, r"12\.2\?")

    def test_disturbed_launch_does_not_count_beside_others(self):
        flags = [{"kind": "disturbed", "text": "busy"}]
        self.put("a.json", scaling(5, 10, 20))
        self.put("b.json", scaling(2, 4, 8, flags=flags, distrusted=True))
        self.page()
        at_two = [row["GFLOP/s"] for row in self.rows("figure-10-cg")
                  if row["role"] == "measured" and row["workers (computing devices)"] == "2"]
        self.assertEqual(at_two, ["10.0"])

    def test_reference_is_the_run_that_readme_shows(self):
        theirs = report.gather(report.SHOWN)
        rates: dict = {}
        for launch in theirs.measured:
            name = launch.case.name
            rates.setdefault((name.kernel, name.formulation, name.transport), set()).add(rate(launch.case.rate))
        kernel, rows = "", {}
        for line in (ROOT / "README.md").read_text().splitlines():
            kernel = found[1] if (found := re.match(r"(\w+) (MiB|GFLOP)/s, ", line)) else kernel
            if found := re.match(r"(native|library|dataflow) +(\w+) +\S+(?: MiB)? +([\d.]+) .* (\d+)% +ok$", line):
                self.assertIn(found[3], rates[kernel, found[1], found[2]], line)
                rows[kernel, found[1], found[2]] = int(found[4])
        self.assertEqual(len(rows), 9)
        names = {"matmul": "matmul/native/host/shm/n:2048/tile:512/ranks:2/threads:1", "cg": CG.format(2),
                 "fft": FFT.format("native")}
        self.put("a.json", *(fake_results.case(name, 1, "GFLOP/s", fraction_of_limit=0.1) for name in names.values()))
        content = report.compose(report.gather([self.folder / "runs"]), [], theirs)
        chart, = next(section for section in content.sections if section.slug == "kernels").charts
        self.assertEqual({heading: round(bar.reference) for heading, (bar,) in chart.groups},
                         {kernel: rows[kernel, "native", "shm"] for kernel in names})

    def test_reference_is_drawn_once_for_native_in_the_first_chart(self):
        self.put("a.json", fake_results.case(CG.format(2), 10, "GFLOP/s", fraction_of_limit=0.5),
                 fake_results.case(CG.format(2).replace("native", "library"), 6, "GFLOP/s"))
        own = report.gather([self.folder / "runs"])
        self.put("a.json", fake_results.case(CG.format(2), 99, "GFLOP/s", fraction_of_limit=0.9),
                 fake_results.case(CG.format(2).replace("native", "library"), 60, "GFLOP/s"),
                 device_description="theirs")
        content = report.compose(own, [], report.gather([self.folder / "runs"]))
        chart, = next(section for section in content.sections if section.slug == "kernels").charts
        self.assertEqual([(bar.value, bar.reference) for bar in chart.bars()], [(50, 90), (30, None)])
        self.assertIn("shipped results: theirs", chart.about)
        self.assertNotIn("theirs", content.subtitle)

"""Tests of the report's charts: what they show, how it is told apart, their files. Needs
matplotlib."""

import json
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

import pytest

import fake_results
from in_process import run
from quartet.commands import report
from quartet.report.charts import style
from quartet.results import published

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex  # noqa: E402

from quartet.report.charts import drawing  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
CG = "cg/{}/host/{}/laplace/{}/classic/n:4096/iterations:50/ranks:{}/threads:1"


def cg(rate, formulation="native", transport="shm", storage="full", workers=2, **median):
    return fake_results.case(CG.format(formulation, transport, storage, workers), rate, "GFLOP/s",
                        workers=workers, **median)


def scaling(rates, *way, **median):
    """The rates on 1, 2 and 4 workers."""
    return [row for rate, workers in zip(rates, (1, 2, 4))
            for row in cg(rate, *way, workers=workers, **median)]


def texts(root):
    """What a reader of the picture can find, by element."""
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


class Charts(unittest.TestCase):
    """A folder of documents and the charts over it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, *rows, name="a.json", **quartet):
        document = fake_results.document(*rows)
        document["context"]["quartet"].update(quartet)
        (self.folder / "runs").mkdir(exist_ok=True)
        (self.folder / "runs" / name).write_text(json.dumps(document))

    def content(self):
        return report.compose(report.gather([self.folder / "runs"]), published.read())

    def charts(self, section):
        return next(item for item in self.content().sections if item.slug == section).charts

    def drawn(self, section):
        """The axes of the section's only chart."""
        chart, = self.charts(section)
        with style.applied():
            axes, = drawing.draw(chart).get_axes()
        return axes

    def lines(self, section):
        """Label, points and look of each line that joins points."""
        return {line.get_label(): line for line in self.drawn(section).get_lines()
                if not line.get_label().startswith("_")}


class Contents(Charts):
    def test_lines_go_through_the_documents_values(self):
        self.put(scaling((4.5, 8.25, 15.0)), scaling((3.75, 7.0, 12.5), "dataflow"))
        lines = self.lines("figure-10-cg")
        self.assertEqual(lines["native"].get_xydata().tolist(), [[1, 4.5], [2, 8.25], [4, 15]])
        self.assertEqual(lines["dataflow"].get_xydata().tolist(), [[1, 3.75], [2, 7.0], [4, 12.5]])

    def test_colour_is_the_formulation_and_marker_the_transport(self):
        self.put(*(scaling((4.5, 8, 15), *way) for way in (("native", "shm"), ("native", "mpi"),
                                                           ("dataflow", "shm"))))
        chart, = self.charts("figure-10-cg")
        seen = {line.formulation + " " + line.transport for line in chart.series
                if line.role == "measured"}
        self.assertEqual(seen, {"native shm", "native mpi", "dataflow shm"})
        points = {(to_hex(line.get_color()), line.get_marker())
                  for line in self.drawn("figure-10-cg").get_lines()}
        native, dataflow = (style.FORMULATIONS[name] for name in ("native", "dataflow"))
        self.assertTrue({(native, "o"), (native, "s"), (dataflow, "o")} <= points, points)

    def test_lines_of_one_formulation_and_transport_differ(self):
        self.put(scaling((4.5, 8, 15), "native", "shm", "full"),
                 scaling((8.5, 16, 31), "native", "shm", "symmetric"))
        looks = {(line.get_linestyle(), to_hex(line.get_markerfacecolor()))
                 for line in self.drawn("figure-10-cg").get_lines()
                 if line.get_marker() == "o"}
        self.assertEqual(len(looks), 2)
        dashes = {str(line.get_linestyle()) for label, line in self.lines("figure-10-cg").items()
                  if label in ("full", "symmetric")}
        self.assertEqual(len(dashes), 2)

    def test_bars_are_as_long_as_the_shares_of_what_native_may_reach(self):
        self.put(cg(8.0, fraction_of_limit=0.75), cg(4.0, "library", "mpi", fraction_of_limit=0.5))
        widths = {to_hex(bar.get_facecolor()): bar.get_width()
                  for bar in self.drawn("kernels").patches}
        self.assertEqual(widths, {style.FORMULATIONS["native"]: 75.0,
                                  style.FORMULATIONS["library"]: 37.5})

    def test_phases_that_overlap_fill_the_bar_and_no_more(self):
        self.put(cg(10.0, phases={"compute": 150.0, "wait": 50.0}))  # of 100 seconds
        parts = {to_hex(bar.get_facecolor()): bar.get_width() for bar in self.drawn("phases").patches}
        self.assertEqual(parts[style.PHASES["compute"].lower()], 75.0)
        chart, = self.charts("phases")
        self.assertEqual(chart.stacks[0].text, "100 s, 200 s in phases")

    def test_a_data_flow_names_the_role_of_its_slowest_rank_and_others_none(self):
        places = [{**fake_results.PLACE, "rank": rank, "role": role}
                  for rank, role in enumerate(("worker or reducer", "worker"))]
        seconds = {"phases": {"compute": 40.0, "wait": 20.0}, "rank_seconds": [100.0, 90.0]}
        self.put(cg(10.0, **seconds), cg(5.0, "dataflow", **seconds), placement=places)
        chart, = self.charts("phases")
        self.assertEqual([stack.label for stack in chart.stacks], ["native", "dataflow (reducer)"])

    def test_each_role_has_a_bar_and_the_title_takes_the_largest_part(self):
        by_role = {"reducer": {"rank": 0, "seconds": 99.0, "phases": {"reduce": 80.0, "wait": 120.0}},
                   "worker": {"rank": 1, "seconds": 100.0, "phases": {"compute": 70.0, "wait": 30.0}}}
        self.put(cg(10.0, "dataflow", phases=by_role["worker"]["phases"], phases_by_role=by_role))
        chart, = self.charts("phases")
        self.assertEqual([(stack.label.rpartition(" ")[2], stack.parts) for stack in chart.stacks],
                         [(f"({role})", its["phases"]) for role, its in by_role.items()])
        self.assertEqual([stack.text for stack in chart.stacks], ["100 s, 200 s in phases", "100 s"])
        self.assertEqual(chart.title, "cg: dataflow shm (worker) spends 70% of its time in compute")
        for bar in self.drawn("phases").patches:
            self.assertLessEqual(bar.get_x() + bar.get_width(), 100)

    def test_phases_of_other_arithmetic_are_named_as_such(self):
        def case(math, copied):
            return fake_results.case(f"matmul/native/cuda/ipc/n:4096{math}/ranks:1/threads:1", 10.0, "GFLOP/s",
                                     phases={"copy_in": copied, "compute": 100 - copied})
        self.put(case("/math:tf32", 60), case("", 20))
        chart, = self.charts("phases")
        self.assertEqual(chart.title, "matmul: native ipc spends 80% of its time in compute")
        self.put(case("/math:tf32", 60), case("/math:bf16x9", 20))
        chart, = self.charts("phases")
        self.assertEqual(chart.title, "matmul: native ipc, bf16x9 spends 80% of its time in compute")

    def test_bar_above_its_limit_is_hollow(self):
        self.put(cg(8.0, fraction_of_limit=1.3), cg(4.0, "library"))
        above, below = self.drawn("kernels").patches
        self.assertEqual((to_hex(above.get_facecolor()), to_hex(below.get_facecolor())),
                         (style.PAPER, style.FORMULATIONS["library"]))
        self.assertTrue(above.get_hatch())

    def test_phases_lie_one_after_another_in_their_colours(self):
        self.put(cg(10.0, phases={"compute": 40.0, "wait": 20.0}))  # of 100 seconds
        parts = {to_hex(bar.get_facecolor()): (bar.get_x(), bar.get_width())
                 for bar in self.drawn("phases").patches}
        self.assertEqual(parts[style.PHASES["compute"].lower()], (0, 40.0))
        self.assertEqual(parts[style.PHASES["wait"].lower()], (40.0, 20.0))

    def test_map_has_a_cell_for_each_pair(self):
        self.put(*(fake_results.case(fake_results.stream_name() + f"/pair:{pair}", value)
                   for pair, value in (("0-1", 7000), ("1-0", 9000))))
        cells, = self.drawn("pairs").collections
        self.assertEqual(cells.get_array().compressed().tolist(), [7000, 9000])

    def test_first_picture_shows_the_largest_problem_with_machine_and_date(self):
        small = CG.format("native", "shm", "full", 2).replace("4096", "1024")
        self.put(fake_results.case(small, 99.0, "GFLOP/s", fraction_of_limit=0.9),
                 cg(8.0, fraction_of_limit=0.75), cg(6.0, transport="mpi", fraction_of_limit=0.95),
                 device_description="A processor; a library")
        chart, = self.charts("kernels")
        (kernel, (bar,)), = chart.groups
        self.assertEqual((kernel, bar.value, bar.text), ("cg", 75.0, "75% (8.00 GFLOP/s)"))
        self.assertEqual(chart.title, "Native cg reaches 75% of what all ranks would allow")
        self.assertEqual(chart.about, "A processor, 4 CPUs; 2026-01-02")

    def test_first_picture_compares_formulations_on_one_problem(self):
        larger = CG.format("native", "shm", "full", 2).replace("4096", "8192")
        self.put(fake_results.case(larger, 99.0, "GFLOP/s"), cg(8.0), cg(6.0, "dataflow"))
        chart, = self.charts("kernels")
        self.assertEqual([bar.text for bar in chart.bars()],
                         ["80% (8.00 GFLOP/s)", "60% (6.00 GFLOP/s)"])

    def test_first_picture_compares_like_with_like(self):
        self.put(cg(8.0), cg(6.0, "library", "mpi"), cg(16.0, storage="symmetric"))
        chart, = self.charts("kernels")
        self.assertEqual([bar.text for bar in chart.bars()], [
            "80% (8.00 GFLOP/s)", "60% (6.00 GFLOP/s)", "80% (16.0 GFLOP/s, symmetric)"])
        chart, = self.charts("formulations")
        self.assertEqual(chart.title, "cg: native reaches 1.3x library's rate")

    def test_host_and_gpu_have_a_chart_each_and_variants_alone_none(self):
        def rows(device, formulations, factor):
            return [row for formulation in formulations for row in json.loads(json.dumps(
                cg(factor * 8.0, formulation)).replace("host/shm", device))]
        self.put(*rows("host/shm", ("native", "library"), 1), name="host.json")
        self.put(*rows("cuda/ipc", ("native", "library"), 100), name="cuda.json", device="cuda",
                 gpus=[fake_results.GPU])
        self.put(*cg(100.0, storage="symmetric", workers=1), *cg(90.0, workers=1), name="variants.json")
        self.assertEqual([(chart.about, [bar.value for bar in chart.bars()]) for chart in self.charts("formulations")], [
            ("cg on cuda: the best of each formulation and variant, in GFLOP/s", [800, 800]),
            ("cg on host: the best of each formulation and variant, in GFLOP/s", [8, 8])])

    def test_other_arithmetic_is_a_variant_with_its_own_limit(self):
        product = "matmul/native/cuda/ipc/n:4096%s/tile:512/ranks:1/threads:1"
        self.put(fake_results.case(product % "/math:tf32", 160.0, "GFLOP/s", fraction_of_limit=0.4),
                 fake_results.case(product % "", 50.0, "GFLOP/s", fraction_of_limit=0.9))
        chart, = self.charts("kernels")
        self.assertEqual([bar.text for bar in chart.bars()],
                         ["90% (50.0 GFLOP/s)", "40% (160 GFLOP/s, tf32)"])


class Pages(Charts):
    """One page for all tests: drawing takes long."""

    ATTACK = "<script>alert(1)</script>'\"&amp;$x_$\u202e\x00\ud800"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.put(cls, scaling((4.5, 8, 15)), cg(8.5, "dataflow"), cg(3, transport="mpi"),
                cg(4.5, "library", limit={"what": cls.ATTACK, "seconds": 1, "rate": 5}),
                fake_results.case(f"fft/library/host/mpi/{cls.ATTACK.split('/')[0] * 10}"
                                  "/n:4096/ranks:2/threads:1", 5, "GFLOP/s"),
                fake_results.case(fake_results.stream_name() + "/pair:0-1", 7000),
                device_description=cls.ATTACK)
        content = cls.content(cls)
        cls.charts = [chart for section in content.sections for chart in section.charts]
        with mock.patch.object(style, "save"):  # no PNG and PDF
            report.write(content, cls.folder / "out" / "index.html", with_charts=True)
        cls.page = (cls.folder / "out" / "index.html").read_text(encoding="utf-8")

    def setUp(self):
        pass

    def figure(self, name):
        return ElementTree.parse(self.folder / "out" / "figures" / f"{name}.svg").getroot()

    def test_labels_and_values_are_texts_of_the_page(self):
        figure = self.figure("figure-10-cg")
        self.assertLessEqual({"native shm", "dataflow shm", "GFLOP/s"}, set(texts(figure)))
        shown = [title.text for title in figure.iter(f"{SVG}title")]
        self.assertIn("native shm: 4.50 GFLOP/s (4.46 to 4.59) "
                      + CG.format("native", "shm", "full", 1), shown)

    def test_every_chart_is_in_the_page_and_a_file(self):
        files = sorted((self.folder / "out" / "figures").glob("*.svg"))
        self.assertGreater(len(files), 3)
        self.assertEqual(len(files), len(self.charts))
        self.assertEqual(self.page.count("<svg "), len(self.charts))
        for file in files:
            self.assertRegex(ElementTree.parse(file).getroot().get("viewBox"), r"^0 0 400 \d")
            self.assertTrue(file.with_suffix(".csv").is_file())

    def test_ids_are_unique_and_references_lead_to_them(self):
        body = ElementTree.fromstring(
            "<svgs>" + "".join(part.split("</svg>")[0].join(("<svg ", "</svg>"))
                               for part in self.page.split("<svg ")[1:]) + "</svgs>")
        ids = [element.get("id") for element in body.iter() if element.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        references = {element.get("href")[1:] for element in body.iter() if element.get("href")}
        self.assertTrue(references)
        self.assertLessEqual(references, set(ids))

    def test_page_asks_no_network_and_sets_no_style_of_the_whole_page(self):
        page = self.page.replace("http://www.w3.org/2000/svg", "")  # SVG's name
        self.assertNotRegex(page, r"https?://|url\((?!#)|@import|src=|xlink")
        self.assertEqual(page.count("<style"), 1)

    def test_colours_follow_the_readers_scheme(self):
        figure = self.page.split("<svg ")[1]
        self.assertIn(f"var(--native, {style.FORMULATIONS['native']})", figure)
        self.assertIn(f"var(--ink, {style.INK})", figure)
        shades = set(re.findall(r"var\(--([a-z]+),", self.page))
        self.assertIn(style.PHASES["wait"], style.VARIABLES)
        for shade in shades:  # each has a dark one, which the page knows
            self.assertRegex(self.page, rf"prefers-color-scheme: dark\) {{ :root {{[^}}]*--{shade}: #")
        self.assertNotIn("fill: #ffffff", figure)
        alone = (self.folder / "out" / "figures" / "kernels.svg").read_text(encoding="utf-8")
        self.assertIn("prefers-color-scheme: dark", alone)

    def test_hostile_text_stays_text(self):
        self.assertNotIn("<script", self.page)
        self.assertIn("&lt;script&gt;alert(1)", self.page)
        self.assertIn("$x_$", "".join(texts(self.figure("figure-10-cg"))))


class Files(Charts):
    def test_png_and_pdf_are_written(self):
        self.put(cg(4.5))
        chart, = self.charts("kernels")
        drawing.save(chart, self.folder / "kernels")
        self.assertEqual((self.folder / "kernels.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual((self.folder / "kernels.pdf").read_bytes()[:5], b"%PDF-")

    def test_same_chart_gives_the_same_bytes(self):
        self.put(scaling((4.5, 8, 15)), cg(8.5, "dataflow"))
        chart, = self.charts("figure-10-cg")
        contents = []
        for _ in range(2):
            drawing.save(chart, self.folder / "chart")
            contents.append([file.read_bytes() for file in sorted(self.folder.glob("chart.*"))])
        self.assertEqual(len(contents[0]), 3)
        self.assertEqual(contents[0], contents[1])

    def command(self, *arguments):
        return run(report, self.folder / "runs", *arguments)

    def test_kernels_flag_writes_the_picture_alone(self):
        self.put(cg(4.5))
        file = self.folder / "kernels.svg"
        self.assertEqual(self.command("--kernels", file)[0], 0)
        self.assertIn("80% (4.50 GFLOP/s)", texts(ElementTree.parse(file).getroot()))
        self.assertEqual([item.name for item in self.folder.iterdir() if item.is_dir()], ["runs"])

    def test_kernels_flag_refuses_two_machines(self):
        self.put(cg(4.5))
        self.put(cg(5.5), name="b.json", device_description="another processor")
        code, _, errors = self.command("--kernels", self.folder / "kernels.svg")
        self.assertEqual(code, 2)
        self.assertIn("here are 2", errors)

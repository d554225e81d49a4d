"""Tests of the report over fake documents: what the page says, shows, escapes, skips and leaves as files."""

import csv
import json
import re
import unittest
from html.parser import HTMLParser
from unittest import mock

import fake_results
import in_process
from fake_build import Scratch
from quartet.commands import report
from quartet.report import style
from quartet.report.data import gather
from quartet.results import collect, judged_rows
from quartet.tables import table, verdict

CG = "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:{}/threads:1"
FFT = "fft/{}/host/shm/transposed/n:1048576/ranks:2/threads:1"
SLOW = {"flags": [{"kind": "disturbed", "text": "other processes took 45% of the cores"}], "distrusted": True}
HOSTILE = "<img src=http://127.0.0.1:9/x><script>alert(1)</script> $x$ \x1b[2J \ud800"


class Visible(HTMLParser):
    """What of a page is text, and what elements it has."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.elements = [], []
        self.feed(page)

    def handle_data(self, data):
        self.texts.append(data)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


class Reported(Scratch):
    """A folder of documents and the report over it."""

    def setUp(self):
        super().setUp()
        (self.folder / "runs").mkdir()

    def put(self, name, *rows, warnings=(), **quartet):
        document = fake_results.document(*rows, warnings=warnings)
        document["context"]["quartet"].update(quartet)
        (self.folder / "runs" / name).write_text(json.dumps(document), encoding="utf-8")
        return document

    def content(self):
        return report.compose(gather([self.folder / "runs"]))

    def section(self, slug):
        return next(section for section in self.content().sections if section.slug == slug)

    def page(self, with_charts=False):
        target = self.folder / "out" / "index.html"
        report.write(self.content(), target, with_charts)
        return Visible(target.read_text(encoding="utf-8"))

    def command(self, *arguments):
        return in_process.quartet("report", self.folder / "runs", *arguments, cwd=self.folder)


def scaling(*rates, n=4096, **median):
    """The rates on 1, 2 and 4 workers."""
    name = CG.replace("n:4096", f"n:{n}")
    return [row for rate, workers in zip(rates, (1, 2, 4))
            for row in fake_results.case(name.format(workers), rate, "GFLOP/s", workers=workers, **median)]


def on_gpus(rows):
    return json.loads(json.dumps(rows).replace("host/shm", "cuda/ipc"))


class Kernels(Reported):
    """The charts against one 100%, and the table below them."""

    def bars(self, slug="kernels"):
        return [(bar.label, round(100 * bar.share), bar.mark) for chart in self.section(slug).charts for bar in chart.bars]

    def test_each_formulations_best_on_one_problem_stands_against_one_limit(self):
        self.put("a.json", *(fake_results.case(fake_results.stream_name(formulation, transport, size), rate,
                                               fraction_of_limit=fraction)
                             for formulation, transport, size, rate, fraction in (
                                 ("native", "shm", "8MiB", 9000, 1.2), ("native", "mpi", "8MiB", 7000, 1.0),
                                 ("library", "mpi", "8MiB", 3750, 0.5), ("native", "mpi", "64MiB", 8000, 0.9))),
                 fake_results.case(CG.format(2), 8, "GFLOP/s"),
                 fake_results.case(CG.format(2).replace("native", "dataflow"), 4, "GFLOP/s", fraction_of_limit=0.8,
                                   fraction_of_all_ranks=0.4))
        self.assertEqual(self.bars(), [("native shm", 120, "!"), ("library mpi", 50, ""),
                                       ("native shm", 80, ""), ("dataflow shm", 40, "")])
        charts = self.section("kernels").charts
        self.assertEqual(charts[0].title, "stream: library mpi reaches 50% of the limit")
        self.assertEqual(charts[1].title, "cg: native shm reaches 80% of the limit")
        self.assertIn("9000 MiB/s", charts[0].bars[0].text)  # the rate of a row above its limit counts

    def test_a_row_in_doubt_is_shown_where_nothing_else_is_there_without_a_fraction(self):
        name = fake_results.stream_name
        self.put("a.json", fake_results.case(name(), 12345, **SLOW), fake_results.case(name("native", "mpi"), 8000),
                 fake_results.case(name("library", "mpi"), 5000, **SLOW))
        self.assertEqual(self.bars(), [("native mpi", 80, ""), ("library mpi", 50, "?")])
        chart, = self.section("kernels").charts
        self.assertEqual(chart.bars[1].text, "5000? MiB/s")
        self.assertEqual(chart.notes, ("? library mpi: other processes took 45% of the cores",))
        self.assertNotRegex(self.page().text, r"12345(?!\?)")

    def test_other_variants_and_machines_have_bars_and_charts_of_their_own(self):
        symmetric = CG.replace("full", "symmetric").format(2)
        self.put("a.json", fake_results.case(CG.format(2), 10, "GFLOP/s"), fake_results.case(symmetric, 17, "GFLOP/s"))
        self.put("b.json", fake_results.case(CG.format(2), 20, "GFLOP/s"), device_description="Arm")
        self.assertEqual([label for label, *_ in self.bars()], ["native shm", "native shm", "native shm"])
        self.assertEqual([group[:2] for group in self.section("kernels").charts[0].groups],
                         [("cg, full", "100%: 12.5 GFLOP/s"), ("cg, symmetric", "100%: 21.2 GFLOP/s")])
        self.assertIn("; 100% is the receiver's own local add; ", self.section("kernels").charts[0].about)
        self.assertEqual([chart.about.rpartition("; ")[2] for chart in self.section("kernels").charts],
                         ["unknown processor, 4 CPUs", "Arm, 4 CPUs"])

    def test_bars_are_as_long_as_their_rates_whatever_was_measured_beside_each(self):
        rows = [fake_results.case(CG.format(2).replace("native", name), rate, "GFLOP/s", fraction_of_limit=rate / limit)
                for name, rate, limit in (("native", 11.8, 13.5), ("library", 8.87, 9.8))]
        self.put("a.json", rows[0])
        self.put("b.json", rows[1])
        chart, = self.section("kernels").charts
        self.assertEqual({bar.text: round(bar.share, 3) for bar in chart.bars},
                         {"87% (11.8 GFLOP/s)": 0.874, "66% (8.87 GFLOP/s)": 0.657})
        self.assertIn("100% is 13.5 GFLOP/s", chart.about)
        cases = judged_rows(document for _, document in collect([self.folder / "runs"]).documents)
        self.assertRegex(verdict.render(cases), r"cg +87% +- +66%")
        self.assertRegex(table.render(cases), r"library .* 13\.5 .* 66% ")

    def test_the_headline_quotes_where_the_verdict_does(self):
        self.put("a.json", *(fake_results.case(CG.replace("4096", size).format(2), 8, "GFLOP/s", **more)
                             for size, more in (("1024", {}), ("4096", SLOW))))
        self.assertEqual(self.section("kernels").charts[0].title, "cg: native shm reaches 80% of the limit")

    def test_what_ran_in_another_document_is_not_listed_as_not_run(self):
        self.put("a.json", fake_results.case(CG.format(2), 8, "GFLOP/s"))
        self.put("b.json", fake_results.error(CG.format(2), "no time was left for it"))
        self.assertNotIn("they got no time", self.page().text)
        for name in ("c.json", "d.json"):
            self.put(name, fake_results.error(CG.format(3), "no time was left for it"))
        not_run, = [one for one in self.content().warnings if one.text.startswith("Not run")]
        self.assertEqual(len(not_run.about), 1)

    def test_what_several_launches_show_is_of_all_of_them(self):
        self.put("a.json", fake_results.case(CG.format(2), 8, "GFLOP/s", limit=..., fraction_of_limit=...))
        self.put("b.json", fake_results.case(CG.format(2), 4, "GFLOP/s"))
        row, = self.section("rows").tables[0].rows
        self.assertEqual((row[1], row[3:7], row[8]), ("6.00", ("4.00 to 8.00", "2", "20", "166.7"), "5.00"))

    def test_the_table_says_what_a_library_lacks_beside_the_ratio(self):
        self.put("a.json", fake_results.case(FFT.format("native"), 10, "GFLOP/s"),
                 fake_results.case(FFT.format("library"), 5, "GFLOP/s",
                                   note="fftw-3.3 (FFTW of this package has no AVX2 code, this processor has AVX2)"),
                 fake_results.case(CG.format(2), 99.5, "GFLOP/s", verified=False))
        text = self.page().text
        self.assertIn("2.0x (FFTW without AVX2)", text)
        self.put("b.json", *(fake_results.case(FFT.format(way).replace("1048576", "4194304"), 10, "GFLOP/s", repetitions=5)
                             for way in ("native", "library")))
        text = self.page().text
        self.assertIn("1.00x (fewer than 6 runs)", text)
        self.assertIn("native shm reaches 80% of the limit (fewer than 6 runs)", text)
        self.assertNotIn("99.5", text.split("All 5 rows")[0])


class Lines(Reported):
    def line(self, slug, chart, label):
        return next(line for line in self.section(slug).charts[chart].lines if line.label == label)

    def test_stream_has_rates_and_times_over_sizes(self):
        self.put("a.json", *(fake_results.case(fake_results.stream_name(size=size), rate, limit={
            "what": "add", "seconds": 1, "rate": 20000}) for size, rate in (("2MiB", 10000), ("64MiB", 5000))))
        self.assertEqual([(point.x, point.y) for point in self.line("figure-07-stream", 0, "native shm").points],
                         [(2 * 2**20, 10000), (64 * 2**20, 5000)])
        self.assertEqual({point.y for point in self.line("figure-07-stream", 0, "limit").points}, {20000})
        self.assertAlmostEqual(self.line("figure-07-stream", 1, "native shm").points[0].y, 1000 / 10000 / 100 * 1e6)

    def test_the_time_of_a_push_is_that_of_all_launches_with_its_interval(self):
        for name, rate in (("a.json", 10000), ("b.json", 20000)):
            self.put(name, *(fake_results.case(fake_results.stream_name(size=size), rate) for size in ("2MiB", "64MiB")))
        point = self.line("figure-07-stream", 1, "native shm").points[0]
        self.assertEqual([round(value) for value in (point.y, *point.interval)], [667, 500, 1000])

    def test_workers_on_one_problem_make_a_line_with_its_ideal_and_speed_ups(self):
        self.put("a.json", scaling(5, 9, 16))
        section = self.section("figure-10-cg")
        self.assertEqual([point.y for point in self.line("figure-10-cg", 0, "native shm").points], [5, 9, 16])
        self.assertEqual([point.y for point in self.line("figure-10-cg", 0, "ideal").points], [5, 20])
        self.assertIn(("N = 4096", "native shm", "4", "16.0", "3.20x", "80%"), section.tables[0].rows)
        self.put("a.json", scaling(5, 9))
        section = self.section("figure-10-cg")
        self.assertEqual((len(section.charts), len(section.tables[0].rows)), (0, 2))

    def test_a_problem_that_grows_with_the_workers_is_a_line(self):
        rows = [row for workers, n in ((1, 4096), (2, 5792), (4, 8192)) for row in fake_results.case(
            CG.replace("n:4096", f"n:{n}").format(workers), 5 * workers, "GFLOP/s", workers=workers)]
        self.put("a.json", rows)
        chart, = self.section("figure-10-cg").charts
        self.assertIn("growing with the workers", chart.title)
        self.assertEqual([point.x for point in chart.lines[0].points], [1, 2, 4])

    def test_a_doubtful_point_is_marked_and_launches_are_one_point_with_their_range(self):
        for number, factor in enumerate((1, 1.1)):
            self.put(f"{number}.json", scaling(5 * factor, 9 * factor, 16 * factor))
        self.put("3.json", scaling(1, 1, 1, **SLOW))  # does not count beside others
        point = self.line("figure-10-cg", 0, "native shm").points[0]
        self.assertEqual((round(point.y, 3), [round(end, 3) for end in point.interval]), (5.25, [5, 5.5]))
        self.put("0.json", scaling(5, 9, 16, **SLOW))
        self.put("1.json", scaling(5, 9, 16, **SLOW))
        chart, = self.section("figure-10-cg").charts
        self.assertEqual(chart.notes[0], "? native shm at 1: other processes took 45% of the cores")
        self.put("0.json", scaling(5, **SLOW), scaling(9, 9, 16)[len(scaling(5)):])
        self.put("1.json", scaling(5, **SLOW))
        self.assertEqual(self.section("figure-10-cg").tables[0].rows[1][3:], ("9.00", "1.80x?", "90%?"))

    def test_published_numbers_stand_beside_like_work_alone(self):
        rows = on_gpus(scaling(100, 200, 280, n=16384))
        for row in rows:
            if "workers" in row:
                row["workers"] *= 2  # the paper's 8 V100
        self.put("a.json", rows, nodes=4, device="cuda", gpus=[fake_results.GPU])
        chart = self.section("figure-10-cg").charts[0]
        self.assertEqual([line.label for line in chart.lines if line.role == "published"], ["a (V100)"])
        tables = self.section("published").tables
        self.assertIn("280 GFLOP/s (0.93x)", [row[4] for row in tables[0].rows])
        self.assertIn("K20", [row[2] for row in tables[1].rows])  # a matrix-free operator: for orientation
        self.assertTrue(tables[1].is_folded)
        for median, contains in (({}, self.assertIn), (SLOW, self.assertNotIn)):
            self.put("a.json", on_gpus(scaling(100, 200, 280, n=32768, **median)), device="cuda", gpus=[fake_results.GPU])
            contains("1.40x", str(self.section("published").tables))  # beside a published speed-up

    def test_sizes_of_fft_are_powers_and_a_published_number_stands_at_its_own_size(self):
        for power in (20, 22, 24):
            name = FFT.format("native").replace("1048576", str(2**power)).replace("ranks:2", "ranks:1")
            self.put(f"{power}.json", on_gpus(fake_results.case(name, 400, "GFLOP/s", workers=1)), device="cuda")
        chart, = self.section("figure-11-fft").charts
        self.assertEqual([(line.label, [chart.x_text(point.x) for point in line.points]) for line in chart.lines], [
            *((label, ["2^20", "2^22", "2^24"]) for label in ("native ipc", "limit")),
            ("a (K80)", ["2^24"]), ("b (P100 PCIe)", ["2^24"])])

    def test_host_and_gpu_stand_side_by_side_with_their_whole_tasks(self):
        self.put("a.json", fake_results.case(CG.format(2), 10, "GFLOP/s", whole_task_seconds=2))
        self.put("b.json", on_gpus(fake_results.case(CG.format(2), 200, "GFLOP/s", whole_task_seconds=4)),
                 device="cuda", gpus=[fake_results.GPU])
        row, = self.section("devices").tables[0].rows
        self.assertEqual(row[:8], ("cg", "N = 4096", "10.0 GFLOP/s", "200 GFLOP/s", "20x", "2", "4", "0.50x"))
        self.put("a.json", fake_results.case(CG.format(2).replace(":50", ":20"), 10, "GFLOP/s", whole_task_seconds=2))
        row, = self.section("devices").tables[0].rows
        self.assertEqual(row[4:8], ("20x", "", "", ""), "other tasks")


class Doubts(Reported):
    def test_what_is_wrong_stands_first_and_doubts_last(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000, **SLOW),
                 fake_results.case(fake_results.stream_name() + "/pair:0-1", 10000, **SLOW),
                 fake_results.case(fake_results.stream_name("library"), 9000, verified=False),
                 fake_results.error(fake_results.stream_name(transport="rma"), "no window"),
                 fake_results.error(fake_results.stream_name(transport="grpc"), "no time was left for it"),
                 warnings=["it was hot"])
        (self.folder / "runs" / "broken.json").write_text("{")
        (self.folder / "runs" / "notes.txt").write_text("x")
        text = self.page().text
        places = [text.index(part) for part in (
            "Read this first", "Documents that could not be read", "Wrong results", "Failed: no window",
            "Each kernel against", "Every row", "Not run: they got no time", "In doubt: not to be quoted",
            "Said by the program: it was hot")]
        self.assertEqual(places, sorted(places))
        for end in ("", ", pair 0-1"):
            self.assertIn(f"stream native shm, 2 MiB, 2 ranks{end}: other processes took 45% of the cores", text)

    def test_a_sound_set_of_documents_has_none(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000))
        text = self.page().text
        self.assertIn("Every document was read, every row was verified, and none is in doubt.", text)
        self.assertNotIn("Read this first", text)

    def test_several_commits_are_said_and_what_is_missing_has_its_command(self):
        for commit in ("1111111", "2222222-dirty"):
            self.put(f"{commit}.json", fake_results.case(fake_results.stream_name(), 10000), commit=commit)
        text = self.page().text
        self.assertIn("Rows of several commits stand side by side (2)", text)
        self.assertIn("changed working tree", text)
        self.assertIn("fft over sizes and ranks (the paper's Figure 11): No rows of fft. To get it: quartet sweep --kernels fft "
                      "--sizes 2^18,2^20,2^22 --ranks 2",
                      text)


class Files(Reported):
    def test_tables_take_the_place_of_charts_without_matplotlib(self):
        self.put("a.json", scaling(5, 9, 16))
        with mock.patch.object(report, "has_matplotlib", return_value=False):
            code, _, errors = in_process.run(report, self.folder / "runs", "--output", self.folder / "out" / "a.html")
        self.assertEqual(code, 0, errors)
        self.assertIn("tables instead of charts: this Python has no matplotlib", errors)
        self.assertEqual({file.suffix for file in (self.folder / "out" / "figures").iterdir()}, {".csv"})
        with open(self.folder / "out" / "figures" / "figure-10-cg.csv", encoding="utf-8") as file:
            rates = [row["GFLOP/s"] for row in csv.DictReader(file) if row["line"] == "native shm"]
        self.assertEqual(rates, ["5.0", "9.0", "16.0"])

    def test_every_link_leads_somewhere_and_nothing_asks_the_network(self):
        self.put("a.json", scaling(5, 9, 16))
        page = self.page()
        ids = {attributes.get("id") for _, attributes in page.elements}
        for tag, attributes in page.elements:
            self.assertNotIn("src", attributes)
            self.assertNotEqual(tag, "script")
            target = attributes.get("href", "")
            if tag == "a":
                self.assertTrue(target[1:] in ids if target.startswith("#") else (self.folder / "out" / target).is_file())
        self.assertIn("default-src 'none'", str(page.elements))

    def test_every_text_is_escaped(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 1, note=HOSTILE, **SLOW), fake_results.error(
            fake_results.stream_name(transport="rma"), HOSTILE), warnings=[HOSTILE], device_description=HOSTILE,
            environment={HOSTILE: HOSTILE}, options={HOSTILE: HOSTILE}, mpi=HOSTILE)
        page = self.page(style.has_matplotlib())
        self.assertEqual([tag for tag, _ in page.elements if tag in ("script", "img")], [])
        self.assertIn("<script>alert(1)</script>", page.text)

    def test_what_cannot_be_reported_is_said(self):
        done = self.command("--output", "out/index.html")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 2), done.stderr)
        self.assertIn("no usable result document", done.stderr)
        self.put("a.json", fake_results.error(fake_results.stream_name(), "none"))
        self.assertEqual(self.command("--output", "out/index.html").returncode, 0)
        self.assertIn("would be replaced", self.command("--output", "runs/a.json").stderr)
        self.assertEqual(self.command("--kernels", "a.png").returncode, 2)


@unittest.skipUnless(style.has_matplotlib(), "no matplotlib (Debian: python3-matplotlib)")
class Drawn(Reported):
    def setUp(self):
        super().setUp()
        self.put("a.json", scaling(5, 9, 16), scaling(4, 8, 14, distrusted=True, flags=SLOW["flags"]),
                 fake_results.case(fake_results.stream_name(), 10000, fraction_of_limit=1.5))

    def test_pictures_are_files_and_their_texts_and_ids_are_the_pages(self):
        page = self.page(with_charts=True)
        names = {file.stem for file in (self.folder / "out" / "figures").iterdir()}
        for name in names:
            self.assertEqual({file.suffix for file in (self.folder / "out" / "figures").glob(f"{name}.*")},
                             {".svg", ".png", ".pdf", ".csv"})
        svg = (self.folder / "out" / "index.html").read_text(encoding="utf-8")
        self.assertEqual(svg.count("<svg "), len(names))
        ids = re.findall(r' id="([^"]+)"', svg)
        self.assertEqual(len(ids), len(set(ids)))
        for used in re.findall(r'(?:href="#|url\(#)([^")]+)', svg):
            self.assertIn(used, ids)
        self.assertIn("var(--native, #0072b2)", svg)  # follows the reader's scheme
        self.assertIn("native shm: 4.00?", page.text)  # a tooltip

    def test_a_bar_leaves_the_picture_beside_the_limit_however_wrong_that_is(self):
        from quartet.report import drawing
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000, fraction_of_limit=1163.36, **SLOW))
        with style.applied():
            axes = drawing.draw(self.section("kernels").charts[0]).get_axes()[0]
        bar, = axes.patches
        self.assertEqual((round(bar.get_width()), axes.get_xlim()[1], bool(bar.get_hatch())), (116336, 125, True))

    def test_kernels_alone_are_one_picture_of_one_machine(self):
        self.assertEqual(self.command("--kernels", "kernels.png").returncode, 0)
        self.assertEqual((self.folder / "kernels.png").read_bytes()[:4], b"\x89PNG")
        self.put("b.json", scaling(5, 9, 16), device_description="Arm")
        done = self.command("--kernels", "kernels.svg")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("one kind of machine", done.stderr)

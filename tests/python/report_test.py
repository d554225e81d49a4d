"""Tests of the report without its charts, over fake documents: what it says, escapes, skips and
writes aside."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import fake_results
import in_process
from fake_roads import node
from quartet.commands import report
from quartet.report import sorting
from quartet.results import judged_cases, published
from quartet.tables import table
from quartet.text import told
from tree import QUARTET

CG = "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:{}/threads:1"
FFT = "fft/{}/host/shm/transposed/n:1048576/ranks:2/threads:1"


def run(folder, *arguments):
    """Runs the program in a folder, with a Python that has no matplotlib; the page goes to out/."""
    modules = Path(folder) / "modules"
    modules.mkdir(exist_ok=True)
    (modules / "matplotlib.py").write_text("raise ImportError('kept away')")
    return subprocess.run(
        [*QUARTET, "report", *arguments, "--output", "out/index.html"],
        cwd=folder, text=True, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(modules)})


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


class Reported(unittest.TestCase):
    """A folder of documents and the report over it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, name, *rows, warnings=(), **quartet):
        document = fake_results.document(*rows, warnings=warnings)
        document["context"]["quartet"].update(quartet)
        self.put_text(name, json.dumps(document))
        return document

    def put_text(self, name, text):
        file = self.folder / "runs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def page(self):
        """The page over runs/, made in this process."""
        target = self.folder / "out" / "index.html"
        content = report.compose(report.gather([self.folder / "runs"]), published.read())
        report.write(content, target, with_charts=False)
        return Visible(target.read_text(encoding="utf-8"))

    def rows(self, figure):
        with open(self.folder / "out" / "figures" / f"{figure}.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def scaling(*rates, n=4096, **median):
    """The rates on 1, 2 and 4 workers."""
    name = CG.replace("n:4096", f"n:{n}")
    return [row for rate, workers in zip(rates, (1, 2, 4))
            for row in fake_results.case(name.format(workers), rate, "GFLOP/s", workers=workers, **median)]


def on_gpus(rows):
    return json.loads(json.dumps(rows).replace("host/shm", "cuda/ipc"))


class Contents(Reported):
    def test_summary_has_the_best_verified_rate_of_each_kernel(self):
        self.put("a.json", fake_results.case(CG.format(2), 12.25, "GFLOP/s", workers=2),
                 fake_results.case(CG.format(4), 99.5, "GFLOP/s", workers=4, verified=False))
        page = self.page()
        summary = page.text.split("Summary")[2].split("Machines and settings")[0]
        self.assertIn("12.2 GFLOP/s", summary)
        self.assertNotIn("99.5", summary)

    def test_wrong_result_is_among_the_warnings_and_in_no_chart(self):
        self.put("a.json", scaling(6, 12, 24),
                 fake_results.case(CG.format(8), 99.5, "GFLOP/s", workers=8, verified=False))
        page = self.page()
        self.assertIn(f"Wrong results, left out of all charts: {CG.format(8)}", page.text)
        self.assertNotIn("99.5", {row["GFLOP/s"] for row in self.rows("figure-10-cg")})

    def test_what_is_wrong_stands_first_then_the_kernels_then_doubts_then_pictures(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000),
                 fake_results.case(fake_results.stream_name("library"), 9000, verified=False), warnings=["it was hot"])
        page = self.page()
        places = [page.text.index(text) for text in ("Wrong results", "Each kernel's native rate", "it was hot",
                                                     "100% is the rate")]
        self.assertEqual(places, sorted(places))

    def test_doubts_are_folded_behind_plain_names(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000, fraction_of_limit=1.4),
                 fake_results.case(fake_results.stream_name(transport="mpi"), 9000, distrusted=True,
                                   flags=[{"kind": "disturbed", "text": "busy"}]))
        page = self.page()
        self.assertIn("Above their limit: stream native shm, 2 MiB (140%) Above their limit by more", page.text)
        self.assertIn("Not to be quoted: stream native mpi, 2 MiB Distrusted", page.text)
        self.assertEqual(sum(tag == "summary" for tag, _ in page.elements), 3)  # the third is below a chart

    def test_the_verdict_says_in_words_how_native_stands_to_the_library(self):
        self.put("a.json", fake_results.case(CG.format(2), 4.1, "GFLOP/s", workers=2),
                 fake_results.case(CG.format(2).replace("native", "library"), 7.4, "GFLOP/s", workers=2),
                 fake_results.case(FFT.format("native"), 10, "GFLOP/s", distrusted=True,
                                   flags=[{"kind": "disturbed", "text": "busy"}]))
        text = self.page().text
        self.assertIn("slower than the library (4.10 against 7.40)", text)
        self.assertIn("in doubt: busy", text)

    def test_a_refused_case_is_named_with_its_reason(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000),
                 fake_results.error(fake_results.stream_name(transport="rma"), "no window here"))
        self.assertIn(f"no window here {fake_results.stream_name(transport='rma')}", self.page().text)

    def test_above_its_limit_is_a_warning_and_said_once(self):
        name = fake_results.stream_name()
        self.put("a.json", fake_results.case(name, 10000, fraction_of_limit=1.4),
                 warnings=[f"! {name}: limit and rate disagree"])
        text = self.page().text
        self.assertIn("stream native host shm, 2 MiB, 100 pushes, 2 ranks, 1 thread: 140%", text)
        self.assertNotIn("Said by the program", text)

    def test_what_the_program_says_of_a_row_has_its_plain_name(self):
        name = fake_results.stream_name()
        self.put("a.json", fake_results.case(name, 10000), warnings=[f"~ {name} drifted"])
        self.assertIn("Said by the program: ~ stream native shm, 2 MiB drifted", self.page().text)

    def test_there_is_no_ratio_of_a_distrusted_row(self):
        flags = [{"kind": "disturbed", "text": "busy"}]
        self.put("a.json", fake_results.case(FFT.format("native"), 10.0, "GFLOP/s"),
                 fake_results.case(FFT.format("dataflow"), 4.0, "GFLOP/s", flags=flags, distrusted=True))
        text = self.page().text
        self.assertIn("dataflow shm, transposed 4.00? 10.0 GFLOP/s (native)", text)
        self.assertNotIn("0.40x", text)

    def test_nothing_to_warn_of_is_said(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000))
        self.assertIn("No warnings", self.page().text)

    def test_speed_up_states_its_base(self):
        self.put("a.json", fake_results.case(CG.format(1), 4, "GFLOP/s", workers=1))
        self.put("b.json", fake_results.case(CG.format(2), 6, "GFLOP/s", workers=2))
        self.assertRegex(self.page().text, r"1\.50x 75% 4\.00 GFLOP/s on 1")

    def test_published_number_stands_with_its_conditions(self):
        rows = on_gpus(scaling(3, 6, 12, n=16384))
        self.put("a.json", rows, device="cuda", nodes=4)
        page = self.page()
        self.assertIn("8 V100 on 4 nodes of Kebnekaise", page.text)
        published = [row for row in self.rows("figure-10-cg") if row["role"] == "published"]
        self.assertIn(("8", "300"), [(row["workers (computing devices)"], row["GFLOP/s"])
                                     for row in published])

    def test_what_fits_none_of_ours_is_for_orientation(self):
        self.put("a.json", scaling(3, 6, 12))
        page = self.page()
        self.assertNotIn("published", {row["role"] for row in self.rows("figure-10-cg")})
        before, after = page.text.split("What others reached on other machines")
        self.assertIn("none of this kind of device, on as many nodes and workers, at a like size", before)
        self.assertNotIn("8 V100 on 4 nodes of Kebnekaise", before)
        self.assertIn("8 V100 on 4 nodes of Kebnekaise", after)

    def test_ratio_is_only_of_as_many_workers_at_a_like_size_and_says_where_ours_was(self):
        case = CG.format(8).replace("host/shm", "cuda/ipc")
        for name, workers, is_like in ((case.replace("n:4096", "n:32768"), 8, True),
                                       (case.replace("n:4096", "n:32768"), 4, False),
                                       (case, 8, False)):
            self.put("a.json", fake_results.case(name, 600, "GFLOP/s", workers=workers), device="cuda",
                     nodes=4)
            text = self.page().text
            self.assertEqual("2.0x of > 300 GFLOP/s: 8 V100" in text, is_like, (name, workers))
            self.assertEqual("; ours on 4 nodes, 8 workers" in text, is_like, (name, workers))

    def test_published_speed_ups_stand_beside_the_same_step_at_a_like_size_on_gpus_alone(self):
        heading = "Published speed-ups, and ours for the same step in workers at a like size"
        for size, device, is_like in (("32768", "cuda", True), ("512", "cuda", False),
                                      ("32768", "host", False)):
            rows = scaling(3, 6, 12, n=size)
            rows = rows if device == "host" else on_gpus(rows)
            self.put("a.json", rows, device=device)
            self.assertEqual(heading in self.page().text, is_like, (size, device))

    def test_formulations_are_compared_with_native(self):
        self.put("a.json", fake_results.case(FFT.format("native"), 10, "GFLOP/s"),
                 fake_results.case(FFT.format("dataflow"), 4, "GFLOP/s"))
        self.assertIn("dataflow shm, transposed 4.00 0.40x 10.0 GFLOP/s (native)", self.page().text)

    def test_host_is_compared_with_cuda_by_the_whole_task(self):
        def task(device_start, run):
            return {"launch": 0.5, "mpi_start": 0.25, "device_start": device_start, "set_up": 1, "run": run,
                    "write_results": 0.125}

        def put(**cuda):
            self.put("a.json", fake_results.case(CG.format(2), 10, "GFLOP/s", whole_task=task(0.125, 6)))
            self.put("b.json", fake_results.case(CG.format(2).replace("host/shm", "cuda/ipc"), 50, "GFLOP/s",
                                            **cuda), device="cuda", gpus=[fake_results.GPU])

        put(whole_task=task(1.125, 1))
        text = self.page().text
        self.assertIn("10.0 GFLOP/s 50.0 GFLOP/s 5.0x", text)
        self.assertIn("host 8 1.0x 0.5 0.25 0.125 1 6 0.125", text)
        self.assertIn("cuda 4 2.0x 0.5 0.25 1.12 1 1 0.125", text)
        self.assertIn("cg N = 4096, 1 worker, NVIDIA H200 cuda", text)  # each row says its own place
        put()  # an older document
        self.assertNotIn("whole task and its stages, in seconds", self.page().text)
        put(whole_task=task(1.125, 1))
        text = self.page().text
        self.assertIn("NVIDIA H200", text)

    def test_several_launches_are_one_point_with_their_range(self):
        for index, value in enumerate((10.0, 30.0, 20.0)):
            self.put(f"{index}.json", scaling(value / 2, value, value * 2))
        page = self.page()
        measured = [row for row in self.rows("figure-10-cg")
                    if row["role"] == "measured" and row["workers (computing devices)"] == "2"]
        self.assertEqual([(row["GFLOP/s"], row["low"], row["high"]) for row in measured],
                         [("20.0", "10.0", "30.0")])
        self.assertIn("launched more than once", page.text)

    def test_pairs_are_a_map(self):
        self.put("a.json", *(fake_results.case(fake_results.stream_name() + f"/pair:{pair}", value)
                             for pair, value in (("0-1", 7000), ("1-0", 9000))))
        self.page()
        self.assertEqual([(row["from"], row["to"], row["MiB/s"]) for row in self.rows("pairs")],
                         [("0", "1", "7000.0"), ("1", "0", "9000.0")])

    def test_pairs_name_the_nodes(self):
        places = [{**fake_results.PLACE, "rank": rank, "host": f"n{rank + 5}", "node": rank} for rank in range(2)]
        self.put("a.json", *(fake_results.case(fake_results.stream_name() + f"/pair:{pair}", value)
                             for pair, value in (("0-1", 5000), ("1-0", 10000))), placement=places)
        self.assertIn("The slowest pair, 0 n5 to 1 n6, has 50% of the fastest one's rate", self.page().text)

    def test_rows_of_two_documents_are_judged_together_as_in_the_table(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 500, fraction_of_limit=0.05))
        self.put("b.json", fake_results.case(fake_results.stream_name("library"), 8000, fraction_of_limit=0.8))
        text = self.page().text
        shown = table.render(judged_cases(
            json.loads((self.folder / "runs" / name).read_text()) for name in ("a.json", "b.json")))
        self.assertIn("500?", shown)
        self.assertIn("500?", text)
        self.assertNotRegex(text, r"\b500 MiB/s")
        self.assertIn("Distrusted", text)

    def test_titles_say_nothing_of_rows_in_doubt(self):
        flags = [{"kind": "disturbed", "text": "busy"}]
        self.put("a.json", fake_results.case(FFT.format("native"), 8.0, "GFLOP/s", flags=flags, distrusted=True),
                 fake_results.case(FFT.format("library"), 4.0, "GFLOP/s"))
        self.assertIn("fft: rates in doubt are not compared", self.page().text)

    def test_a_title_without_a_trusted_row_quotes_nothing(self):
        flags = [{"kind": "disturbed", "text": "busy"}]
        for size in (2, 4):
            self.put(f"{size}.json", fake_results.case(fake_results.stream_name(size=f"{size}MiB"), 8000, flags=flags,
                                                       distrusted=True, pushes=100))
        text = self.page().text
        self.assertIn("No share of what all ranks would allow can be quoted", text)
        self.assertIn("All rates here are in doubt", text)
        self.assertNotIn("at best", text)

    def test_phases_are_of_the_native_way_and_never_above_the_whole(self):
        phases = {"compute": 150.0, "wait": 60.0}
        self.put("a.json", fake_results.case(FFT.format("native"), 10.0, "GFLOP/s", phases=phases),
                 fake_results.case(FFT.format("dataflow"), 9.0, "GFLOP/s", phases={"wait": 100.0, "merge": 30.0}))
        self.assertIn("fft: native shm spends 71% of its time in compute", self.page().text)  # of 210 busy seconds

    def test_what_is_missing_is_said_with_a_command_at_the_end(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000))
        text = self.page().text.split("Every row")[-1].split("Not measured yet")[1]
        self.assertIn("matmul: the paper's Figure 8: No rows of matmul yet. To get it: quartet launch 2 matmul", text)
        self.assertIn("No pairs were measured. To get it: quartet launch 4 stream", text)
        self.assertIn("No problem was run on both the host and a GPU.", text)

    def test_every_row_of_every_document_is_in_the_table(self):
        names = [fake_results.stream_name(size=f"{2**power}MiB") for power in range(1, 8)]
        self.put("a.json", *(fake_results.case(name, 5000, road=[node("n1", between=100, eth0=97, ib0=3), node("n2")])
                             for name in names))
        rows = self.page().text.split("Every row")[-1]
        self.assertIn("eth0 97%, ib0 3%", rows)
        for name in names:
            self.assertIn(name, rows)

    def test_machine_and_build(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000))
        text = self.page().text
        for expected in ("Open MPI 4.1.4", "GNU 12.2.0", "1a2b3c4", "OMP_NUM_THREADS", "--runs"):
            self.assertIn(expected, text)


class Files(Reported):
    def test_csv_holds_the_documents_values(self):
        document = self.put("a.json", *(fake_results.case(fake_results.stream_name(size=f"{size}MiB"),
                                                     10000 / 3 + size) for size in (2, 4, 8)))
        self.page()
        expected = [(row["run_name"], repr(row["MiB/s"])) for row in document["benchmarks"]
                    if row.get("aggregate_name") == "median"]
        measured = [(row["case"], row["MiB/s"]) for row in self.rows("figure-07-stream")
                    if row["role"] == "measured"]
        self.assertEqual(measured, expected)

    def test_every_link_leads_to_a_file_or_a_place_on_the_page(self):
        self.put("a.json", fake_results.case(CG.format(1), 3, "GFLOP/s"))
        page = self.page()
        places = {attributes.get("id") for _, attributes in page.elements}
        links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
        self.assertTrue(links)
        for link in links:
            there = link[1:] in places if link[0] == "#" else \
                (self.folder / "out" / link).is_file()
            self.assertTrue(there, link)


class WithoutMatplotlib(Reported):
    def setUp(self):
        super().setUp()
        self.put("a.json", scaling(6.5, 12.25, 24),
                 fake_results.case(fake_results.stream_name() + "/pair:0-1", 7123))
        self.done = run(self.folder, "runs")

    def test_page_and_program_say_how_to_get_charts(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        for text in (self.done.stderr, Visible(self.html()).text):
            self.assertIn("python3-matplotlib", text)
            self.assertIn("pip install matplotlib", text)
        self.assertEqual(self.done.stderr.count("\n"), 1, self.done.stderr)

    def html(self):
        return (self.folder / "out" / "index.html").read_text(encoding="utf-8")

    def test_tables_have_the_charts_numbers(self):
        page = Visible(self.html())
        self.assertNotIn("svg", {tag for tag, _ in page.elements})
        self.assertIn("cg measured 2 12.2", page.text)  # of Figure 10
        self.assertIn("from to MiB/s 0 1 7123", page.text)
        self.assertIn("cg native shm 80.0", page.text)  # against its limit

    def test_files_are_csv_alone(self):
        endings = {file.suffix for file in (self.folder / "out" / "figures").iterdir()}
        self.assertEqual(endings, {".csv"})

    def test_a_picture_alone_is_refused(self):
        done = run(self.folder, "runs", "--kernels", "kernels.png")
        self.assertEqual(done.returncode, 77)
        self.assertIn("python3-matplotlib", done.stderr)


class HostileDocuments(Reported):
    ATTACK = "<script>alert(1)</script>'\"><img src=x onerror=alert(2)>&amp;\u202e\x00\ud800"

    def test_every_text_is_escaped(self):
        self.put("a.json", fake_results.case(fake_results.stream_name() + f"/x:{self.ATTACK[:8]}", 10000,
                                        note=self.ATTACK, fraction_of_limit=2,
                                        limit={"what": self.ATTACK, "seconds": 1, "rate": 1},
                                        published={**fake_results.PUBLISHED,
                                                   "conditions": self.ATTACK}),
                 fake_results.error(fake_results.stream_name(transport="rma"), self.ATTACK),
                 warnings=[self.ATTACK], mpi=self.ATTACK, device_description=self.ATTACK,
                 options={self.ATTACK: self.ATTACK}, environment={self.ATTACK: self.ATTACK})
        page = self.page()
        elements = {tag for tag, _ in page.elements}
        self.assertFalse(elements & {"script", "img", "iframe", "object", "link"})
        self.assertFalse([key for _, attributes in page.elements for key in attributes
                          if key.startswith("on")])
        self.assertIn("<script>alert(1)</script>", page.text)  # as text

    def test_nothing_on_the_page_asks_the_network(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000))
        self.page()
        page = (self.folder / "out" / "index.html").read_text(encoding="utf-8")
        self.assertNotRegex(page, r"https?://|url\(|@import|src=")


class BadInput(Reported):
    def test_unusable_documents_are_named_and_the_rest_is_reported(self):
        good = self.put("good.json", fake_results.case(fake_results.stream_name(), 12345))
        newer = json.loads(json.dumps(good))
        newer["context"]["quartet"]["schema_version"] = 99
        no_workers = fake_results.document(fake_results.case(fake_results.stream_name(), 1, workers="two"))
        infinite = json.dumps(good).replace("12345", "1e999")
        for name, text in {"short.json": json.dumps(good)[:2000], "foreign.json": '{"a": 1}',
                           "newer.json": json.dumps(newer), "list.json": "[1, 2]",
                           "empty.json": "", "wrong.json": json.dumps(no_workers),
                           "infinite.json": infinite, "deep.json": "[" * 100000}.items():
            self.put_text(name, text)
        (self.folder / "runs" / "binary.json").write_bytes(b"\xff\xfe\x00")
        page = self.page()
        self.assertIn("12345 MiB/s", page.text)
        for name in ("short", "foreign", "newer", "list", "empty", "wrong", "infinite", "deep",
                     "binary"):
            self.assertRegex(page.text, rf"skipped: .*runs/{name}\.json: ", name)
        self.assertRegex(page.text, r"newer\.json: .*99")

    def test_the_page_runs_the_tables_library_where_it_is_installed_and_nothing_else(self):
        names = [fake_results.stream_name(size=f"{2**power}MiB") for power in range(1, 10)]
        self.put("a.json", *(fake_results.case(name, 5000, flags=[], note=self.id()) for name in names))
        library = self.folder / "share"
        for name in sorting.LIBRARY:
            (library / name).parent.mkdir(parents=True)
            (library / name).write_text(f"/* {name} */")
        with mock.patch.object(sorting, "FOLDERS", (self.folder / "absent", library)):
            code, _, errors = in_process.run(report, self.folder / "runs", "--output", self.folder / "out" / "index.html")
        self.assertEqual(code, 0, errors)
        page = Visible((self.folder / "out" / "index.html").read_text(encoding="utf-8"))
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        self.assertEqual(scripts, [{}] * 3)  # inside of the page, each allowed by its hash
        policy = next(attributes["content"] for tag, attributes in page.elements
                      if attributes.get("http-equiv") == "Content-Security-Policy")
        self.assertRegex(policy, r"^default-src 'none'; .* script-src( 'sha256-[^']{44}'){3}$")
        self.assertIn("sorted", [attributes.get("class") for tag, attributes in page.elements if tag == "table"])

    def test_a_number_is_sorted_without_its_mark(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 10000, distrusted=True,
                                             flags=[{"kind": "disturbed", "text": "busy"}]))
        cells = [attributes.get("data-order") for tag, attributes in self.page().elements if tag == "td"]
        self.assertIn("10000", cells)
        self.assertNotIn("10000?", cells)

    def test_the_same_file_twice_counts_once(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 12345))
        done = run(self.folder, "runs", "runs/a.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "out" / "index.html").read_text(encoding="utf-8")
        self.assertIn("1 document with 1 measured case", page)

    def test_a_file_that_is_no_document_is_left_out_and_not_called_damaged(self):
        self.put("a.json", fake_results.case(fake_results.stream_name(), 12345))
        self.put_text("README.md", "# Results")
        done = run(self.folder, "runs/a.json", "runs/README.md")
        self.assertEqual(done.stdout, f"{(self.folder / 'out' / 'index.html').resolve()}\n")
        self.assertIn("skipped: runs/README.md: no document, by name and content\n", done.stderr)
        page = (self.folder / "out" / "index.html").read_text(encoding="utf-8")
        self.assertNotIn("README", page)

    def test_long_work_says_how_far_it_is(self):
        with mock.patch("quartet.text.SILENT", -1), mock.patch("quartet.text.say") as said:
            self.assertEqual(list(told("ab", "drawing charts")), ["a", "b"])
        said.assert_called_with("drawing charts: 1 of 2")

    def test_nothing_to_report_is_an_error(self):
        (self.folder / "runs").mkdir()
        for paths in (["runs"], ["absent.json"], ["no_such_folder"]):
            done = run(self.folder, *paths)
            self.assertEqual(done.returncode, 2)
            self.assertIn("no usable result document", done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_documents_of_errors_alone_are_reported(self):
        self.put("a.json", fake_results.error(fake_results.stream_name(), "no such device"))
        self.assertIn("no such device", self.page().text)

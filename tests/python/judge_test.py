"""Tests of quartet.results.judge: which rows do not fit the others; and that each rule stands in one language."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import fake_results
from fake_results import stream
from quartet.commands import report
from quartet.report.data import gather
from quartet.results import collect, judged_rows
from quartet.tables import table


def judged(*rows):
    """The judged cases of documents of one row each, as different programs leave them."""
    return judged_rows(fake_results.document(row) for row in rows)


class BelowTheLibrary(unittest.TestCase):
    def test_a_row_below_half_of_its_rate_is_flagged_whatever_the_fractions_are(self):
        for rate, mark in ((4900, "?"), (5100, "")):
            native, library = judged(stream(rate, fraction_of_limit=0.9),
                                     stream(10000, "library", fraction_of_limit=0.5))
            self.assertEqual((native.mark, library.mark), (mark, ""))
        self.assertEqual(judged(stream(500), stream(10000, "library"))[0].flags["below_library"],
                         "native is slower than plain MPI here (500 against 10000)")

    def test_only_what_did_the_same_work_is_compared(self):
        def name(formulation, storage, own):
            return f"cg/{formulation}/host/mpi/laplace/{storage}/n:64{own}/ranks:2/threads:1"

        def marks(*names):
            return [row.mark for row in judged(*(
                fake_results.case(text, rate, "GFLOP/s") for text, rate in zip(names, (1, 8))))]

        self.assertEqual(marks(name("native", "symmetric", ""), name("library", "full", "")), ["", ""])
        self.assertEqual(marks(name("native", "full", "/queue:16"),
                               name("library", "full", "/plan:estimate")), ["?", ""])
        self.assertEqual(marks(name("native", "full", ""), name("library", "full", "/math:tf32")), ["", ""])

    def test_tcp_is_no_slow_shared_memory(self):
        self.assertEqual([row.mark for row in judged(stream(900, transport="grpc"), stream(10000, "library"))],
                         ["", ""])

    def test_a_library_row_that_is_distrusted_judges_nothing(self):
        self.assertEqual([row.mark for row in judged(
            stream(1000), stream(10000, "library", distrusted=True))], ["", "?"])

    def test_another_machine_is_another_place(self):
        native, library = fake_results.document(stream(1000)), fake_results.document(stream(10000, "library"))
        library["context"]["num_cpus"] = 128
        self.assertEqual([row.mark for row in judged_rows([native, library])], ["", ""])


class OneLimit(unittest.TestCase):
    def test_a_data_flow_of_fft_has_that_of_the_transposed_order(self):
        def row(text, limit):
            return fake_results.case(f"fft/{text}/n:64/ranks:2/threads:1", 10.0, "GFLOP/s", fraction_of_limit=10 / limit,
                                     limit={"rate": limit, "seconds": 1 / limit, "what": "x", "components": []},
                                     **({"fraction_of_all_ranks": 5 / limit} if "dataflow" in text else {}))

        rows = judged(row("native/host/shm/transposed", 50.0), row("native/host/shm/natural", 40.0),
                      row("dataflow/host/shm/natural/queue:16", 20.0))
        for one, limit in zip(rows, (50, 40, 50)):
            self.assertAlmostEqual(one.limit_rate, limit)

    def test_a_data_flow_has_that_of_others_though_its_document_has_that_of_its_workers_alone(self):
        name, limit = "cg/{}/host/shm/laplace/full/classic/n:64/ranks:2/threads:1", {"seconds": 1, "what": "x", "components": []}
        whole, flow = judged(*(fake_results.case(name.format(who), 4.0, "GFLOP/s", fraction_of_limit=0.5, limit_decided_by=who,
                                                 limit={**limit, "rate": rate})
                               for who, rate in (("native", 16.0), ("dataflow", 8.0))))
        self.assertEqual([(row.limit_rate, row.fraction_of_limit, row.median["limit_decided_by"]) for row in (whole, flow)],
                         2 * [(16, 0.25, "native")])


class OlderPrograms(unittest.TestCase):
    def test_a_row_that_drifted_is_in_doubt_also_where_an_older_program_only_warned(self):
        name = fake_results.stream_name()
        row, = judged_rows([fake_results.document(fake_results.case(name, 10000), warnings=[f"~ {name} drifted: by 29%"])])
        self.assertEqual((row.mark, row.flags), ("?", {"unsteady": "by 29%"}))
        self.assertEqual(table.render([row]).count("by 29%"), 1)


    def test_above_its_limit_a_row_has_its_mark_also_where_an_older_program_did_not_flag_it(self):
        for fraction, mark in ((1.04, ""), (1.14, "!")):
            document = fake_results.document(stream(10000, fraction_of_limit=fraction))
            for entry in document["benchmarks"]:
                entry.pop("flags", None)
            row, = judged_rows([document])
            self.assertEqual(row.mark, mark)


class BelowTheNeighbours(unittest.TestCase):
    def marks(self, *fractions):
        rows = (stream(10000, size=f"{2**power}MiB", fraction_of_limit=fraction)
                for power, fraction in enumerate(fractions, 1))
        return "".join(row.mark or "." for row in judged(*rows))

    def test_rows_far_below_the_next_size_are_flagged(self):
        self.assertEqual(self.marks(0.8, 0.8, 0.3, 0.8), "..?.")
        self.assertEqual(self.marks(0.3, 0.8, 0.8), "...")
        self.assertEqual(self.marks(0.9, 0.9, 0.18, 0.16), "..??")
        smaller, larger = judged(stream(10000), stream(10000, size="4MiB", fraction_of_limit=0.3))
        self.assertEqual(larger.flags["below_neighbours"], "it reached 30% of its limit, and the smaller size 2 MiB 80%")
        self.assertEqual(smaller.flags, {})
        rows = judged(stream(10000), stream(10000, size="4MiB", fraction_of_limit=0.3),
                      stream(5000, "library", size="4MiB", fraction_of_limit=0.1))
        self.assertRegex(rows[1].flags["below_neighbours"], "it reached 20% of", "as the table has it, by the larger limit")

    def test_a_steady_trend_is_none(self):
        self.assertEqual(self.marks(0.2, 0.35, 0.6, 0.9), "....")

    def test_rows_above_their_limit_are_no_measure(self):
        self.assertEqual(self.marks(0.5, 1.4, 0.5), ".!.")

    def test_a_row_in_doubt_is_no_measure(self):
        for doubtful in ({"distrusted": True, "flags": [{"kind": "unsteady", "text": "few runs"}]}, {}):
            first, second = judged(stream(10000, fraction_of_limit=7.88, **doubtful) if doubtful else stream(10000),
                                   stream(10000, size="4MiB", fraction_of_limit=0.3))
            self.assertEqual((first.mark, "below_neighbours" in second.flags), ("?" if doubtful else "", not doubtful))

    def test_launches_of_one_size_are_no_neighbours_of_each_other(self):
        rows = [stream(10000, fraction_of_limit=fraction) for fraction in (0.9, 0.3)]
        self.assertEqual([row.mark for row in judged(*rows)], ["", ""])


class Everywhere(unittest.TestCase):
    def test_table_and_page_mark_the_same_rows_of_the_same_documents(self):
        rows = [stream(900, transport="grpc"), stream(4000), stream(10000, "library"),
                stream(16000, transport="shm", fraction_of_limit=1.2),
                stream(8000, transport="rma", distrusted=True,
                       flags=[{"kind": "unsteady", "text": "the runs differ by 20%"}])]
        with tempfile.TemporaryDirectory() as name:
            for number, row in enumerate(rows):
                (Path(name) / f"{number}.json").write_text(json.dumps(fake_results.document(row)))
            rows = judged_rows(document for _, document in collect([name]).documents)
            page = report.compose(gather([Path(name)]))
        marked = {(row.text, row.mark) for row in rows}
        text = table.render(rows)
        for row in rows:
            line = next(line for line in text.splitlines()
                        if line.split()[:2] == [row.name.formulation, row.name.transport])
            self.assertEqual("?" in line, row.mark == "?", line)
        bars = next(section for section in page.sections if section.slug == "kernels").charts[0].bars
        every = next(section for section in page.sections if section.title == "Every row").tables[0].rows
        self.assertEqual({(row[0], (re.findall("[?!]", row[1] + row[9]) or [""])[0]) for row in every}, marked)
        self.assertTrue(all(bar.mark == dict(marked)[bar.about] for bar in bars))
        self.assertEqual(sorted(mark for _, mark in marked), ["", "", "!", "?", "?"])

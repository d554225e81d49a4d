"""Tests of quartet.tables.table and of the reading of result documents."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from fake_roads import node
from in_process import quartet
from quartet import terminal
from quartet.results import judged_cases
from quartet.tables import orientation, table


def render(*rows, **context):
    return table.render(judged_cases([fake_results.document(*rows, **context)]))


class Table(unittest.TestCase):
    def test_row_has_every_column(self):
        text = render(fake_results.case(fake_results.stream_name(), 10000))
        self.assertIn("stream MiB/s, host, 2 ranks, pushes:100, threads:1\n", text)
        row = next(line for line in text.splitlines() if line.startswith("native"))
        self.assertEqual(row.split(), ["native", "shm", "2", "MiB", "10000", "9901-10204",
                                       "12500", "########..", "80%", "ok"])
        self.assertIn("stream's limit: the receiver's own local add", text)

    def test_which_way_the_bytes_took_stands_below(self):
        def over(share):
            return {"road": [node("n1", between=100, eth0=share), node("n2", stuck="mlx5_0")]}

        text = render(fake_results.case(fake_results.stream_name(), 10000, **over(97)),
                      fake_results.case(fake_results.stream_name(size="4MiB"), 9000, **over(99)))
        self.assertIn("    over eth0 97-99%\n    mlx5_0: stuck on n2\n", text)
        self.assertNotIn(" over ", render(fake_results.case(fake_results.stream_name(), 10000)))

    def test_a_kernel_that_no_table_knows_is_shown(self):
        name = fake_results.stream_name().replace("stream", "triad")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "triad.json"
            file.write_text(json.dumps(fake_results.document(fake_results.case(name, 10000))))
            done = quartet("table", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("triad MiB/s, host, 2 ranks", done.stdout)

    def test_a_heading_is_true_of_each_row_below_it(self):
        gpu = "matmul/native/cuda/ipc/n:16384%s/ranks:1/threads:16"
        host = "matmul/%s/host/shm/n:2048%s/ranks:1/threads:16"
        lines = render(*(fake_results.case(name, 100, "GFLOP/s") for name in (
            gpu % "/math:tf32/tile:4096", gpu % "/tile:4096", gpu % "/tile:4096/device-memory:8GiB",
            host % ("native", "/tile:256"), host % ("dataflow", "/tile:256/queue:16/reducers:1"),
            host % ("library", "")))).splitlines()
        headings = [line for line in lines if line.startswith(("matmul G", "  "))]
        self.assertEqual(headings[:6], [
            "matmul GFLOP/s, cuda, 1 rank, math:tf32, tile:4096, threads:16",
            "matmul GFLOP/s, cuda, 1 rank, tile:4096, threads:16",
            "matmul GFLOP/s, cuda, 1 rank, tile:4096, device-memory:8GiB, threads:16",
            "matmul GFLOP/s, host, 1 rank, threads:16, native and dataflow tile:256, dataflow",
            "  queue:16 reducers:1", "    matmul's limit: the receiver's own local add"])

    def test_a_bar_that_would_tell_nothing_is_left_out(self):
        name = "fft/library/cuda/staged/natural/n:16777216/ranks:%d/threads:16"
        lines = render(*(fake_results.case(name % ranks, 1234567, "GFLOP/s", fraction_of_limit=share)
                         for ranks, share in ((1000, 0.04), (2000, 1.0)))).splitlines()
        self.assertIn(" 1543209    4%       ok ", lines[2])
        self.assertIn(" 1543209  100%       ok ", lines[3])

    def test_orientation_fits_80_columns_and_compares_float32_alone(self):
        rows = [fake_results.case(f"{kernel}/native/{device}/ipc/n:16384{more}/ranks:1/threads:1", 123456, "GFLOP/s")
                for device in ("cuda", "host") for kernel, more in (
                    ("matmul", ""), ("matmul", "/math:tf32"), ("cg", ""), ("fft", ""))]
        rows.append(fake_results.case("matmul/native/cuda/ipc/n:16384/math:tf32/ranks:1/threads:1", 999999, "GFLOP/s"))
        text = orientation.render(judged_cases([fake_results.document(*rows)]))
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertIn("123456 GFLOP/s", text)
        self.assertNotIn("999999", text)

    def test_median_of_runs_that_drifted_is_marked(self):
        text = render(fake_results.case(fake_results.stream_name(), 10000, drift=0.2))
        self.assertIn(" 10000? ", text)
        self.assertIn(" ?  in doubt, not to be quoted:\n    stream native shm 2 MiB: drifted by +20%\n", text)
        self.assertNotIn("?", render(fake_results.case(fake_results.stream_name(), 10000)))

    def test_published_number_is_a_lettered_footnote_beside_what_the_papers_clock_timed(self):
        name = fake_results.stream_name(transport="mpi")
        text = render(fake_results.case(name, 10000), fake_results.paper(name, 9000), nodes=2)
        rows = [line for line in text.splitlines() if line.startswith("native")]
        self.assertEqual(len(rows), 1)
        self.assertTrue(rows[0].endswith("1.5x a"), rows[0])
        self.assertTrue(text.splitlines()[0].endswith(" published"), text)
        flat = " ".join(text.split())
        self.assertIn("a > 6000 MiB/s: two nodes of Tegner, host memory, RDMA", flat)
        self.assertIn("(Chien et al. 2019, section VI.A). Ours: on 2 nodes, 1 worker. Note: between two nodes", flat)

    def test_published_number_of_other_nodes_has_no_ratio(self):
        name = fake_results.stream_name(transport="mpi")
        for other, nodes in ((name, 1), (fake_results.stream_name(transport="shm"), 2), (name + "/pair:0-1", 2)):
            text = render(fake_results.case(other, 10000), nodes=nodes)
            self.assertNotIn("x a", text)
            self.assertNotIn("published", text)

    def test_equal_published_numbers_share_a_footnote(self):
        text = render(*(fake_results.case(fake_results.stream_name(transport="mpi", size=size), 10000)
                        for size in ("2MiB", "4MiB", "8MiB")), nodes=2)
        self.assertEqual([line[-2:] for line in text.splitlines() if line.startswith("native")], [" a"] * 3)
        self.assertEqual(text.count("> 6000 MiB/s"), 1)

    def test_failed_case_is_a_row_with_its_message_below(self):
        text = render(fake_results.case(fake_results.stream_name(), 10000),
                      fake_results.error(fake_results.stream_name(transport="rma"), "no window: use shm"))
        row = next(line for line in text.splitlines() if " rma " in line)
        self.assertEqual(row.split(), ["native", "rma", "2", "MiB", "failed", "see", "1"])
        self.assertIn(" 1  no window: use shm\n", text)
        self.assertEqual(text.count("stream MiB/s"), 1)

    def test_document_with_errors_only(self):
        text = render(fake_results.error("stream/native/host/ipc", "two nodes"))
        self.assertIn("failed", text)
        self.assertIn(" 1  two nodes\n", text)

    def test_wrong_result_unverified_and_suspicious_fraction_are_seen(self):
        text = render(fake_results.case(fake_results.stream_name(size="2MiB"), 10000, verified=False),
                      fake_results.case(fake_results.stream_name(size="4MiB"), 10000, verified=None),
                      fake_results.case(fake_results.stream_name(size="8MiB"), 10000, fraction_of_limit=1.2))
        rows = [line for line in text.splitlines() if line.startswith("native")]
        self.assertIn("WRONG", rows[0])
        self.assertIn("off", rows[1])
        self.assertIn("120%!", rows[2])
        self.assertIn(" !  above its limit", text)

    def test_missing_limit_interval_and_published_leave_their_cells_empty(self):
        rows = [row for row in fake_results.case(fake_results.stream_name(), 10000, limit=...,
                                            fraction_of_limit=...)
                if row.get("aggregate_name") not in ("ci95_low", "ci95_high")]
        row = next(line for line in render(rows).splitlines() if line.startswith("native"))
        self.assertEqual(row.split(), ["native", "shm", "2", "MiB", "10000", "ok"])

    def test_rows_are_ordered_by_ranks_then_size(self):
        text = render(*(fake_results.case(fake_results.stream_name(size=size, ranks=ranks), 10000)
                        for ranks in (4, 2) for size in ("128MiB", "2MiB", "1GiB")))
        rows = [line.split() for line in text.splitlines() if line.startswith("native")]
        self.assertEqual([f"{row[4]} {row[2]}{row[3]}" for row in rows],
                         ["2 2MiB", "2 128MiB", "2 1GiB", "4 2MiB", "4 128MiB", "4 1GiB"])

    def test_several_programs_and_documents_make_one_table_in_80_columns(self):
        long_message = "the window cannot be made (a reason that goes on and on): do this " * 3
        text = table.render(judged_cases([
            fake_results.document(
                fake_results.case(fake_results.stream_name("dataflow", "staged", "128MiB", 12288), 381469.5,
                             published={**fake_results.PUBLISHED, "ratio": 1234.0}),
                fake_results.error("stream/dataflow/host/staged/size:128MiB/ranks:2/threads:1",
                              long_message), warnings=["load was high " * 9], nodes=2),
            fake_results.document(fake_results.case(
                "matmul/native/host/mpi/n:8192/tile:1024/ranks:4/threads:1", 123.4, "GFLOP/s")),
            fake_results.document(
                fake_results.case("cg/native/host/shm/laplace/full/classic/n:8192/ranks:4/threads:1",
                             3.14159, "GFLOP/s"),
                fake_results.case("fft/native/host/shm/transposed/n:16777216/ranks:4/threads:1",
                             0.01, "GFLOP/s")),
        ]))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        headings = [line for line in text.splitlines() if line.split(" ")[0] in
                    ("stream", "matmul", "cg", "fft")]
        self.assertEqual(headings, [
            "stream MiB/s, host, pushes:100, threads:1",
            "matmul GFLOP/s, host, tile:1024, threads:1",
            "cg GFLOP/s, host, laplace, full, classic, threads:1",
            "fft GFLOP/s, host, transposed, threads:1"])
        self.assertIn("2^24", text)
        self.assertEqual(text.count("95% interval"), 1)

    def test_warnings_are_shown_once(self):
        documents = [fake_results.document(fake_results.case(fake_results.stream_name(), 1), warnings=["hot"])] * 2
        self.assertEqual(table.render(judged_cases(documents)).count("warning: hot"), 1)

    def test_pair_is_shown_in_place_of_ranks(self):
        text = render(fake_results.case(fake_results.stream_name() + "/pair:1-0", 10000))
        self.assertIn(" 1->0 ", text)

    def test_hosts_of_a_pair_are_named(self):
        text = self.of_pairs(["n1.site", "n2.site", "n3.site"])
        self.assertIn(" n1->n2 ", text)
        self.assertIn(" n3->n1 ", text)
        self.assertIn(" n1:0->n3:2 ", self.of_pairs(["n1", "n1", "n3", "n3"]))
        text = self.of_pairs(["gpu-node-0101", "gpu-node-0102", "gpu-node-0103"])
        self.assertIn(" 0->1 ", text)
        self.assertIn("    ranks: 0 gpu-node-0101, 1 gpu-node-0102, 2 gpu-node-0103\n", text)
        for hosts in (["node01", "node02"], ["gpu-node-0101", "gpu-node-0102"], ["a", "a", "b"]):
            self.assertLessEqual(max(map(len, self.of_pairs(hosts).splitlines())), 80)

    def of_pairs(self, hosts):
        ranks = range(len(hosts))
        document = fake_results.document(*(fake_results.case(
            fake_results.stream_name("dataflow", "staged", "128MiB", len(hosts)) + f"/pair:{first}-{second}", 23456,
            distrusted=True) for first in ranks for second in ranks if first != second), nodes=len(set(hosts)))
        document["context"]["quartet"]["placement"] = [{**fake_results.PLACE, "rank": rank, "host": host}
                                                       for rank, host in enumerate(hosts)]
        return table.render(judged_cases([document]))

    def test_no_results(self):
        self.assertEqual(table.render(judged_cases([])), "no results\n")


class ShortTable(unittest.TestCase):
    def shown(self, documents):
        text = table.render(judged_cases(documents), is_short=True)
        return text, [line.split()[2] + line.split()[3] for line in text.splitlines()
                      if line.startswith("native")]

    def document(self, sizes, ranks=2, cache=2**25):
        document = fake_results.document(*(
            fake_results.case(fake_results.stream_name(size=size, ranks=ranks), 10000)
            for size in sizes))
        document["context"]["caches"].append(
            {"type": "Unified", "level": 3, "size": cache, "num_sharing": 2})
        return document

    def test_of_many_sizes_the_ends_and_the_one_around_the_cache(self):
        sizes = ["2MiB", "8MiB", "32MiB", "64MiB", "1GiB"]
        for cache, middle in ((2**20, "8MiB"), (2**25, "32MiB"), (2**35, "64MiB")):
            text, shown = self.shown([self.document(sizes, cache=cache)])
            self.assertEqual(shown, ["2MiB", middle, "1GiB"])
            self.assertIn("2 rows of other sizes: --all", text)
        text, shown = self.shown([self.document(sizes[:3])])
        self.assertEqual(shown, sizes[:3])
        self.assertNotIn("--all", text)

    def test_further_rank_counts_show_the_largest(self):
        sizes = ["2MiB", "8MiB", "32MiB", "64MiB"]
        text = table.render(judged_cases([self.document(sizes), self.document(sizes, ranks=8)]), is_short=True)
        rows = [line.split()[2:5] for line in text.splitlines() if line.startswith("native")]
        self.assertEqual(rows[-1], ["64", "MiB", "8"])
        self.assertEqual(len(rows), 4)

    def test_failed_rows_are_always_shown(self):
        document = fake_results.document(
            *(fake_results.case(fake_results.stream_name(size=f"{2**power}MiB"), 10000)
              for power in range(1, 6)),
            fake_results.error(fake_results.stream_name(transport="rma", size="8MiB"), "no window"))
        self.assertIn("no window", table.render(judged_cases([document]), is_short=True))

    def test_of_many_warnings_three(self):
        document = fake_results.document(fake_results.case(fake_results.stream_name(), 1),
                                         warnings=[f"warning {index}" for index in range(5)])
        text = table.render(judged_cases([document]), is_short=True)
        self.assertEqual(text.count("warning: warning"), 3)
        self.assertIn("2 more warnings: --all", text)

    def test_what_a_mark_says_is_no_warning_besides(self):
        name = fake_results.stream_name()
        document = fake_results.document(fake_results.case(name, 1, drift=0.2),
                                         warnings=[f"~ {name} drifted", "hot"])
        self.assertNotIn("warning: ~", table.render(judged_cases([document]), is_short=True))
        self.assertIn("warning: hot", table.render(judged_cases([document]), is_short=True))
        self.assertIn("warning: ~", table.render(judged_cases([document])))

    def test_each_cause_of_doubt_is_said_once_and_three_at_most_in_a_short_table(self):
        def row(power, text):
            flags = [{"kind": "disturbed", "text": text}] if text else []
            return fake_results.case(fake_results.stream_name(size=f"{2**power}MiB"), 9000, flags=flags, distrusted=True)

        document = fake_results.document(*(row(power, "hot" if power < 4 else f"cause {power}") for power in range(1, 8)),
                                         row(8, ""))
        text = table.render(judged_cases([document]))
        self.assertIn("    stream native shm 2 MiB and 2 more rows: hot\n", text)
        self.assertIn("    stream native shm 128 MiB: cause 7\n", text)
        self.assertIn("    stream native shm 256 MiB: its document does not say why\n", text)
        rows = [fake_results.case(fake_results.stream_name(transport=transport), 9000, distrusted=True,
                                  flags=[{"kind": "disturbed", "text": transport}])
                for transport in ("mpi", "shm", "rma", "grpc", "staged")]
        text = table.render(judged_cases([fake_results.document(*rows)]), is_short=True)
        self.assertIn("rma 2 MiB: rma\n    and 2 more rows: --all says why\n", text)

    def test_more_threads_than_cores_are_the_first_cause(self):
        crowd = "ranks 0-2 on host: 3 x 1 threads share 2 cores (more threads than cores wait for each other)"
        document = fake_results.document(fake_results.case(fake_results.stream_name(), 1, drift=0.2), warnings=[crowd])
        self.assertIn("2 MiB: 3 x 1 threads share 2 cores; drifted by +20%\n", table.render(judged_cases([document])))

    def test_what_decided_a_compound_limit_is_said_for_each_formulation(self):
        def case(formulation, decided, size="2MiB"):
            return fake_results.case(
                fake_results.stream_name(formulation, size=size), 10000, limit_decided_by=decided,
                limit_components=[{"name": "copy", "seconds": 1}, {"name": "link", "seconds": 2}])
        text = render(case("native", "copy"), case("library", "link"))
        self.assertIn("own local add; copy decided for native; link decided",
                      " ".join(text.split()))
        text = render(case("native", "copy"), case("native", "link", "4MiB"))
        self.assertIn("own local add; copy or link decided, row by row", " ".join(text.split()))

    def test_shares_beside_the_limit_are_said_once_for_all_rows_that_can_be_trusted(self):
        def case(size, share, hardware, **more):
            return fake_results.case(
                fake_results.stream_name("dataflow", size=size), 10000, fraction_of_all_ranks=share, **more,
                limit_components=[{"name": "SGEMM", "seconds": 1, "hardware_seconds": hardware,
                                   "ranks": 1, "all_ranks_seconds": 0.5}])
        text = " ".join(render(case("2MiB", 0.42, 0.84), case("4MiB", 0.47, 0.84),
                               case("8MiB", 0.1, 0.2, flags=[{"kind": "step", "text": "in steps"}],
                                    distrusted=True)).split())
        self.assertIn("SGEMM: 84% of the FMA peak.", text)
        self.assertIn("stream dataflow: 42-47% of what all ranks would allow (SGEMM on 1 of 2).", text)


class Terminals(unittest.TestCase):
    def style(self, is_terminal=True, encoding="utf-8", **environment):
        stream = mock.Mock(encoding=encoding)
        stream.isatty.return_value = is_terminal
        with mock.patch.dict("os.environ", {"TERM": "xterm", **environment}, clear=True):
            return terminal.Style.of(stream)

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertTrue(self.style().has_colour)
        self.assertTrue(self.style(NO_COLOR="").has_colour)
        for arguments in ({"is_terminal": False}, {"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertFalse(self.style(**arguments).has_colour, arguments)

    def test_bars_are_ascii_where_the_encoding_is(self):
        self.assertEqual(self.style().bar(0.8), "████████░░")
        self.assertEqual(self.style(encoding="ascii").bar(1.3), "##########")
        self.assertEqual(self.style().bar(None), "")

    def test_bar_is_coloured_and_marked_rows_are_as_a_whole(self):
        rows = [fake_results.case(fake_results.stream_name(size=size), 10000, **median)
                for size, median in (("2MiB", {}), ("4MiB", {"distrusted": True}))]
        text = table.render(judged_cases([fake_results.document(*rows)]), style=terminal.Style(True))
        self.assertIn("\033[32m########\033[0m..", text)
        self.assertIn("\033[33mnative shm 4 MiB", text)
        self.assertNotIn("\033", table.render(judged_cases([fake_results.document(*rows)])))


class CommandLine(unittest.TestCase):
    def table(self, *arguments):
        return quartet("table", *arguments)

    def test_prints_the_table_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            file.write_text(json.dumps(fake_results.document(fake_results.case(fake_results.stream_name(), 1000))))
            twice = Path(folder) / "again.json"
            twice.write_text(file.read_text())
            done = self.table(file, twice)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.count("native shm"), 2)
            twice.write_text("{")
            done = self.table(folder)
        self.assertEqual((done.returncode, done.stdout.count("native shm")), (0, 1))
        self.assertIn(f"left out {twice}: not a whole JSON document", done.stderr)

    def test_refuses_what_is_no_document(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "other.json"
            for text in ("[]", "{}", "not JSON"):
                file.write_text(text)
                done = self.table(file)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.table().returncode, 2)

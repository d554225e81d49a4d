"""Tests of the table of results and of its verdict, on documents with invented numbers."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from compare_case import flat
from fake_paths import node
from fake_results import stream
from in_process import quartet
from quartet import terminal
from quartet.results import OWN_FORMULATIONS, judged_rows
from quartet.tables import table, verdict

PARTS = [{"name": "memory copy", "seconds": 0.5}, {"name": "float64 arithmetic", "seconds": 0.25}]


def render(*rows, is_short=False, **context):
    text = table.render(judged_rows([fake_results.document(*rows, **context)]), is_short)
    assert max(map(len, text.splitlines())) <= 80, text
    return text


def cg(rate, formulation, storage="full", **more):
    return fake_results.case(f"cg/{formulation}/host/shm/laplace/{storage}/classic/n:64/ranks:2/threads:1", rate,
                             "GFLOP/s", **more)


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith(OWN_FORMULATIONS)]


class Table(unittest.TestCase):
    def test_row_has_every_column(self):
        text = render(stream(10000, transport="shm"))
        self.assertIn("stream MiB/s, host, 2 ranks, pushes:100, threads:1\n", text)
        self.assertEqual(rows_of(text)[0].split(), ["native", "shm", "2", "MiB", "10000", "9901-10204", "12500",
                                                    "########..", "80%", "ok"])
        self.assertIn("stream's limit: the receiver's own local add", text)
        self.assertNotIn("stream's limit", render(stream(10000), is_short=True))

    def test_each_machine_has_a_table_that_begins_with_what_it_allows(self):
        one, two = (fake_results.document(cg(8, formulation, flops=2e9, bytes=4e9, limit_components=PARTS))
                    for formulation in ("native", "library"))
        two["context"]["quartet"]["device_description"] = "Arm; BLIS"
        text = table.render(judged_rows([one, two, one]))
        self.assertEqual(text.splitlines()[0],
                         "unknown processor, 4 CPUs; 2 ranks; copies at 8.00 GB/s, float64 8.00 GFLOP/s")
        self.assertEqual([len(rows_of(block)) for block in text.split("Arm, 4 CPUs")], [2, 1])
        del two["context"]["quartet"]["device_description"]  # one name of two generations
        for document, model in ((one, "17"), (two, "1")):
            document["context"]["quartet"]["system"] = {"processor": {"family": "25", "model": model}}
        text = table.render(judged_rows([one, two]))
        self.assertEqual([len(rows_of(block)) for block in text.split("4 CPUs (model 1)")], [1, 1])

    def test_all_formulations_have_one_limit_what_all_ranks_would_allow(self):
        own = {"fraction_of_limit": 0.8, "limit": {"what": "reading", "seconds": 1, "rate": 5}}
        for whole in (0.4, 0.2):  # the second: more than was measured on all ranks
            text = render(cg(8, "native"), cg(4, "dataflow", fraction_of_all_ranks=whole, **own))
            self.assertEqual([row.split()[-5:-1] for row in rows_of(text)],
                             [["7.92-8.16", "10.0", "########..", "80%"], ["3.96-4.08", "10.0", "####......", "40%"]])
        alone = render(cg(4, "dataflow", fraction_of_all_ranks=0.2, **own))
        self.assertIn(" 20.0 ", alone)
        self.assertIn("that of the data flow's workers, scaled to all ranks", alone)
        self.assertNotIn("scaled", text)
        doubted = render(cg(8, "native", distrusted=True), cg(4, "dataflow", fraction_of_all_ranks=0.2, **own))
        self.assertRegex(doubted, r"dataflow .* 10\.0\? +ok")  # no fraction of a limit in doubt
        self.assertNotIn("limit", render(cg(4, "dataflow", **own)))  # unknown of all ranks
        few = stream(5000, "library", fraction_of_limit=0.1, repetitions=1)  # its only probe was the first, the fastest
        self.assertIn(" 80% ", render(stream(10000, fraction_of_limit=0.8), few))
        own = render(stream(10000, fraction_of_all_ranks=0.4))  # the receiver's add is everyone's limit
        self.assertIn(" 80% ", own)

    def test_a_row_in_doubt_has_no_fraction_and_its_cause_stands_below(self):
        text = render(stream(10000, spread=0.2), stream(9000, size="4MiB", fraction_of_limit=1.2),
                      stream(9000, size="8MiB", verified=False), stream(9000, size="16MiB", verified=None))
        first, second, third, fourth = rows_of(text)
        self.assertIn(" 10000? ", first)
        self.assertNotIn("%", first)
        self.assertIn(" 120%! ", second)
        self.assertIn("WRONG", third)
        self.assertIn("off", fourth)
        self.assertIn(" ?  in doubt, not to be quoted:\n    stream native mpi 2 MiB: the runs differ by 20%\n", text)
        self.assertIn(" !  above its limit", text)
        text = render(*(fake_results.case(fake_results.stream_name(size=size, ranks=ranks), 10000, spread=ranks / 10)
                        for size, ranks in (("2MiB", 2), ("2MiB", 4), ("4MiB", 3))))
        for name in ("2 MiB on 2 ranks: the runs differ by 20%", "2 MiB on 4 ranks: the runs differ by 40%", "4 MiB: the"):
            self.assertIn(f"    stream native shm {name}", text)

    def test_a_short_table_leaves_out_several_reasons_or_none_and_none_is_said_twice(self):
        def rows(count):
            return [stream(10000, size=size, transport=transport, spread=0.2 + place / 100) for place, (size, transport)
                    in enumerate([("2MiB", "mpi"), ("4MiB", "mpi"), ("8MiB", "mpi"), ("2MiB", "shm"), ("4MiB", "shm")][:count])]

        self.assertIn("differ by 23%", render(*rows(4), is_short=True))
        self.assertIn("and 2 more marked rows: --all says why", render(*rows(5), is_short=True))
        warnings = [f"? {fake_results.stream_name(transport='mpi')}: the runs differ by 20%"]
        self.assertEqual(render(*rows(1), warnings=warnings).count("differ by 20%"), 1)

    def test_the_machines_rates_are_in_doubt_where_all_rows_with_them_were_disturbed(self):
        def heading(*flags):
            return render(*(stream(100, size=f"{2 << row}MiB", flags=[{"kind": kind, "text": ""}] if kind else [],
                                   bytes=4e9, limit_components=[{"name": "memory copy", "seconds": 2 - row}])
                            for row, kind in enumerate(flags))).splitlines()[0]

        self.assertIn("copies at 4.00? GB/s", heading("disturbed", "disturbed"))
        self.assertIn("copies at 2.00 GB/s", heading("", "disturbed"), "the largest of those that are not, as for limits")
        self.assertIn("copies at 4.00 GB/s", heading("", "below_library"), "which is about the rate alone")
        of_workers = cg(4, "dataflow", bytes=4e9, limit_components=[{"name": "memory copy", "seconds": 1}])
        self.assertNotIn("GB/s", render(of_workers).splitlines()[0])

    def test_failed_rows_have_their_message_below_and_rows_that_got_no_time_are_not_run(self):
        text = render(stream(10000), fake_results.error(fake_results.stream_name(transport="rma"), "no window: use shm"),
                      fake_results.error(fake_results.stream_name(transport="shm"),
                                         "stopped on request before its first run"), is_short=True)
        self.assertEqual(rows_of(text)[1].split()[-3:], ["failed", "see", "1"])
        self.assertEqual(rows_of(text)[2].split()[-2:], ["not", "run"])
        self.assertIn(" 1  no window: use shm\n", text)
        self.assertNotIn("stopped", text)
        self.assertEqual(text.count("stream MiB/s"), 1)
        self.assertIn("failed", render(fake_results.error("stream/native/host/ipc", "two nodes")))
        self.assertEqual(table.render([]), "no results\n")

    def test_which_way_the_bytes_took_stands_below(self):
        text = render(stream(10000, network_path=[node("n1", eth0=97, eth1=3), node("n2")]))
        self.assertIn("    over eth0 97%\n", text)

    def test_a_heading_is_true_of_each_row_below_it(self):
        gpu = "matmul/native/cuda/ipc/n:16384%s/ranks:1/threads:16"
        host = "matmul/%s/host/shm/n:2048%s/ranks:1/threads:16"
        lines = render(*(fake_results.case(name, 100, "GFLOP/s") for name in (
            gpu % "/math:tf32/tile:4096", gpu % "/tile:4096", host % ("native", "/tile:256"),
            host % ("dataflow", "/tile:256/queue:16/reducers:1"), host % ("library", "")))).splitlines()
        self.assertEqual([line for line in lines if line.startswith(("matmul G", "  "))][:4], [
            "matmul GFLOP/s, cuda, 1 rank, math:tf32, tile:4096, threads:16",
            "matmul GFLOP/s, cuda, 1 rank, tile:4096, threads:16",
            "matmul GFLOP/s, host, 1 rank, threads:16, native and dataflow tile:256, dataflow",
            "  queue:16 reducers:1"])

    def test_a_published_number_of_like_work_is_a_lettered_footnote(self):
        name = fake_results.stream_name(transport="mpi")
        text = render(fake_results.case(name, 10000), fake_results.paper(name, 9000), stream(10000, size="4MiB"), nodes=2)
        self.assertTrue(rows_of(text)[0].endswith("1.5x a"), text)  # by the paper's clock
        self.assertEqual([part.count("stream's limit") for part in text.split("> 6000 MiB/s")], [1, 0], "it is no part of it")
        self.assertIn("(Chien et al. 2019, section VI.A). Ours: on 2 nodes, 1 worker. Note: between two nodes", flat(text))
        gpu = fake_results.case("cg/native/cuda/ipc/laplace/full/classic/n:65536/ranks:1/threads:1", 775, "GFLOP/s")
        for rows, nodes in (([fake_results.case(name, 10000)], 1), ([stream(1, transport="shm")], 2), ([gpu], 1),
                            ([fake_results.case(name + "/pair:0-1", 10000)], 2), ([stream(10000, distrusted=True)], 2)):
            self.assertNotIn("publ.", render(*rows, nodes=nodes))

    def test_rows_are_ordered_by_ranks_then_size_and_several_programs_fit(self):
        text = render(*(fake_results.case(fake_results.stream_name(size=size, ranks=ranks), 10000)
                        for ranks in (4, 2) for size in ("128MiB", "2MiB", "1GiB")),
                      fake_results.error("stream/dataflow/host/staged/size:128MiB/ranks:2/threads:1", "a long reason " * 9),
                      fake_results.case("fft/native/host/staged/transposed/n:16777216/ranks:12288/threads:1", 381469.5,
                                        "GFLOP/s"), warnings=["load was high " * 9] * 2)
        self.assertEqual([f"{row.split()[4]} {''.join(row.split()[2:4])}" for row in rows_of(text) if "shm" in row],
                         ["2 2MiB", "2 128MiB", "2 1GiB", "4 2MiB", "4 128MiB", "4 1GiB"])
        self.assertEqual(text.count("warning: load"), 1)

    def test_sizes_of_fft_alone_are_written_as_powers_of_two(self):
        for kernel, points, written in (("fft", 65536, "2^16"), ("fft", 60000, "60000"), ("cg", 131072, "131072")):
            name = f"{kernel}/native/host/shm/n:{points}/ranks:2/threads:1"
            self.assertIn(f" {written} ", render(fake_results.case(name, 1, "GFLOP/s")))

    def test_a_kernel_that_no_table_knows_is_shown(self):
        self.assertIn("triad MiB/s", render(fake_results.case(fake_results.stream_name().replace("stream", "triad"), 1)))

    def test_small_pushes_have_a_time_in_place_of_a_rate(self):
        small, large = rows_of(render(stream(100000, size="8B"), stream(9000, size="64KiB")))
        self.assertEqual(small.split()[4:8], ["100", "us", "98.0-101", "80.0"], "all are times")
        self.assertIn(" 9000 ", large)
        doubtful, = rows_of(render(stream(100000, size="8B", flags=[{"kind": "disturbed", "text": "others ran"}])))
        self.assertEqual(doubtful.split()[4:8], ["100", "us?", "98.0-101", "80.0?"])

    def test_hosts_of_a_pair_are_named(self):
        text = self.of_pairs("n1.site", "n2.site", "n3.site")
        self.assertIn(" n1->n2 ", text)
        self.assertIn("    stream native mpi 16 MiB n1->n2 and 5 more rows: ", text)
        self.assertIn(" n1:0->n3:2 ", self.of_pairs("n1", "n1", "n3", "n3"))
        names = [f"{fake_results.stream_name(transport='mpi', ranks=12)}/pair:0-{rank}" for rank in (1, 11)]
        text = render(*(fake_results.case(name, 1) for name in names), warnings=[f"{names[1]} is odd"])
        self.assertIn("warning: stream native mpi 2 MiB 0->11 is odd\n", text)
        text = self.of_pairs("gpu-node-0101", "gpu-node-0102", "gpu-node-0103")
        self.assertIn("    ranks: 0 gpu-node-0101, 1 gpu-node-0102, 2 gpu-node-0103\n", text)
        self.assertIn(" 0->1 ", text)

    def of_pairs(self, *hosts):
        return table.render(judged_rows([pairs(hosts, lambda *_: [23456], distrusted=True)]))

    def test_a_short_table_has_the_ends_and_the_size_in_the_middle(self):
        for not_run in ("", "8MiB 64MiB", "32MiB 64MiB 1GiB"):
            rows = [fake_results.error(fake_results.stream_name(size=size), "no time was left for it")
                    if size in not_run else stream(1, size=size, spread=0.2) for size in "2MiB 8MiB 32MiB 64MiB 1GiB".split()]
            text = render(*rows, is_short=True, warnings=[f"warning {index}" for index in range(5)])
            self.assertEqual(["".join(row.split()[2:4]) for row in rows_of(text)], ["2MiB", "32MiB", "1GiB"])
            self.assertIn("\n\n    2 rows of other sizes: --all", text, "before the list of rows in doubt")
        self.assertEqual(text.count("warning: warning"), 3)

    def test_colour_is_for_terminals_that_want_it(self):
        def style(is_terminal=True, encoding="utf-8", **environment):
            output = mock.Mock(encoding=encoding)
            output.isatty.return_value = is_terminal
            with mock.patch.dict("os.environ", {"TERM": "xterm", **environment}, clear=True):
                return terminal.Style.of(output)

        self.assertTrue(style().has_colour)
        self.assertFalse(style(is_terminal=False).has_colour or style(NO_COLOR="1").has_colour or style(TERM="dumb").has_colour)
        self.assertEqual((style().bar(0.8), style(encoding="ascii").bar(1.3)), ("████████░░", "##########"))
        cases = judged_rows([fake_results.document(stream(10000), stream(10000, size="4MiB", distrusted=True))])
        text = table.render(cases, style=terminal.Style(True))
        self.assertIn("\033[32m########\033[0m..", text)
        self.assertIn("\033[33mnative mpi 4 MiB", text)

    def test_the_command_prints_the_documents_that_it_can_read(self):
        with tempfile.TemporaryDirectory() as folder:
            file, damaged = Path(folder, "run.json"), Path(folder, "damaged.json")
            document = fake_results.document(stream(1000))
            document["context"]["quartet"].update(stopped=True, complete=True)
            file.write_text(json.dumps(document))
            damaged.write_text("{")
            done = quartet("table", folder)
            self.assertEqual((done.returncode, done.stdout.count("native mpi")), (0, 1))
            self.assertIn(f"left out {damaged}: not a whole JSON document", done.stderr)
            self.assertIn("\n1 row verified.", done.stdout)
            self.assertIn("    1 launch stopped before the end: some runs are missing\n", done.stdout)
            self.assertEqual(quartet("table", damaged).returncode, 2)
            document["context"]["quartet"].update(stopped=False, complete=False)  # its program was killed
            file.write_text(json.dumps(document))
            self.assertIn("    1 launch stopped before the end: some runs are missing\n", quartet("table", file).stdout)
        self.assertRegex(quartet("table").stdout, "rows? verified")  # what was measured here, else the shipped ones


def pairs(hosts, rates_of, **more):
    """A document of every ordered pair of ranks on these hosts."""
    ranks = range(len(hosts))
    document = fake_results.document(*(fake_results.case(
        fake_results.stream_name("native", "mpi", "16MiB", len(hosts)) + f"/pair:{first}-{second}",
        rates_of(first, second), **more) for first in ranks for second in ranks if first != second), nodes=len(set(hosts)))
    document["context"]["quartet"]["placement"] = [{**fake_results.PLACE, "rank": rank, "host": host}
                                                   for rank, host in enumerate(hosts)]
    return document


class Verdict(unittest.TestCase):
    def lines(self, *rows):
        found = verdict.render(judged_rows([fake_results.document(*rows)])).splitlines()
        self.assertLessEqual(max(map(len, found)), 80)
        return found

    def test_says_what_a_sound_run_reached(self):
        found = self.lines(stream(10000, fraction_of_limit=0.81), stream(9000, size="4MiB", fraction_of_limit=0.95),
                           stream(5000, "library", fraction_of_limit=0.5),
                           stream(3000, "library", size="4MiB", fraction_of_limit=0.5))
        self.assertEqual(found[0], "All 4 rows verified.")
        self.assertEqual(found[2].split(), ["stream", "81-95%", "-", "32-40%", "2.0-3.0x"])
        self.assertIn("quartet report", found[-1])
        self.assertEqual(self.lines(), ["Nothing was measured."])

    def test_rows_with_marks_are_in_no_range_and_those_in_doubt_in_no_ratio(self):
        found = self.lines(stream(10000, fraction_of_limit=0.81),
                           stream(1000, size="4MiB", fraction_of_limit=0.7, flags=[{"kind": "disturbed", "text": "others"}]),
                           stream(20000, size="8MiB", fraction_of_limit=1.3),
                           *(stream(5000, "library", size=size, fraction_of_limit=0.405) for size in ("2MiB", "4MiB", "8MiB")))
        self.assertEqual(found[0], "All 6 rows verified (1 in doubt (?), left out below; 1 above its limit (!)).")
        self.assertEqual(found[2].split(), ["stream", "81%", "-", "32-40%", "2.0-4.0x"])
        self.assertIn("quartet check-machine", found[-1])
        launches = [fake_results.document(stream(10000, distrusted=bool(number))) for number in range(4)]
        self.assertIn("\nstream          80% ", verdict.render(judged_rows(launches)), "as the table has of the first one")
        doubtful = self.lines(stream(10000), stream(5000, "library", distrusted=True))
        self.assertEqual(doubtful[2].split(), ["stream", "80%", "-", "?", "-"])
        few = [stream(10000, size="4MiB", repetitions=5)]
        self.assertTrue(self.lines(*few)[2].endswith("80%        -       -  - (fewer than 6 runs)"))
        few += [stream(10000), stream(5000, "library")]
        self.assertIn("(some of fewer than 6 runs)", flat("".join(self.lines(*few)[2:4])))

    def test_a_native_row_that_is_slower_than_the_library_is_named_first(self):
        for rate, said in ((8, "8.00 against 10.0"), (4, "4.00 against 10.0")):
            found = flat(" ".join(self.lines(cg(rate, "native"), cg(10, "library"), cg(17, "native", "symmetric"))[1:3]))
            self.assertEqual(found, f"SLOWER: cg shm laplace full classic 64: native is slower than OpenBLAS here ({said}).")
        more = self.lines(cg(8, "native"), cg(10, "library"), fake_results.case(fake_results.stream_name(ranks=3), 10000))
        self.assertIn("SLOWER: cg shm laplace full classic 64 on 2 ranks: native", flat(" ".join(more)))
        few = [cg(8, "native", repetitions=5), cg(10, "library", repetitions=5)]
        self.assertIn("  0.80x (fewer than 6 runs)", "".join(self.lines(*few)))
        for rows in (few, (cg(10, "native"), cg(10, "library")), (cg(9.7, "native"), cg(10, "library"))):
            self.assertNotIn("SLOWER", "".join(self.lines(*rows)))  # by chance, or by little
        apart = verdict.render(judged_rows([fake_results.document(cg(8, "native")), fake_results.document(cg(10, "library"))]))
        self.assertNotRegex(apart, r"SLOWER|\[", "memory of a virtual machine halves from one launch to the next")
        self.assertIn("0.80x", apart)

    def test_a_ratio_is_of_the_nearest_launches_whatever_their_order(self):
        made = []
        for day, native, library in (("01", 10000, 5000), ("02", 30000, 10000)):
            for rate, way in ((native, "native"), (library, "library")):
                made.append(fake_results.document(stream(rate, way)))
                made[-1]["context"]["date"] = f"2026-01-{day}T00:00:00+00:00"
        for documents in (made, made[::-1]):
            self.assertIn("2.0-3.0x", verdict.render(judged_rows(documents)))

    def test_a_disturbed_row_is_not_said_to_be_slower_than_the_library(self):
        rows = judged_rows([fake_results.document(stream(1000, flags=[{"kind": "disturbed", "text": "others ran"}]),
                                                  stream(5000, "library"))])
        self.assertEqual(list(rows[0].flags), ["disturbed"])

    def test_only_like_is_set_beside_like(self):
        found = self.lines(cg(17, "native", "symmetric"), cg(8, "native"), cg(8, "library"))
        self.assertTrue(found[2].endswith("full 1.00x [1.00, 1.00]"), found[2])
        found = self.lines(stream(10000), stream(30000, transport="shm"), stream(5000, "library"))
        self.assertTrue(found[2].endswith("mpi 2.0x [2.0, 2.0], shm 6.0x [6.0, 6.0]"), found[2])

    def test_rows_during_which_the_machine_was_slower_are_said_to_have_too_low_fractions(self):
        for own, is_said in ((0.9, True), (0.6, False)):  # of limits of 5000 and 7500
            text = render(stream(9000, fraction_of_limit=0.9), stream(4500, transport="shm", fraction_of_limit=own))
            self.assertEqual("differ (stream 2 MiB: 2.0x)" in text, is_said, text)

    def test_a_limit_beside_rows_in_doubt_alone_is_in_doubt(self):
        for sound, limit in ((), r"1250\?"), ((stream(900, transport="rma"),), "1125"):
            text = table.render(judged_rows([fake_results.document(stream(1000, distrusted=True), *sound)]))
            self.assertRegex(text, rf"1000\? .*{limit} ")

    def test_what_the_library_lacks_stands_behind_the_ratio(self):
        name = "fft/%s/host/mpi/transposed/n:16777216%s/ranks:2/threads:1"
        found = self.lines(fake_results.case(name % ("native", ""), 34, "GFLOP/s"),
                           fake_results.case(name % ("library", "/plan:estimate"), 6.5, "GFLOP/s",
                                             note="fftw-3.3 (FFTW of this package has no AVX2 code, this processor has AVX2)"))
        self.assertIn("5.2x [5.2, 5.2] (FFTW without AVX2, planned by estimate)", flat(" ".join(found)))

    def test_wrong_and_failed_rows_come_first(self):
        found = self.lines(stream(10000, verified=False), stream(9000, size="4MiB"),
                           fake_results.error(fake_results.stream_name(transport="rma"), "no window"),
                           fake_results.error(fake_results.stream_name(transport="grpc"), "no time was left for it"))
        self.assertEqual(found[0], "1 of 4 rows verified; 1 WRONG; 1 failed; 1 not run.")
        self.assertIn("WRONG", found[-1])

    def test_the_advice_fits_the_cause(self):
        def next_line(kind, **context):
            document = fake_results.document(stream(100, flags=[{"kind": kind, "text": ""}]), **context)
            return verdict.render(judged_rows([document])).splitlines()[-1]

        self.assertIn("check-machine", next_line("disturbed"))
        crowd = "rank 0 to 2 on host: 3 x 1 threads share 2 cores (more threads than cores wait for each other)"
        self.assertIn("Next: 3 x 1 threads share 2 cores: start fewer ranks", next_line("disturbed", warnings=[crowd]))
        self.assertIn("BLAS", next_line("slow_library"))
        self.assertIn("fastest network", next_line("slow_network_path"))
        self.assertIn("Marks and flags", next_line("below_library"))

    def test_of_pairs_the_slow_host_is_named(self):
        shares = (1.0, 0.31, 0.83, 0.12, 0.55)  # a load that comes and goes

        def last(rate_of, hosts=("n1", "n2", "n3", "n4"), **more):
            document = pairs(hosts, lambda *pair: [rate_of(*pair) * share for share in shares], **more)
            return flat(verdict.render(judged_rows([document])).partition("\nSlowest")[2])

        self.assertEqual(last(lambda *pair: 100.0 if 2 in pair else 1000.0 + pair[0], distrusted=True),
                         ": n3, in all its 6 pairs (0.10x the others); the rates (?) are in doubt, but not how the pairs of "
                         "one run compare.")
        self.assertEqual(last(lambda *pair: 300.0 if pair == (0, 1) else 1000.0), ": none of 4 in all its pairs.")
        self.assertEqual(last(lambda *pair: 100.0 if 3 in pair else 1000.0, ("n1",) * 4),
                         ": rank 3, in all its 6 pairs (0.10x the others).")
        self.assertEqual(last(lambda *_: 1.0, ("n1", "n2")), "")  # either may be the slow one

"""Tests of quartet.tables.verdict: what the last lines of a run say."""

import unittest

import fake_results
from quartet.results import OWN_FORMULATIONS, judged_cases
from quartet.tables import verdict


def stream(rate, formulation="native", transport="mpi", size="2MiB", **more):
    return fake_results.case(fake_results.stream_name(formulation, transport, size), rate, **more)


def cg(rate, formulation, storage, **more):
    return fake_results.case(
        f"cg/{formulation}/host/shm/laplace/{storage}/classic/n:64/ranks:2/threads:1", rate,
        "GFLOP/s", **more)


def lines(*rows):
    text = verdict.render(judged_cases([fake_results.document(*rows)]))
    return text.splitlines()


class Pairs(unittest.TestCase):
    """What the last line says of pairs of hosts."""

    HOSTS = ("n1", "n2", "n3", "n4")

    def last(self, rate_of, hosts=HOSTS, **more):
        """`rate_of` gives a pair's rate in a run that has so much of the machine to itself."""
        shares = (1.0, 0.31, 0.83, 0.12, 0.55)  # a load that comes and goes
        rows = [fake_results.case(fake_results.stream_name("native", "mpi", "16MiB", len(hosts))
                                  + f"/pair:{first}-{second}", [rate_of(first, second) * share for share in shares], **more)
                for first in range(len(hosts)) for second in range(len(hosts)) if first != second]
        document = fake_results.document(*rows, nodes=len(set(hosts)))
        document["context"]["quartet"]["placement"] = [{**fake_results.PLACE, "rank": rank, "host": host}
                                                       for rank, host in enumerate(hosts)]
        text = verdict.render(judged_cases([document]))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        return " ".join(text.partition("\nSlowest")[2].split())

    def test_a_slow_host_is_named_even_where_load_makes_rates_doubtful(self):
        said = self.last(lambda *pair: 100.0 if 2 in pair else 1000.0 + pair[0], distrusted=True)
        self.assertEqual(said, ": n3, in all its 6 pairs (0.10x the others); rates are in doubt, ratios within a run "
                         "are not.")

    def test_a_slow_pair_does_not_make_its_hosts_slow(self):
        said = self.last(lambda *pair: 300.0 if pair == (0, 1) else 1000.0)
        self.assertEqual(said, ": none of 4 in all its pairs; n1->n2 alone (0.30x the median pair).")

    def test_alike_hosts_are_not_named(self):
        self.assertEqual(self.last(lambda one, other: 1000.0 + 5 * one), ": none of 4 in all its pairs.")

    def test_ranks_of_one_host_are_named_by_number(self):
        said = self.last(lambda *pair: 100.0 if 3 in pair else 1000.0, ("n1",) * 4)
        self.assertEqual(said, ": rank 3, in all its 6 pairs (0.10x the others).")
        said = self.last(lambda *pair: 100.0 if set(pair) & {2, 3} else 1000.0, ("n1", "n2", "n3", "n3"))
        self.assertEqual(said, ": n3, in all its 4 pairs (0.10x the others).")
        self.assertEqual(self.last(lambda *_: 1.0, ("n1", "n2")), "")  # either may be the slow one


class Verdict(unittest.TestCase):
    def test_says_what_a_sound_run_reached(self):
        found = lines(stream(10000, fraction_of_limit=0.81), stream(9000, size="4MiB",
                                                                   fraction_of_limit=0.95),
                      stream(5000, "library", fraction_of_limit=0.5),
                      stream(3000, "library", size="4MiB", fraction_of_limit=0.5))
        self.assertEqual(found[0], "All 4 rows verified.")
        self.assertEqual(found[1].split("  ")[-1], "native over library")
        self.assertEqual(found[2].split(), ["stream", "81-95%", "-", "50%", "2.0-3.0x"])
        self.assertIn("quartet report", found[-1])
        self.assertEqual(len(found), 4)

    def test_distrusted_rows_are_named_and_in_no_range_and_no_ratio(self):
        found = lines(stream(10000, fraction_of_limit=0.81),
                      stream(1000, size="4MiB", fraction_of_limit=0.7,
                             flags=[{"kind": "disturbed", "text": "others ran"}]),
                      stream(20000, size="8MiB", fraction_of_limit=1.3),
                      stream(5000, "library", fraction_of_limit=0.5),
                      stream(5000, "library", size="4MiB", fraction_of_limit=0.5))
        self.assertEqual(found[0], "All 5 rows verified; 1 to distrust, left out below; 1 above a wrong limit.")
        self.assertEqual(found[2].split()[:4], ["stream", "81%", "-", "50%"])
        self.assertRegex(found[2], r"  2\.0x \[2\.0, 2\.0\]$")
        self.assertEqual(found[3], "Marked: stream native mpi 4 MiB?; native mpi 8 MiB!.")
        self.assertIn("quartet check-machine", found[-1])

    def test_of_a_row_above_its_limit_the_rate_counts_and_the_fraction_does_not(self):
        found = lines(stream(10000, fraction_of_limit=0.65), stream(20000, "library", fraction_of_limit=1.19))
        self.assertEqual(found[0], "All 2 rows verified; 1 above a wrong limit.")
        self.assertIn("SLOWER: stream mpi 2 MiB: native is slower than plain MPI here", found[1])
        self.assertEqual(found[5], "Marked: stream library mpi 2 MiB!.")

    def test_where_nothing_can_be_quoted_the_mark_stands(self):
        found = lines(stream(10000), stream(5000, "library", distrusted=True))
        self.assertEqual(found[2].split()[:4], ["stream", "80%", "-", "?"])
        self.assertTrue(found[2].endswith("? (library is in doubt)"), found[2])
        self.assertTrue(lines(stream(1000), stream(5000, "library"))[4].endswith("? (native is in doubt)"))
        self.assertTrue(lines(stream(9000, verified=False), stream(5000, "library"))[2].endswith("? (a row of native is WRONG)"))
        self.assertTrue(lines(stream(9000), stream(5000, "library", verified=False))[2].endswith("? (a row of library is WRONG)"))
        doubtful = lines(stream(9000, distrusted=True), stream(5000, "library", distrusted=True))
        self.assertTrue(doubtful[2].endswith("? (both are in doubt)"), doubtful[2])
        both = lines(stream(9000), stream(5000, "library", distrusted=True),
                     stream(9000, size="4MiB", distrusted=True), stream(5000, "library", size="4MiB"))
        self.assertTrue(both[2].endswith("? (a row of each pair is in doubt)"), both[2])

    def test_a_native_row_that_is_slower_than_the_library_is_named_first(self):
        found = lines(cg(8, "native", "full"), cg(10, "library", "full"), cg(17, "native", "symmetric"))
        self.assertEqual(" ".join(found[1:3]), "SLOWER: cg shm laplace full classic 64: native is slower than OpenBLAS "
                                               "here   (8.00 against 10.0).")
        far = lines(cg(4, "native", "full"), cg(10, "library", "full"))
        self.assertEqual(" ".join(far[1:3]), "SLOWER: cg shm laplace full classic 64: native is slower than OpenBLAS "
                                             "here   (4.00 against 10.0).")

    def test_a_row_may_be_slower_by_chance(self):
        few = lines(cg(8, "native", "full", repetitions=5), cg(10, "library", "full", repetitions=5))
        self.assertNotIn("SLOWER", "".join(few))
        self.assertNotIn("SLOWER", "".join(lines(cg(10, "native", "full"), cg(10, "library", "full"))))

    def test_only_like_is_set_beside_like(self):
        found = lines(cg(17, "native", "symmetric"), cg(8, "native", "full"), cg(8, "library", "full"))
        self.assertTrue(found[2].endswith("full 1.0x [1.0, 1.0]"), found[2])
        self.assertNotIn("2.1x", found[2])

    def test_native_stands_beside_the_librarys_own_transport(self):
        found = lines(stream(10000), stream(30000, transport="shm"), stream(5000, "library"))
        self.assertTrue(found[2].endswith("mpi 2.0x [2.0, 2.0], shm 6.0x [6.0, 6.0]"), found[2])

    def test_fewer_than_six_runs_have_no_interval(self):
        found = lines(stream(10000, repetitions=5), stream(5000, "library"))
        self.assertTrue(found[2].endswith(" 2.0x"), found[2])

    def test_wrong_and_failed_rows_come_first(self):
        found = lines(stream(10000, verified=False), stream(9000, size="4MiB"),
                      fake_results.error(fake_results.stream_name(transport="rma"), "no window"))
        self.assertEqual(found[0], "1 of 3 rows verified; 1 WRONG; 1 not run.")
        self.assertIn("WRONG", found[-1])

    def test_a_misfit_between_documents_is_named(self):
        documents = [fake_results.document(stream(600, fraction_of_limit=0.05)),
                     fake_results.document(stream(9000, "library", fraction_of_limit=0.8))]
        text = verdict.render(judged_cases(documents))
        self.assertIn("Marked: stream native mpi 2 MiB?.", text)

    def test_the_advice_fits_the_cause(self):
        def next_line(kind, text="", **context):
            document = fake_results.document(stream(100, flags=[{"kind": kind, "text": text}]), **context)
            return verdict.render(judged_cases([document])).splitlines()[-1]

        self.assertIn("check-machine", next_line("disturbed", "other processes ran"))
        crowd = "rank 0 to 2 on host: 3 x 1 threads share 2 cores (more threads than cores wait for each other)"
        self.assertIn("Next: 3 x 1 threads share 2 cores: start fewer ranks", next_line("drift", warnings=[crowd]))
        self.assertIn("BLAS", next_line("slow_library"))
        self.assertIn("slower way", next_line("slow_road"))
        self.assertIn("Marks and flags", lines(stream(100), stream(10000, "library"))[-1])
        for kind in ("disturbed", "slow_library", "slow_road", "below_library"):
            self.assertLessEqual(len(next_line(kind)), 80)
        self.assertLessEqual(len(next_line("drift", warnings=[crowd])), 80)

    def test_has_at_most_ten_lines_of_eighty_columns(self):
        rows = [stream(100, formulation, transport, f"{2**power}MiB", distrusted=True)
                for formulation in OWN_FORMULATIONS for transport in ("mpi", "shm", "rma")
                for power in range(1, 20)]
        rows += [stream(100 * power, formulation, transport, f"{2**power}GiB")
                 for formulation in OWN_FORMULATIONS for power in (1, 2)
                 for transport in ("mpi", "staged", "shm", "rma", "grpc")]
        others = [row for kernel in ("matmul", "cg", "fft") for row in (
            fake_results.case(f"{kernel}/{formulation}/host/shm/n:64/ranks:2/threads:1", 5, "GFLOP/s")
            for formulation in OWN_FORMULATIONS)]
        found = lines(*rows, *others)
        self.assertLessEqual(len(found), 10)
        self.assertLessEqual(max(map(len, found)), 80)
        self.assertIn("and more", found[-2])

    def test_nothing_measured(self):
        self.assertEqual(lines(), ["Nothing was measured."])

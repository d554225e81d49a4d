"""Tests of quartet compare: verdicts, exit codes, and what is said beside them."""

import json

import fake_results
from compare_case import NAME, CompareCase, around, documents, flat, row_of
from fake_paths import node

STEADY = (990, 1000, 1005, 1010)
DISTURBED = {"distrusted": True, "flags": [{"kind": "disturbed", "text": "another process took 40% of the cores"}]}


def scaled(factor, rates=STEADY):
    return [rate * factor for rate in rates]


class Verdicts(CompareCase):
    def test_row_has_medians_ratio_and_interval(self):
        done = self.compared(documents(*STEADY), documents(*scaled(1.2)))
        self.assertEqual(row_of(done), ["native", "shm", "2", "MiB", "2", "1002", "1203", "1.200",
                                        "1.176-1.224", "faster"])
        self.assertIn("interval: its 95% confidence interval", flat(done.stdout))

    def test_faster_slower_same_and_unclear(self):
        noisy = (600, 900, 1100, 1500)
        for second, code, verdict in ((scaled(1.2), 0, "faster"), (scaled(0.8), 1, "slower"),
                                      (scaled(1.01), 0, "same"), (noisy, 4, "unclear")):
            done = self.compared(documents(*STEADY), documents(*second))
            self.assertEqual((done.returncode, row_of(done)[-1]), (code, verdict), done.stdout)

    def test_threshold_decides_what_matters(self):
        pair = documents(*STEADY), documents(*scaled(0.93))
        self.assertEqual(self.compared(*pair).returncode, 1)
        self.assertEqual(self.compared(*pair, "--threshold", "10%").returncode, 0)
        for bad in ("-1", "100", "much"):
            self.assertEqual(self.compare("a", "b", f"--threshold={bad}").returncode, 2)

    def test_fewer_than_four_launches_give_a_ratio_and_no_verdict(self):
        for launches in (1, 2, 3):
            done = self.compared(documents(*STEADY[:launches]), documents(*scaled(0.5)[:launches]))
            self.assertEqual(done.returncode, 4)
            self.assertEqual(row_of(done)[-2:], ["0.500", "unclear"])
            self.assertIn(f"no verdict on 1 case, a side has only {launches} launch", flat(done.stdout))
            self.assertNotIn("may be slower", done.stdout)
        done = self.compared(documents(*STEADY), documents(600, 900, 1000, 1400))
        self.assertEqual(done.returncode, 4)
        self.assertIn("1 case may be slower, which is not decided: at worst 0.95 of A's", flat(done.stdout))

    def test_what_was_not_seen_and_what_would_decide_is_said(self):
        done = self.compared(documents(900, 1000, 1000, 1100), documents(900, 1000, 1010, 1100))
        self.assertIn("unclear: no difference found, +-22%; about 61 more launches of each side would decide 5%", flat(done.stdout))
        near = self.compared(documents(990, 1000, 1000, 1010), documents(950, 960, 960, 970))
        self.assertRegex(flat(near.stdout), r"about \d\d+ more launches of each side would decide 5%", "4% is near 5%")
        done = self.compared(documents(*STEADY), documents(*scaled(0.96)))
        self.assertIn("unclear: a difference in 1 of 1 case, perhaps below 5%", flat(done.stdout))

    def test_what_should_not_be_compared_is_not_and_why_is_said(self):
        good, cuda = documents(*STEADY), NAME.replace("host", "cuda")
        cases = {
            "not verified in A": (documents(*STEADY, verified=None), good),
            "failed in A: no window": ([fake_results.document(fake_results.error(NAME, "no window"))], good),
            "only in A": (good, documents(*STEADY, name=fake_results.stream_name(ranks=4))),
            "only in B": (good, documents(*STEADY, name=cuda)),
        }
        for why, sides in cases.items():
            with self.subTest(why):
                for old in self.folder.rglob("*.json"):
                    old.unlink()
                done = self.compared(*sides)
                self.assertIn(why, flat(done.stdout))
                self.assertEqual(done.returncode, 2)
                self.assertIn("nothing could be compared", done.stderr)

    def test_what_was_right_and_is_not_closes_the_gate(self):
        for broken, why in ((documents(*STEADY, verified=False), "wrong result in B"),
                            ([fake_results.document(fake_results.error(NAME, "no window"))] * 4,
                             "failed in B: no window")):
            done = self.compared(documents(*STEADY), broken)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stdout)

    def test_what_got_no_time_is_no_failure(self):
        other = fake_results.case(fake_results.stream_name(size="4MiB"), around(1000))
        second = [fake_results.document(other, fake_results.error(NAME, "stopped on request before its first run"))] * 4
        done = self.compared([fake_results.document(other, fake_results.case(NAME, around(1000)))] * 4, second)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("not run in B", done.stdout)


class Flags(CompareCase):
    def test_regression_from_above_the_limit_does_not_pass(self):
        done = self.compared(documents(*STEADY, fraction_of_limit=1.4), documents(*scaled(0.73), fraction_of_limit=1.02))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(row_of(done)[-3:], ["0.730!", "0.716-0.745", "slower"])
        alone = self.compare(self.folder / "a" / "0.json", self.folder / "b" / "0.json")
        self.assertEqual((alone.returncode, row_of(alone)[-2]), (4, "0.730!"))

    def test_disturbed_launch_does_not_count(self):
        done = self.compared(documents(*STEADY), documents(*STEADY) + documents(400, **DISTURBED))
        self.assertEqual((done.returncode, row_of(done)[7]), (0, "1.000"))
        self.assertIn("B: 1 of 5 launches in doubt (another process took 40% of the cores)", flat(done.stdout))

    def test_launches_that_would_decide_count_those_that_will_be_disturbed(self):
        rough = documents(900, 1000, 1000, 1100)
        alone, beside = (self.compared(rough, documents(900, 1000, 1010, 1100) + more) for more in (
            [], documents(400, 400, 400, 400, **DISTURBED)))
        self.assertIn("about 61 more launches of each side", flat(alone.stdout))
        self.assertIn("about 122 more launches of each side", flat(beside.stdout))  # of which 1 in 2 counts

    def test_of_a_single_undisturbed_launch_only_that_is_said(self):
        done = self.compared(documents(*STEADY), documents(*scaled(0.9)[:1]) + documents(400, 400, **DISTURBED))
        self.assertEqual((done.returncode, row_of(done)[-4:-1]), (4, ["1002", "891", "unclear"]))
        self.assertIn("a side has only 1 launch without doubt; it takes 4, since even the same program", flat(done.stdout))
        for word in ("more launch", "may be slower", "0.9"):
            self.assertNotIn(word, flat(done.stdout))

    def test_where_every_launch_was_disturbed_there_is_neither_number_nor_ratio(self):
        for factor in (0.001, 0.6, 1.4):
            done = self.compared(documents(*STEADY, **DISTURBED), documents(*scaled(factor), **DISTURBED))
            self.assertEqual(done.returncode, 4)
            self.assertEqual(row_of(done)[7], "unclear")
            self.assertIn("every launch is in doubt: quiet the machine (quartet check-machine), then repeat",
                          flat(done.stdout))
            for word in (" more launch", "more:", "at worst", "--run ", "a side has only"):
                self.assertNotIn(word, flat(done.stdout))

    def test_a_network_path_that_changed_is_named_before_any_rate(self):
        def over(name):
            return {"network_path": [node("n1", **{name: 100}), node("n2")]}

        done = self.compared(documents(*STEADY, **over("ib0")), documents(*scaled(0.1), **over("eth0")))
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs: network path: ib0 | eth0", flat(done.stdout.partition("verdict")[0]))


class Launches(CompareCase):
    def test_sides_measured_one_after_the_other_are_named(self):
        first, second = documents(*STEADY), documents(*STEADY)
        self.assertNotIn("one after the other", self.compared(first, second).stdout)
        for document in second:
            document["context"]["date"] = "2026-01-03T03:04:05+00:00"
        self.assertIn("A and B were measured one after the other", self.compared(first, second).stdout)


    def test_a_host_that_became_slow_is_named_though_the_launches_of_all_hosts_decide_nothing(self):
        def day(*rates):
            made = documents(*rates)
            for number, document in enumerate(made, 1):
                for place in document["context"]["quartet"]["placement"]:
                    place["host"] = f"n{number}.site"
            return made

        rates = (1000, 990, 1005, 1010, 995, 1002)
        done = self.compared(day(*rates), day(998, 991, 492, 1012, 994, 1003))
        self.assertEqual(done.returncode, 4)
        self.assertIn("B/A is 0.49 on n3, far below the median of 6 hosts", flat(done.stdout))
        self.assertIn("1 case may be slower, which is not decided: at worst 0.49 of A's rate", flat(done.stdout))
        self.assertNotIn("no difference found", flat(done.stdout))
        many = 1000, 1004, 1002, *range(1000, 1010), *range(995, 1005)
        done = self.compared(day(*many), day(*many[:2], 500, *many[3:]))  # the same, but for one of them
        self.assertEqual((done.returncode, row_of(done)[-2]), (4, "same"))
        self.assertEqual(self.compared(day(*many), day(*many)).returncode, 0)
        done = self.compared(4 * day(*rates), 4 * day(998, 991, 492, 1012, 994, 1003))  # four launches of each
        self.assertEqual((done.returncode, row_of(done)[-2:]), (1, ["slower", "1"]))

    def test_launches_in_doubt_without_a_flag_are_not_called_disturbed(self):
        done = self.compared(documents(*STEADY), documents(*STEADY) + documents(400, distrusted=True))
        self.assertIn("B: 1 of 5 launches in doubt (no reason is recorded)", flat(done.stdout))


class Input(CompareCase):
    def test_what_cannot_be_read_is_named_and_the_rest_is_used(self):
        good, *others = documents(*STEADY)
        newer = fake_results.document()
        newer["context"]["quartet"]["schema_version"] = 3
        side = self.side("a", good, json.dumps(good)[:-9], {"foreign": 1}, newer, *others)
        done = self.compare(side, side)
        self.assertEqual(done.returncode, 0)
        for number, reason in ((1, "not a whole JSON"), (2, "not a results"), (3, "newer quartet")):
            self.assertRegex(done.stderr, f"skipped {side}/{number}.json: .*{reason}")

    def test_empty_sets_are_refused(self):
        good = self.side("a", *documents(1000))
        empty = self.side("b")
        for pair in ((good, empty), (empty, good), (good, self.folder / "none.json")):
            done = self.compare(*pair)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("no results in", done.stderr)

    def test_what_differs_between_the_sides_is_said(self):
        first, second = documents(1000), documents(1000)
        first[0]["context"]["quartet"]["isa"] = "avx2"
        second[0]["context"]["quartet"].update(commit="9f8e7d6", isa="avx512")
        done = self.compared(first, second)
        self.assertIn("differs: commit: 1a2b3c4 | 9f8e7d6", done.stdout)
        self.assertIn("differs: instruction set: avx2 | avx512", done.stdout)
        self.assertNotIn("differs: MPI", done.stdout)
        for document, kernel in ((first[0], "6.1"), (second[0], "6.6")):
            document["context"]["quartet"]["system"] = {
                "kernel": kernel, "microcode": "0x1", **{f"setting {number}": kernel for number in range(30)}}
        output = self.compared(first, second).stdout
        for fact in ("kernel", *(f"setting {number}" for number in range(30))):
            self.assertIn(f"differs: {fact}: 6.1 | 6.6", output)
        self.assertNotIn("microcode", output)


class TwoMachines(CompareCase):
    """Rows of different machines are matched by their work."""

    @staticmethod
    def there(name=NAME, **quartet):
        sides = documents(*STEADY, name=name)
        for document in sides:
            document["context"]["quartet"].update({"device_description": "AMD EPYC; OpenBLAS", **quartet})
        return sides

    def test_rows_of_one_transport_are_compared_and_what_differs_is_said(self):
        other = self.there(NAME.replace("pushes:100", "pushes:50"))
        done = self.compared(other, self.there(device_description="Intel Xeon"))
        self.assertRegex(done.stdout, r"native +shm .* same")
        for part in ("A and B are different machines", "pushes: 50 in A, 100 in B"):
            self.assertIn(part, flat(done.stdout))
        done = self.compared(self.there(NAME.replace("/shm/", "/mpi/")), self.there(device_description="Intel Xeon"))
        self.assertIn("2 not comparable", flat(done.stdout))

    def test_a_side_of_several_machines_is_refused(self):
        done = self.compared([*self.there(), *self.there(device_description="Intel Xeon")], self.there())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("A has documents of several machines (AMD EPYC", done.stderr)

    def test_other_arithmetic_is_no_like_work(self):
        name = "matmul/native/host/shm/n:2048/tile:512/ranks:2/threads:1"
        done = self.compared(self.there(name), self.there(name.replace("/tile", "/math:tf32/tile"),
                                                          device_description="Intel Xeon"))
        self.assertEqual(done.returncode, 2, done.stdout)

"""Tests of quartet nodes and its package without a Slurm; tests/lab/ has one."""

import json
import os
import random
import unittest
from unittest import mock

import fake_results
from fake_build import Scratch
from quartet.launch import LaunchError, Outcome
from quartet.nodes import check_result
from quartet.nodes import plan as nodes_plan
from quartet.results import rows_of, reference
from quartet.slurm import launcher, site
from quartet.slurm.machine import MachineError
from quartet.sweep.folder import SweepFolder, launches

HOSTS = tuple(f"n{number}" for number in range(1, 9))
NODE = nodes_plan.Node(28, 0)


class Outliers(unittest.TestCase):
    def test_alike_nodes_are_named_about_as_rarely_as_is_said(self):
        source = random.Random(7)
        for count in (4, 6, 20, 100):
            alarms = sum(bool(reference.slow({str(place): 100 * 1.1 ** source.gauss(0, 1) for place in range(count)},
                                            0.05, 1e-9)) for _ in range(600))
            self.assertTrue(10 <= alarms <= 55, (count, alarms))  # 30 are expected

    def test_slow_ones_are_found_and_do_not_hide_each_other(self):
        source = random.Random(3)
        rates = {str(place): 100 * 1.01 ** source.gauss(0, 1) for place in range(100)}
        self.assertEqual(reference.slow(rates, 0.05, 0.05), {})
        rates.update({"3": 80.0, "40": 50.0, "41": 90.0, "50": 130.0})
        found = reference.slow(rates, 0.05, 0.05)
        self.assertEqual(sorted(found), ["3", "40", "41"])  # who is faster is not named
        self.assertAlmostEqual(found["40"], 0.5, delta=0.01)
        self.assertEqual(sorted(reference.slow(rates, 0.05, 0.15)), ["3", "40"])


class Planning(unittest.TestCase):
    def test_pairs(self):
        def pairs(count, partners):
            return nodes_plan.pairs_of(HOSTS[:count], partners)
        self.assertEqual(pairs(3, "ring"), [("n1", "n2"), ("n2", "n3"), ("n3", "n1")])
        self.assertEqual(len(pairs(2, "ring")), 1)
        self.assertEqual(pairs(1, "ring") + pairs(8, "none"), [])
        self.assertEqual(len(pairs(8, "all")), 28)

    def test_every_launch_names_its_nodes_and_the_plan_survives_its_file(self):
        plan = nodes_plan.plan(HOSTS[:2], [HOSTS[:2]], NODE, ("cg", "fft"), 2,
                               {"cg": "1", "fft": "1", "stream": "1"}, is_small=True)
        self.assertEqual([(one.kernel, one.hosts, one.nodes, one.ranks, one.threads) for one in plan.configurations],
                         [("cg", ("n1",), 1, 28, 1), ("cg", ("n2",), 1, 28, 1), ("fft", ("n1",), 1, 16, 1),
                          ("fft", ("n2",), 1, 16, 1), ("stream", ("n1", "n2"), 2, 2, 1)])
        self.assertEqual(len({launch.name for launch in launches(plan)}), 10)
        data = json.loads(json.dumps(plan.as_json()))
        self.assertEqual(plan.problem(data), "")
        self.assertEqual(plan.from_json(data), plan)
        data["configurations"][0]["hosts"] = ["--all"]
        self.assertIn("hosts", plan.problem(data))


class Checks(Scratch):
    """Folders of checks as launches leave them."""

    def check(self, name, rates, pairs=None, failed=(), missing=(), wrong_host=None, marked=(), known=None, flag="unsteady", older=()):
        """A check's folder and findings: GFLOP/s by node, MiB/s by pair."""
        pairs = pairs or {}
        plan = nodes_plan.plan(tuple(rates), pairs, NODE, ("cg",), 1, {"cg": "1", "stream": "1"}, is_small=True)
        folder = SweepFolder(self.folder / name, plan)
        folder.path.mkdir()
        for launch in launches(plan):
            one = launch.configuration
            if one.hosts[0] in missing:
                continue
            code = 3 if one.hosts[0] in failed else 0
            folder.record(launch, Outcome(code, 1.0, "memory is broken" if code else ""))
            rate, unit = (pairs[one.hosts], "MiB/s") if one.nodes == 2 else (rates[one.hosts[0]], "GFLOP/s")
            more = {"distrusted": True, "flags": [{"kind": flag, "text": "the runs differ by 20%"}]} if {*one.hosts, one.hosts} & {*marked} else {}
            document = fake_results.document(fake_results.case(
                "cg/native/host/shm/n:512/ranks:28/threads:1", rate, unit, **more))
            document["context"]["quartet"].update(
                nodes=one.nodes, device_description=f"{'Older' if one.hosts[0] in older else 'Newer'}; BLAS")
            host = [wrong_host or name for name in one.hosts]
            document["context"]["quartet"]["placement"] = [
                {**fake_results.PLACE, "rank": rank, "host": host[rank * one.nodes // one.ranks],
                 "node": rank * one.nodes // one.ranks} for rank in range(one.ranks)]
            folder.document(launch).write_text(json.dumps(document))
        found = check_result.evaluate(folder, 0.05, known)
        return folder, found, check_result.render(found)

    def rates(self, **changes):
        return {**{host: 100 + place / 10 for place, host in enumerate(HOSTS)}, **changes}

    def test_a_slow_node_is_named(self):
        text = " ".join(self.check("1", self.rates())[2].split())
        self.assertIn("here a loss of 6% or more would have been noticed None is slow, as far as this check can tell.", text)
        _, found, text = self.check("2", self.rates(n3=60.0), marked=("n3", "n4"))
        self.assertEqual([(one.who, one.what) for one in found.slow], [("n3", "cg")])
        self.assertRegex(text, r"n3 +cg GFLOP/s +60.0\? +100 +40% +[\d.]+\n")
        self.assertIn("cg: 8 nodes, 2 of them marked ?, median", text)
        self.assertIn("Slow: n3. Among equally fast, undisturbed nodes 5% of such checks name one by chance.",
                      " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_nodes_of_another_kind_are_not_compared_with_the_others(self):
        _, found, text = self.check("1", self.rates(n7=60.0, n8=60.5), older=("n7", "n8"))
        self.assertEqual((found.named, found.is_decided), ([], False))
        self.assertIn("Undecided: n7, n8: fewer than 4 are of a kind (--hosts checks one kind).", " ".join(text.split()))
        self.assertIn("cg: 6 nodes, median", text)
        self.assertEqual(self.check("2", self.rates(n3=60.0, n7=60.0), older=("n7",))[1].named, ["n3"])
        half = dict(zip(HOSTS, (100.0, 50.0, 100.5, 99.5, 60.0, 60.5, 59.5, 60.2)))
        found, text = self.check("4", half, older=HOSTS[4:])[1:]
        self.assertEqual((found.named, [len(one.rates) for one in found.measures], "Undecided" in text), (["n2"], [4, 4], False))
        self.assertIn("cg: 4 nodes of another kind (n5 and 3 more), median", " ".join(text.split()))
        links = {pair: 600.0 if {"n7", "n8"} & {*pair} else 1000.0 + place for place, pair in enumerate(nodes_plan.pairs_of(HOSTS, "ring"))}
        found, text = self.check("3", self.rates(n7=60.0, n8=60.5), links, older=("n7", "n8"))[1:]
        self.assertEqual(found.named, [])
        self.assertIn("network: 6 nodes, median", text)
        self.assertIn("Undecided: n7, n8: fewer than 4 are of a kind", " ".join(text.split()))
        wide = [f"n{number}" for number in range(1, 13)]
        links = {pair: 1000.0 + place for place, pair in enumerate(nodes_plan.pairs_of(wide, "ring"))}
        _, found, text = self.check("6", {host: 100 + place / 10 for place, host in enumerate(wide)}, links, older=wide[8:])
        self.assertEqual((found.is_decided, len(found.odd)), (False, 5), text)  # 3 of the four, and 2 between the kinds
        links = {pair: 500.0 if pair == ("n5", "n6") else 1000.0 + place for place, pair in enumerate(nodes_plan.pairs_of(HOSTS, "ring"))}
        self.assertEqual(self.check("5", self.rates(n7=60.0, n8=60.5), links, older=("n7", "n8"))[1].named, ["n5 - n6"])

    def test_links_that_are_all_slow_beside_a_reference_are_named_as_pairs(self):
        hosts = HOSTS[:4]
        rates = {pair: 100.0 if {"n2", "n4"} & {*pair} else 1000.0 for pair in nodes_plan.pairs_of(hosts, "ring")}
        folder = self.check("1", dict.fromkeys(hosts, 100.0), rates)[0]
        documents = [json.loads(file.read_text()) for file in folder.path.glob("*.json")]
        known = {(row.text, row.place): reference.ReferenceRate(1000.0 if row.nodes == 2 else 100.0, 900.0 if row.nodes == 2
                                                                else 90.0, 40)
                 for document in documents for row in rows_of(document)}
        _, found, text = self.check("2", dict.fromkeys(hosts, 100.0), rates, known=reference.Reference(known))
        self.assertEqual(len(found.named), 4, found.named)
        self.assertTrue(all(" - " in name for name in found.named), found.named)
        self.assertIn("Undecided: n1, n2, n3, n4: their links are slow, but so are all links of their partners", " ".join(text.split()))

    def test_a_node_that_others_disturbed_is_not_named(self):
        for number, marked in enumerate((("n3",), ("n3", "n5"))):
            _, found, text = self.check(f"{number}", self.rates(n3=60.0), marked=marked, flag="disturbed")
            self.assertEqual((found.named, found.is_decided), ([], False))
            self.assertRegex(text, r"n3 +cg GFLOP/s +60.0\? +100 +40%")
            self.assertIn("Undecided: n3: slow, but disturbed in every launch.", " ".join(text.split()))
        _, found, text = self.check("2", self.rates(n3=60.0, n5=70.0), marked=("n3",), flag="disturbed")
        self.assertEqual(found.named, ["n5"])
        self.assertIn("Slow: n5. Undecided: n3: slow, but", " ".join(text.split()))
        found.slow.append(check_result.Outlier("n3", "fft", check_result.Rated(1.0, ""), 2.0, 0.5))
        self.assertEqual((found.named, found.disturbed), (["n5", "n3"], []))

    def test_a_slow_link_does_not_make_its_partners_slow(self):
        ring = nodes_plan.pairs_of(HOSTS, "ring")
        rates = {pair: (100.0 if "n3" in pair else 1000.0) + 1 / (1 + place) for place, pair in enumerate(ring)}
        found = self.check("1", self.rates(), rates)[1]
        self.assertEqual([(one.who, one.what) for one in found.slow], [("n3", "network")])
        self.assertEqual(self.check("4", self.rates(), rates, marked=HOSTS, flag="disturbed")[1].named, ["n3"])
        rates = {pair: (100.0 if {"n2", "n4"} & {*pair} else 1000.0) + place for place, pair in enumerate(ring)}
        text = " ".join(self.check("3", self.rates(), rates)[2].split())
        self.assertRegex(text, r"Slow: n[24], n[24]\. Undecided: n3: their links are slow, but so are all")
        rates = {pair: 300.0 if "n3" in pair else 850.0 if pair == ("n4", "n5") else 1000.0 + place for place, pair in enumerate(ring)}
        self.assertEqual(self.check("5", self.rates(), rates)[1].named, ["n3", "n4 - n5"], "another switch may be between these")
        everyone = {pair: 1000.0 + place for place, pair in enumerate(nodes_plan.pairs_of(HOSTS, "all"))}
        found = self.check("2", self.rates(), {**everyone, ("n1", "n2"): 200.0})[1]
        self.assertEqual([(one.who, one.what) for one in found.slow], [("n1 - n2", "pair")])

    def test_links_between_kinds_of_nodes_are_compared_with_each_other(self):
        def named(name, older, faults, wide=HOSTS):
            rates = {pair: (600.0 if {*pair} & {*older} else 1000.0) * faults.get(pair, 1.0) + place / 10
                     for place, pair in enumerate(nodes_plan.pairs_of(wide, "ring"))}
            found = self.check(name, {host: 60.0 if host in older else 100.0 for host in wide}, rates, older=older)[1]
            return found.named, found.odd

        self.assertEqual(named("1", HOSTS[::2], {("n5", "n6"): 0.3}), (["n5 - n6"], []))
        wide = tuple(f"n{number}" for number in range(1, 13))
        self.assertEqual(named("2", wide[6:], {("n5", "n6"): 0.3}, wide)[0], ["n5 - n6"])
        # The other link of n6 is to an older node.
        self.assertEqual(named("3", wide[6:], {}, wide), ([], ["n6 - n7", "n12 - n1"]))
        self.assertEqual(named("4", wide[6:], {("n5", "n6"): 0.3, ("n4", "n5"): 0.3}, wide)[0], ["n5"])

    def test_others_load_explains_the_links_of_the_node_that_it_slows(self):
        rates = {pair: (600.0 if "n5" in pair else 1000.0) + place for place, pair in enumerate(nodes_plan.pairs_of(HOSTS, "ring"))}
        _, found, text = self.check("1", self.rates(n5=60.0), rates, marked=("n5",), flag="disturbed")
        self.assertEqual((found.named, found.disturbed, found.is_decided), ([], ["n5"], False), text)
        self.assertEqual(self.check("2", self.rates(), rates, marked=("n5",), flag="disturbed")[1].named, ["n5"])
        found = self.check("3", self.rates(), rates, marked=[pair for pair in rates if "n5" in pair], flag="disturbed")[1]
        self.assertEqual((found.named, found.disturbed), ([], ["n5"]))

    def test_neighbours_with_slow_links_are_named_only_where_their_own_rates_decide(self):
        rates = {pair: (500.0 if {"n5", "n6"} & {*pair} else 1000.0) + place for place, pair in enumerate(nodes_plan.pairs_of(HOSTS, "ring"))}
        self.assertEqual({*self.check("1", self.rates(), rates)[1].named}, {"n4 - n5", "n5 - n6", "n6 - n7"})
        self.assertEqual({*self.check("2", self.rates(n5=50.0, n6=50.0), rates)[1].named}, {"n5", "n6"})

    def test_what_failed_was_not_run_or_ran_elsewhere_is_said(self):
        _, found, text = self.check("1", self.rates(), failed=("n2",), missing=("n5",))
        self.assertEqual((list(found.failures), found.left), ([("n2", "cg")], ["n5"]))
        self.assertIn("n2, cg: failed: memory is broken", text)
        self.assertRegex(" ".join(text.split()), r"1 launch not run yet: n5. Until 20\S+ \S+ UTC the same command runs them; after")
        _, found, text = self.check("3", self.rates(), wrong_host="n1")
        self.assertEqual(len(found.failures), 7)
        self.assertIn("n2, cg: failed: it ran on n1 (not on n2)", " ".join(text.split()))

    def test_the_table_says_from_when_its_rates_are(self):
        folder, _, _ = self.check("1", self.rates(), missing=("n5",))
        for file, time in zip(sorted(folder.path.glob("*.json")), range(1_700_000_000, 1_700_100_000, 600)):
            os.utime(file, (time, time))
        text = " ".join(check_result.render(check_result.evaluate(folder, 0.05)).split())
        self.assertIn("Measured from 2023-11-14 22:13 UTC to 2023-11-14 23:13 UTC.", text)
        self.assertIn("1 launch not run yet: n5. A new check runs them.", text)

    def test_the_loss_that_would_have_been_noticed_is_true_of_each_node(self):
        even = {"n1": 100.0, "n2": 98.5, "n3": 101.5, "n4": 100.5}
        [measure] = self.check("1", even)[1].measures
        for number, (who, rate) in enumerate(even.items()):
            found = self.check(f"at-{number}", {**even, who: (1 - measure.detectable_loss) * rate})[1]
            self.assertEqual([one.who for one in found.slow], [who])

    def test_a_fast_node_and_a_large_least_do_not_hide_what_the_others_show(self):
        _, found, text = self.check("1", self.rates(n2=130.0))
        self.assertFalse(found.is_decided)
        self.assertRegex(" ".join(text.split()), r"here a loss of \d% or more would have been noticed Undecided: n2, cg: so "
                                                 r"fast that only a loss of 2\d% or more would be noticed\.")
        self.assertTrue(check_result.evaluate(self.check("3", self.rates())[0], 0.2).is_decided)
        self.assertEqual(self.check("2", self.rates(n2=130.0, n5=60.0))[1].named, ["n5"])

    def test_below_a_slow_node_no_other_loss_is_promised(self):
        text = self.check("1", self.rates(n2=30.0))[2]
        self.assertIn("Slow: n2.", text)
        self.assertNotIn("would have been noticed", text)

    def test_too_few_nodes_and_rates_that_differ_too_much_are_undecided(self):
        _, found, text = self.check("1", {"n1": 100.0, "n2": 10.0, "n3": 99.0})
        self.assertFalse(found.is_decided)
        self.assertIn("at least 4 nodes are needed", " ".join(text.split()))
        self.assertIn("Undecided: fewer than 4 nodes or pairs have a rate of cg.", text)
        _, found, text = self.check("2", self.rates(n1=40.0, n3=170.0, n4=55.0, n5=220.0, n6=60.0))
        self.assertFalse(found.is_decided)
        self.assertRegex(" ".join(text.split()), r"here only a loss of 9\d% or more would have been noticed Undecided: rates of cg "
                         r"are too few, or differ too much, to tell whether a node is slow\.")
        text = self.check("5", self.rates(n1=1e-9, n3=1e9, n4=1e-6, n5=1e6, n6=1e-3))[2]
        self.assertIn("here no loss would have been noticed Undecided", " ".join(text.split()))
        self.assertIn("Undecided: no launch gave a rate.", self.check("4", self.rates(), failed=HOSTS)[2])
        _, found, text = self.check("3", self.rates(n1=92.0, n3=107.0, n4=94.0, n5=109.0, n6=96.0))  # by a third at most
        self.assertFalse(found.is_decided, text)

    def test_all_of_a_few_may_be_slow_beside_a_reference(self):
        self.check("1", {"n1": 100.0})
        made, = (self.folder / "1").glob("*.json")
        case, = rows_of(json.loads(made.read_text()))
        known = {(case.text, case.place): reference.ReferenceRate(200.0, 180.0, 40)}
        _, found, text = self.check("2", {"n1": 100.0, "n2": 199.0}, known=reference.Reference(known))
        self.assertEqual([(one.who, one.what) for one in found.slow], [("n1", "cg")])
        self.assertRegex(text, r"\nn1 +cg GFLOP/s +100 +200 +50% reference\n")
        self.assertIn("reference 200 GFLOP/s (below 180 is slow)", " ".join(text.split()))
        self.assertTrue(found.is_decided)
        loose = {key: reference.ReferenceRate(200.0, 2.0, 2, is_loose=True) for key in known}
        self.assertFalse(self.check("5", {"n1": 100.0, "n2": 199.0}, known=reference.Reference(loose))[1].is_decided)
        self.assertIn("at least 4 nodes are needed to compare them with each other", " ".join(text.split()))
        some = {"n1": reference.ReferenceRate(100.0, 90.0, 40)}
        self.assertNotIn("by chance", text)
        low = reference.Reference(dict.fromkeys(known, reference.ReferenceRate(30.0, 27.0, 40)))
        for number, rates in enumerate(({"n1": 60.0, "n2": 100.0}, self.rates())):
            found, text = self.check(f"6{number}", rates, known=low)[1:]
            self.assertFalse(found.is_decided)
            self.assertIn("the reference of cg is far too low: of other nodes, or of busy ones", " ".join(text.split()))
        other = reference.Reference({(case.text.replace("512", "64"), case.place): reference.ReferenceRate(200.0, 180.0, 40)})
        self.assertIn("Undecided: the reference has cg of other sizes or ranks only.",
                      " ".join(self.check("7", self.rates(), known=other)[2].split()))
        rates = {"n1": check_result.Rated(100.0, ""), "n2": check_result.Rated(50.0, "")}
        self.assertFalse(check_result.Measurement("cg", "", rates, some).tells, "nothing is known of n2's kind")
        every = {f"n{number}": 100.0 + number / 10 for number in range(1, 9)}
        self.assertEqual(len(self.check("3", every, known=reference.Reference(known))[1].slow), 8)
        self.assertEqual(self.check("4", every)[1].slow, [])


class Allocations(unittest.TestCase):
    def test_what_the_jobs_variables_tell(self):
        machine = launcher.machine_here({"SLURM_JOB_CPUS_PER_NODE": "64(x3),32", "SLURM_GPUS_ON_NODE": "4"})
        self.assertEqual((machine.cores_per_node, machine.gpus_per_node, machine.launcher), (64, 4, "srun"))
        with self.assertRaises(MachineError):
            launcher.machine_here({})
        with self.assertRaises(MachineError):
            launcher.machine_here({"SLURM_JOB_CPUS_PER_NODE": "4", "QUARTET_LAUNCHER": "aprun"})
        self.assertIsNone(launcher.Allocation.here({"SLURM_JOB_ID": "1"}))

    def test_no_slurm_is_a_line(self):
        with mock.patch.object(site.subprocess, "run", side_effect=OSError(2, "none")):
            with self.assertRaisesRegex(LaunchError, "go to a machine with Slurm"):
                launcher.hosts_of("n[1-3]")

"""Tests of quartet simulate without a simulator: the platforms that it makes, its command, its table,
and what it refuses."""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

from in_process import run
from predicted_machine import file, machine, work
from quartet.exit_codes import ScriptError
from quartet.launch import Job
from quartet.predict.open_mpi import AllToAll
from quartet_dev.commands import simulate
from quartet_dev.simulate import table
from quartet_dev.simulate.platform import platform_of
from quartet_dev.simulate.simulator import Simulator


def found(platform, kind):
    return [element.attrib for element in ElementTree.fromstring(platform.description).iter(kind)]


def links_between(platform, source, target):
    """The attributes of the links of a route."""
    tree = ElementTree.fromstring(platform.description)
    links = {link.get("id"): link.attrib for link in tree.iter("link")}
    [route] = [route for route in tree.iter("route") if (route.get("src"), route.get("dst")) == (source, target)]
    return [links[crossed.get("id")] for crossed in route]


def rated(value):
    return float(value.removesuffix("Bps").removesuffix("s"))


class Platforms(unittest.TestCase):
    def test_ranks_fill_nodes_one_after_the_other(self):
        platform = platform_of(machine(per_node=4), 10)
        self.assertEqual(platform.nodes, 3)
        self.assertEqual(platform.hosts, 4 * "n0\n" + 4 * "n1\n" + 2 * "n2\n")
        self.assertEqual(platform_of(machine(per_node=4), 3).hosts, 3 * "n0\n")

    def test_rates_and_latencies_are_the_machines_less_the_overheads_of_both_ends(self):
        for ranks in (8, 256):  # below one switch; across three
            platform = platform_of(machine(per_node=4), ranks)
            self.assertEqual({host["core"] for host in found(platform, "host")}, {"4"})
            for source, target, expected, rate in (("n0", "n1", 1e-6, 1e9), ("n1", "switch0", 0.5e-6 + 1e-7, 1e9),
                                                   ("n1", "n1", 5e-7, 5e9)):
                crossed = links_between(platform, source, target)
                self.assertAlmostEqual(sum(rated(link["latency"]) for link in crossed) + 2 * 1e-7, expected, places=12)
                self.assertAlmostEqual(min(rated(link["bandwidth"]) for link in crossed), rate)
            self.assertEqual({rated(link["latency"]) for link in found(platform, "link") if link["id"].startswith("up")},
                             {0.0} if ranks > 8 else set())

    def test_copies_within_a_node_have_a_ranks_rate_each_and_all_ranks_together(self):
        message, memory = links_between(platform_of(machine(per_node=4), 8), "n1", "n1")
        self.assertEqual((message["sharing_policy"], rated(message["bandwidth"])), ("FATPIPE", 5e9))
        self.assertEqual((memory["sharing_policy"], rated(memory["bandwidth"])), ("SHARED", 4 * 5e9))

    def test_each_pair_of_a_leaf_has_one_route_that_leaves_the_one_and_enters_the_other(self):
        platform = platform_of(machine(per_node=1), 19)
        routes = [(route.get("src"), route.get("dst"), [(link.get("id"), link.get("direction")) for link in route])
                  for route in ElementTree.fromstring(platform.description).iter("route")]
        pairs = [(source, target) for source, target, _ in routes if "switch" not in target and source != target]
        self.assertEqual(len(pairs), 16 * 15 // 2 + 3 * 2 // 2)
        self.assertEqual(len(set(map(frozenset, pairs))), len(pairs))
        for source, target, crossed in routes:
            if source != target:
                self.assertEqual(crossed, [(source, "UP")] + [(target, "DOWN")] * ("switch" not in target))

    def test_leaves_have_room_for_all_nodes_and_a_link_up_of_what_the_bisection_leaves(self):
        entries = [{"nodes": nodes, "value": share, "uncertainty": 0, "source": "invented"}
                   for nodes, share in ((8, 1.0), (16, 0.75), (100, 0.5))]
        narrow = machine(per_node=4, bisection=entries)
        for ranks, leaves, rate in ((32, 1, 1e9), (64, 1, 0.75e9), (68, 2, 1e9), (4000, 63, 1e9)):
            platform = platform_of(narrow, ranks)
            ups = [link for link in found(platform, "link") if link["id"].startswith("up")]
            switches = [router for router in found(platform, "router") if router["id"] != "switch"]
            nodes = [link for link in found(platform, "link") if link["id"][1:].isdigit()]
            self.assertEqual((len(switches), len(found(platform, "host")), len(nodes)), (leaves, ranks // 4, ranks // 4))
            self.assertEqual({rated(link["bandwidth"]) for link in nodes}, {rate})
            self.assertEqual([rated(up["bandwidth"]) for up in ups], leaves * [8e9] if leaves > 1 else [])
            self.assertEqual(len(found(platform, "zoneRoute")), len(ups))

    def test_what_the_model_device_lacks_is_refused(self):
        with self.assertRaisesRegex(ScriptError, "stages through the host"):
            platform_of(machine(staged_through_host=True), 4)
        with self.assertRaisesRegex(ScriptError, "latency_seconds"):
            platform_of(machine(latency_seconds=None), 8)


class Commands(unittest.TestCase):
    def test_the_simulator_is_told_of_the_platform_and_of_overheads(self):
        simulator = Simulator(machine(), (Path("p.xml"), Path("hosts")), "mpich")
        command = simulator.command(Job(Path("/bin/cg"), 8, 1, ("--size", "64")))
        self.assertEqual(command[:3], ["smpirun", "-np", "8"])
        self.assertEqual(command[-3:], ["/bin/cg", "--size", "64"])
        for option in ("--cfg=smpi/coll-selector:mpich", "--cfg=smpi/os:0:1e-07:0",
                       "--cfg=smpi/grow-injected-times:no", "--cfg=smpi/async-small-thresh:12288", "p.xml", "hosts"):
            self.assertIn(option, command)

    def test_an_all_to_all_is_the_one_that_jobs_tell_open_mpi_to_take(self):
        for told, algorithms, ranks, expected in ((AllToAll.IN_PAIRS, "ompi", 1024, "ring_one_barrier"),
                                                  (AllToAll.AT_ONCE, "ompi", 64, "ompi_basic_linear"),
                                                  (None, "ompi", 1024, None), (AllToAll.IN_PAIRS, "mpich", 1024, None)):
            simulator = Simulator(replace(machine(), all_to_all=told), (Path("p.xml"), Path("hosts")), algorithms, True)
            flags = [flag for flag in simulator.command(Job(Path("/bin/fft"), ranks, 1, ())) if "smpi/alltoallv" in flag]
            self.assertEqual(flags, [f"--cfg=smpi/alltoallv:{expected}"] if expected else [])

    def test_open_mpis_exchange_in_pairs_has_its_order_and_waits_for_receivers(self):
        for algorithms, ranks, expected in (("ompi", 3, True), ("ompi", 65, True), ("ompi", 64, True), ("ompi", 5, False),
                                            ("mpich", 3, False)):
            for exchanges in (True, False):
                simulator = Simulator(machine(), (Path("p.xml"), Path("hosts")), algorithms, exchanges)
                command = simulator.command(Job(Path("/bin/fft"), ranks, 1, ()))
                self.assertEqual("--cfg=smpi/alltoallv:ring_one_barrier" in command, expected, (algorithms, ranks))
                for name in ("async-small-thresh", "send-is-detached-thresh"):
                    self.assertEqual(f"--cfg=smpi/{name}:0" in command, expected and exchanges, (algorithms, ranks))
                self.assertEqual("--cfg=smpi/ois:0:2e-07:0" in command, expected and exchanges, (algorithms, ranks))


class Table(unittest.TestCase):
    def test_it_has_80_columns_and_says_how_far_off_the_prediction_is(self):
        described = machine()
        point = table.Point(described.predict(work("cg", 8, 65536, transport="mpi")), 1.5, 100.0, 3.0)
        off = point.prediction.rate / 100.0 - 1
        text = table.render(table.title_of(described, point, "65536", "ompi"), [point]) + table.closing()
        self.assertIn(f"{off:+.1%}", text)
        self.assertIn("simulated", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)


class Script(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "machine.json"
        self.file.write_text(json.dumps(file()), encoding="utf-8")
        (self.folder / "bin").mkdir()
        for name in ("cg", "stream"):
            (self.folder / "bin" / name).write_text("")

    def refusal(self, *arguments, kernel="cg", ranks="8"):
        code, _, errors = run(simulate, self.file, kernel, "--sizes", "4096", "--ranks", ranks,
                              "--build", self.folder, "--results", self.folder / "out", *arguments)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        return code, errors

    def test_what_cannot_be_simulated_is_refused_in_one_line(self):
        for arguments, words in (((), "smpirun"), (("--formulation", "library"), "one of native, dataflow"),
                                 (("--arguments", "iterations 4"), "write --name value")):
            with mock.patch("shutil.which", return_value=None):
                code, errors = self.refusal(*arguments)
            self.assertEqual(code, 2 if arguments else 77, errors)
            self.assertIn(words, errors)
        self.assertIn("at most 4096", self.refusal(ranks="8192")[1])
        self.assertIn("--preset simulate", self.refusal(kernel="fft")[1])
        self.assertIn("kernel 'lu'", self.refusal(kernel="lu")[1])

    def test_a_data_flow_beside_gpus_is_refused(self):
        self.file.write_text(json.dumps(file(machine={"gpus_per_node": 4})), encoding="utf-8")
        self.assertIn("beside the GPUs", self.refusal("--formulation", "dataflow")[1])

"""Tests of quartet.results.road: which way a row's bytes took, and what is marked."""

import unittest

import fake_results
from fake_roads import MIB, interface, node
from quartet.results import judged_cases
from quartet.results.road import road


def pair(ethernet, infiniband, fabric=None, gigabits=10):
    """Two nodes with Ethernet and InfiniBand, each of which had to send 100 MiB to the other."""
    return [node(host, 100, interfaces=[interface("lo", 0), interface("eth0", ethernet, gigabits_per_second=gigabits),
                                        {**interface("mlx5_0", infiniband, gigabits_per_second=100), **(fabric or {})}])
            for host in ("n1", "n2")]


class BetweenNodes(unittest.TestCase):
    def test_it_is_that_of_the_interface_that_moved_the_bytes(self):
        found = road(pair(1, 99), "mpi")
        self.assertEqual((found.parts, found.beside, found.warning), ((("mlx5_0", 0.99), ("eth0", 0.01)), (), ""))
        self.assertEqual((found.most, found.text), ("mlx5_0", "mlx5_0 99%, eth0 1%"))

    def test_a_silent_fall_back_to_tcp_is_marked(self):
        self.assertEqual(road(pair(103, 0), "mpi").warning, "100% by TCP over eth0 (10 Gb/s) on n1, "
                         "though mlx5_0 (100 Gb/s) is up, likewise on 2 of 2 nodes")
        self.assertEqual(road(pair(103, 0), "grpc").warning, "", "it goes so by nature")
        few = [{**each, "runs": 200} for each in pair(103, 0)]
        self.assertEqual(road(few, "mpi").warning, "", "half a mebibyte a run says nothing")
        [row] = judged_cases([fake_results.document(fake_results.case(
            fake_results.stream_name(transport="mpi"), 1000, road=pair(103, 0)))])
        self.assertEqual((row.mark, list(row.flags)), ("?", ["slow_road"]))

    def test_one_node_among_many_is_named(self):
        nodes = [*pair(0, 100), {**pair(100, 0)[0], "host": "n3"}]
        self.assertTrue(road(nodes, "mpi").warning.startswith("100% by TCP over eth0 (10 Gb/s) on n3, though mlx5_0"))

    def test_no_fault_where_nothing_better_could_have_taken_it(self):
        for why, fabric in (("it is down", {"up": False}),
                            ("the same port, perhaps", {"on_ethernet": True, "gigabits_per_second": 10})):
            self.assertEqual(road(pair(100, 0, fabric), "mpi").warning, "", why)
        self.assertIn("mlx5_0", road(pair(100, 0, {"on_ethernet": True}), "mpi").warning)

    def test_a_faster_network_that_was_passed_by_is_named_too(self):
        nodes = [node(host, 100, interfaces=[interface("eth0", 100, gigabits_per_second=1),
                                             interface("eth1", 0, gigabits_per_second=25)]) for host in ("n1", "n2")]
        self.assertIn("over eth0 (1 Gb/s) on n1, though eth1 (25 Gb/s) is up", road(nodes, "mpi").warning)

    def test_ip_over_infiniband_is_counted_once(self):
        nodes = pair(100, 102)
        for each in nodes:
            each["interfaces"][1]["inside"] = "mlx5_0"
        found = road(nodes, "mpi")
        self.assertEqual([(name, round(share, 2)) for name, share in found.parts], [("eth0", 0.98), ("mlx5_0", 0.02)])
        self.assertIn("by TCP over eth0", found.warning)

    def test_what_others_send_is_left_out_and_named(self):
        nodes = pair(150, 100)
        for each in nodes:
            each["interfaces"][1]["others_bytes_per_second"] = 150 * MIB
        found = road(nodes, "mpi")
        self.assertEqual(found.parts, (("mlx5_0", 1),))
        self.assertIn("others sent 150 MiB/s over eth0 on n1", found.beside)

    def test_what_cannot_be_counted_is_said_and_no_zero(self):
        slingshot = {"sent_bytes": None, "counter": "refreshed too seldom"}
        nodes = pair(10, None, slingshot)
        for each in nodes:
            each["interfaces"][2].pop("sent_bytes")
        found = road(nodes, "mpi")
        self.assertEqual((found.parts, found.warning), ((("not seen", 0.9), ("eth0", 0.1)), ""))
        self.assertEqual(found.beside, ("mlx5_0: refreshed too seldom on n1 and 1 more node",))
        for each in nodes:
            each["interfaces"][1]["sent_bytes"] = 97 * MIB
        self.assertIn("97% by TCP", road(nodes, "mpi").warning, "whatever the fabric did with the rest")

    def test_of_an_unknown_plan_shares_are_of_what_moved(self):
        nodes = pair(30, 10)
        for each in nodes:
            del each["planned_between_nodes_bytes"]
        found = road(nodes, "mpi")
        self.assertEqual(found.parts, (("eth0", 0.75), ("mlx5_0", 0.25)))
        self.assertTrue(found.warning.startswith("75% by TCP"))


class WithinANode(unittest.TestCase):
    def test_what_no_interface_moved_went_through_memory(self):
        self.assertEqual(road([node("n1", within=100, lo=0, eth0=500)], "shm").parts, (("memory", 1),))
        self.assertEqual(road([node("n1", within=0, lo=5)], "mpi").parts, (), "nothing had to move")
        self.assertEqual(road([], "mpi").parts, (), "nobody looked")

    def test_tcp_over_the_loopback_is_marked(self):
        found = road([node("n1", within=100, lo=102)], "mpi")
        self.assertEqual(found.parts, (("lo", 1),))
        self.assertEqual(found.warning, "100% by TCP over the loopback, though the ranks share the memory of n1")
        self.assertEqual(road([node("n1", within=100, lo=102)], "grpc").warning, "")

    def test_staging_through_the_host_shows_on_pci_express(self):
        gpus = {"nvlink_sent_bytes": 0, "pcie_sent_bytes": 130 * MIB, "planned_copied_out_bytes": 30 * MIB}
        found = road([{**node("n1", within=100), **gpus}], "mpi")
        self.assertEqual(found.parts, (("PCI Express", 1),))
        self.assertEqual(found.warning, "100% over PCI Express, though the GPUs of n1 have NVLink")
        direct = {**gpus, "nvlink_sent_bytes": 100 * MIB, "pcie_sent_bytes": 30 * MIB}
        found = road([{**node("n1", within=100), **direct}], "mpi")
        self.assertEqual((found.parts, found.warning), ((("NVLink", 1),), ""))
        del gpus["nvlink_sent_bytes"]
        self.assertEqual(road([{**node("n1", within=100), **gpus}], "mpi").warning, "", "there is none")
        self.assertEqual(road([{**node("n1", within=100), **gpus, "nvlink_sent_bytes": 0}], "staged").warning, "",
                         "it goes so by nature")


if __name__ == "__main__":
    unittest.main()

"""Tests of quartet.results.network_path: which way a row's bytes took, and what is marked."""

import unittest

import fake_results
from fake_paths import interface, node
from quartet.results import judged_cases
from quartet.results.network_path import network_path


def pair(ethernet, infiniband, gigabits=10, **fabric):
    """Two nodes with Ethernet and InfiniBand, each of which had to send 100 MiB to the other."""
    return [node(host, 100, interfaces=[interface("lo", 0), interface("eth0", ethernet, gigabits_per_second=gigabits),
                                        {**interface("mlx5_0", infiniband, gigabits_per_second=100), **fabric}])
            for host in ("n1", "n2")]


class BetweenNodes(unittest.TestCase):
    def test_it_is_that_of_the_interface_that_moved_the_bytes(self):
        found = network_path(pair(1, 99), "mpi")
        self.assertEqual((found.parts, found.warning), ((("mlx5_0", 0.99), ("eth0", 0.01)), ""))
        self.assertEqual((found.most, found.text), ("mlx5_0", "mlx5_0 99%, eth0 1%"))

    def test_a_silent_fall_back_to_tcp_is_marked(self):
        warning = "100% by TCP over eth0 (10 Gb/s), though mlx5_0 (100 Gb/s) is up"
        self.assertEqual(network_path(pair(103, 0), "mpi").warning, warning)
        self.assertEqual(network_path(pair(103, 0), "grpc").warning, "", "it goes so by nature")
        few = [{**each, "runs": 500} for each in pair(103, 0)]
        self.assertEqual(network_path(few, "mpi").parts, (), "half a mebibyte a run says nothing")
        [row] = judged_cases([fake_results.document(fake_results.case(
            fake_results.stream_name(transport="mpi"), 1000, network_path=pair(103, 0)))])
        self.assertEqual((row.mark, row.flags), ("?", {"slow_network_path": warning}))

    def test_no_fault_where_nothing_better_could_have_taken_it(self):
        self.assertEqual(network_path(pair(100, 0, up=False), "mpi").warning, "")
        self.assertEqual(network_path(pair(100, 0, gigabits_per_second=5), "mpi").warning, "", "it is slower")

    def test_a_faster_network_that_was_passed_by_is_named_too(self):
        nodes = [node(host, 100, interfaces=[interface("eth0", 100, gigabits_per_second=1),
                                             interface("eth1", 0, gigabits_per_second=25)]) for host in ("n1", "n2")]
        self.assertIn("over eth0 (1 Gb/s), though eth1 (25 Gb/s) is up", network_path(nodes, "mpi").warning)

    def test_what_cannot_be_counted_is_no_zero(self):
        found = network_path(pair(10, None), "mpi")
        self.assertEqual((found.parts, found.warning), ((("not seen", 0.9), ("eth0", 0.1)), ""))
        self.assertIn("97% by TCP", network_path(pair(97, None), "mpi").warning, "whatever the fabric did with the rest")

    def test_of_an_unknown_plan_shares_are_of_what_moved(self):
        nodes = pair(30, 10)
        for each in nodes:
            del each["planned_between_nodes_bytes"]
        found = network_path(nodes, "mpi")
        self.assertEqual(found.parts, (("eth0", 0.75), ("mlx5_0", 0.25)))
        self.assertTrue(found.warning.startswith("75% by TCP"))


class WithinANode(unittest.TestCase):
    def test_what_no_interface_moved_went_through_memory(self):
        self.assertEqual(network_path([node("n1", within=100, lo=0, eth0=500)], "shm").parts, (("memory", 1),))
        self.assertEqual(network_path([node("n1", within=0, lo=5)], "mpi").parts, (), "nothing had to move")
        self.assertEqual(network_path([], "mpi").parts, (), "nobody looked")

    def test_tcp_over_the_loopback_is_marked(self):
        found = network_path([node("n1", within=100, lo=102)], "mpi")
        self.assertEqual(found.parts, (("lo", 1),))
        self.assertEqual(found.warning, "100% by TCP over the loopback, though the ranks share memory")
        self.assertEqual(network_path([node("n1", within=100, lo=102)], "grpc").warning, "")

    def test_nvlink_that_was_passed_by_is_marked(self):
        found = network_path([node("n1", within=100, NVLink=10)], "mpi")
        self.assertEqual(found.parts, (("not seen", 0.9), ("NVLink", 0.1)))
        self.assertEqual(found.warning, "10% over NVLink, though the GPUs have it")
        self.assertEqual(network_path([node("n1", within=100, NVLink=10)], "staged").warning, "", "by the host")
        self.assertEqual(network_path([node("n1", within=100, NVLink=101)], "ipc").warning, "")


if __name__ == "__main__":
    unittest.main()

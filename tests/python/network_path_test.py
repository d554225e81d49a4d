"""Tests of quartet.results.network_path: which way a row's bytes took, and what is marked."""

import unittest

import fake_results
from fake_paths import interface, node
from quartet.results import judged_rows
from quartet.results.network_path import network_path


def pair(ethernet, infiniband, gigabits=10, **fabric):
    """Two nodes with Ethernet and InfiniBand."""
    return [node(host, interfaces=[interface("eth0", ethernet, gigabits_per_second=gigabits),
                                   {**interface("mlx5_0", infiniband, gigabits_per_second=100), **fabric}])
            for host in ("n1", "n2")]


class NetworkPaths(unittest.TestCase):
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
        [row] = judged_rows([fake_results.document(fake_results.case(
            fake_results.stream_name(transport="mpi"), 1000, network_path=pair(103, 0)))])
        self.assertEqual((row.mark, row.flags), ("?", {"slow_network_path": warning}))

    def test_no_fault_where_nothing_better_could_have_taken_it(self):
        self.assertEqual(network_path(pair(100, 0, up=False), "mpi").warning, "")
        self.assertEqual(network_path(pair(100, 0, gigabits_per_second=5), "mpi").warning, "", "it is slower")
        self.assertEqual(network_path(pair(100, None), "mpi").warning, "", "it may have carried more")

    def test_a_faster_network_that_was_passed_by_is_named_too(self):
        nodes = [node(host, interfaces=[interface("eth0", 100, gigabits_per_second=1),
                                        interface("eth1", 0, gigabits_per_second=25)]) for host in ("n1", "n2")]
        self.assertIn("over eth0 (1 Gb/s), though eth1 (25 Gb/s) is up", network_path(nodes, "mpi").warning)

    def test_within_a_node_there_is_none(self):
        self.assertEqual(network_path([node("n1", eth0=500)], "mpi").parts, ())
        self.assertEqual(network_path([], "mpi").parts, (), "nobody looked")

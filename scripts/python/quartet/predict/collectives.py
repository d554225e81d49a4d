"""The collectives that the programs make, as an alpha-beta model with ranks that share their node's link.

MPI chooses the algorithm; here it is the faster of recursive doubling and a ring. Sizes are in bytes."""

from math import ceil, log2

from quartet.predict import open_mpi
from quartet.predict.cluster import Cluster
from quartet.predict.duration import Duration, shorter

MPI = ("", "auto", "mpi")  # transports whose collectives are MPI's, where ranks share no memory
ADDED = 3  # bytes read and written for each byte that is added to others


def barrier(cluster: Cluster) -> Duration:
    if cluster.ranks == 1:
        return Duration()
    return Duration(latency=ceil(log2(cluster.ranks)) * cluster.latency)


def all_gather(cluster: Cluster, size: float) -> Duration:
    """`size` is of the whole that each rank has in the end."""
    if cluster.ranks == 1:
        return Duration()
    if cluster.shares_memory:  # between two barriers each rank copies from the others
        return 2 * barrier(cluster) + Duration(bandwidth=cluster.within(_of_others(cluster, size)))
    if cluster.is_staged:  # each rank's part to each other rank
        return cluster.to_all(size)
    return by_mpi(cluster, size)


def by_mpi(cluster: Cluster, size: float) -> Duration:
    """MPI_Allgather."""
    if cluster.ranks == 1:
        return Duration()
    return shorter(doubling(cluster, size), ring(cluster, size))


def doubling(cluster: Cluster, size: float) -> Duration:
    """ceil(log2 P) steps: in each, a rank sends all that it has, or all that is left."""
    part, have, whole = size / cluster.ranks, 1, Duration()
    while have < cluster.ranks:
        whole += cluster.step(part * min(have, cluster.ranks - have), have)
        have *= 2
    return whole


def ring(cluster: Cluster, size: float) -> Duration:
    """P - 1 steps of one part each to the next rank; a step takes as long as its slowest message."""
    return (cluster.ranks - 1) * cluster.step(size / cluster.ranks, distance=1, in_pairs=False)


def reduce_scatter(cluster: Cluster, size: float) -> Duration:
    """`size` is of each rank's contribution. Parts travel as those of an all-gather, backwards."""
    if cluster.ranks == 1:
        return Duration()
    added = Duration(compute=ADDED * _of_others(cluster, size) / cluster.values["memory_bytes_per_second"])
    return all_gather(cluster, size) + added


def ordered_sums(cluster: Cluster, count: int) -> Duration:
    """Sums over ranks that keep their order: MPI gathers `count` numbers of each rank on all ranks, which add them
    one by one. In memory that they share they read one another's numbers: at most a message's latency."""
    if cluster.ranks == 1:
        return Duration()
    added = count * cluster.ranks * cluster.values["addition_seconds"]
    if cluster.shares_memory and cluster.transport != "rma":
        return Duration(latency=cluster.latency, overhead=added)
    return by_mpi(cluster, 8.0 * count * cluster.ranks) + Duration(overhead=added)


def all_reduce(cluster: Cluster, size: float) -> Duration:
    """MPI_Allreduce of something small: recursive doubling."""
    distance, whole = 1, Duration()
    while distance < cluster.ranks:
        whole += cluster.step(size, distance)
        distance *= 2
    return whole


def all_to_all(cluster: Cluster, size: float, part: float) -> Duration:
    """`size` is what a rank holds, `part` what it sends to one other; of ranks that differ the most. In memory
    that ranks share the next step reads it in place."""
    if cluster.shares_memory:
        return 2 * barrier(cluster)
    is_by_mpi = not cluster.is_staged and cluster.transport in MPI
    if is_by_mpi and open_mpi.all_to_all(cluster.ranks, cluster.all_to_all) is open_mpi.AllToAll.IN_PAIRS:
        return pairwise(cluster, part)
    return cluster.to_all(size)


def pairwise(cluster: Cluster, part: float) -> Duration:
    """P - 1 steps: in each, a rank exchanges a part with one other, and all ranks of a node do so with
    those of one other node, or among themselves."""
    away = cluster.ranks - cluster.per_node
    whole = Duration()
    if cluster.per_node > 1:  # else a node's own rates need not be known
        whole += (cluster.per_node - 1) * Duration(latency=cluster.values["node_latency_seconds"],
                                                   bandwidth=cluster.within(part))
    for nodes in range(1, cluster.nodes):
        whole += away / (cluster.nodes - 1) * cluster.step(part, nodes * cluster.per_node)
    return whole


def _of_others(cluster: Cluster, size: float) -> float:
    return size * (cluster.ranks - 1) / cluster.ranks

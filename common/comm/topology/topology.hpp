#pragma once

#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/placement.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// The resources of one node.
struct NodeResources {
    int cores = 1;           ///< that the ranks of this node may use, together (usable_cores)
    Bytes memory_total;      ///< of the machine, or the control group's limit where smaller
    Bytes memory_available;  ///< when the topology was made
};

/// NUMA nodes (OS numbers) that a PCI device ("0000:01:00.0") is attached to; none if the system
/// does not tell. Local.
std::vector<int> numa_nodes_near(const std::string& pci_bus);

/// The distances of PCI devices from `cpus` (processing units, OS numbers): the number of
/// processing units in the smallest part of the machine that holds both the device and `cpus`.
/// Empty if the system does not know where a device is. Local.
std::vector<int> distances_to(const std::vector<std::string>& pci_buses,
                              const std::vector<int>& cpus);

/// Which ranks share a node, and how the ranks are bound to cores.
class Topology {
  public:
    /// Collective over `world`.
    explicit Topology(const Communicator& world);

    [[nodiscard]] const Placement& of(int rank) const {
        return placements_.at(static_cast<std::size_t>(rank));
    }
    [[nodiscard]] const Placement& mine() const { return of(rank_); }
    [[nodiscard]] int nodes() const { return nodes_; }
    [[nodiscard]] bool same_node(int a, int b) const { return of(a).node == of(b).node; }
    /// The resources of this rank's node; the same on all of its ranks.
    [[nodiscard]] const NodeResources& resources() const { return resources_; }
    /// The ranks of my node.
    [[nodiscard]] const Communicator& node() const { return node_; }

    /// Threads that each rank gets by default: its equal share of the node's cores, at least 1.
    [[nodiscard]] int default_threads() const;

    /// Cores that this rank and the ranks with the same CPUs keep busy. Local.
    [[nodiscard]] int busy_cores(int threads_per_rank) const;

    /// The result of placement_warnings() for all ranks. Local, the same on all ranks.
    [[nodiscard]] std::vector<std::string> warnings(int threads_per_rank) const;

  private:
    int rank_;
    Communicator node_;
    std::vector<Placement> placements_;
    int nodes_ = 1;
    NodeResources resources_;
};

}  // namespace quartet::comm

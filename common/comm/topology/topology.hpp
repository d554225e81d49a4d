#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// The place where one rank runs, as the system reports it.
struct Placement {
    std::string host;
    int node = 0;        ///< index of its node, nodes numbered by their lowest rank
    int local_rank = 0;  ///< index among the ranks of its node
    int local_size = 1;
    std::vector<int> cpus;          ///< processing units (OS numbers) that it may run on
    int cores = 1;                  ///< physical cores among them
    std::vector<int> core_numbers;  ///< which these are: the least CPU number of each
    int node_cores = 1;             ///< cores of the node that the job may use, bound or not
    std::vector<int> numa_nodes;    ///< NUMA nodes that its cores belong to
    /// The processor limit of its control group (processor_quota), if it has one.
    std::optional<double> quota{};
};

/// Physical cores that the ranks of a node may use together; at most the node's quota rounded down,
/// and at least 1. Assumes that all ranks are in one control group: the quotas of several groups
/// would add up, but a process cannot see that.
int usable_cores(std::span<const Placement> placements, int node);

/// One line for each thing about the placement that will cost speed: ranks bound on top of each
/// other, more ranks or threads than cores or than a control group's share of them, ranks spread
/// over NUMA nodes. Where several nodes have the same, the first is described. Ranks that are not
/// bound at all share the node's cores and are fine.
std::vector<std::string> placement_warnings(std::span<const Placement> placements,
                                            int threads_per_rank);

/// "0-3,8": how lists of CPUs, cores or ranks are written; ascending.
std::string format_cpus(const std::vector<int>& cpus);

/// Reads what format_cpus() writes. Throws Failure for anything else.
std::vector<int> parse_cpus(std::string_view text);

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
    [[nodiscard]] int default_threads() const {
        return std::max(1, resources_.cores / mine().local_size);
    }

    /// Cores that this rank and the ranks with the same CPUs keep busy. Local.
    [[nodiscard]] int busy_cores(int threads_per_rank) const;

    /// The result of placement_warnings() for all ranks. Local, the same on all ranks.
    [[nodiscard]] std::vector<std::string> warnings(int threads_per_rank) const {
        return placement_warnings(placements_, threads_per_rank);
    }

  private:
    int rank_;
    Communicator node_;
    std::vector<Placement> placements_;
    int nodes_ = 1;
    NodeResources resources_;
};

}  // namespace quartet::comm

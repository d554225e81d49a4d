#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// Where one rank runs, as found.
struct Placement {
    std::string host;
    int node = 0;        ///< index of its node, nodes numbered by their lowest rank
    int local_rank = 0;  ///< index among the ranks of its node
    int local_size = 1;
    std::vector<int> cpus;        ///< processing units (OS numbers) that it may run on
    int cores = 1;                ///< physical cores among them
    std::vector<int> numa_nodes;  ///< NUMA nodes that its cores belong to
};

/// What one node has.
struct NodeResources {
    int cores = 1;              ///< physical cores that the ranks of this node may use, together
    Bytes memory_total;         ///< of the machine, or the control group's limit where smaller
    Bytes memory_available;     ///< now
    Bytes shared_memory_free;   ///< of /dev/shm
};

/// Who shares a node with whom, and how the ranks are bound.
class Topology {
  public:
    /// Collective over `world`.
    explicit Topology(const Communicator& world);

    [[nodiscard]] const Placement& of(int rank) const { return placements_.at(static_cast<std::size_t>(rank)); }
    [[nodiscard]] const Placement& mine() const { return of(rank_); }
    [[nodiscard]] int nodes() const { return nodes_; }
    [[nodiscard]] bool same_node(int a, int b) const { return of(a).node == of(b).node; }
    [[nodiscard]] const NodeResources& resources() const { return resources_; }
    /// The ranks of my node.
    [[nodiscard]] const Communicator& node() const { return node_; }

    /// Threads that each rank gets by default: the node's cores shared out, at least 1.
    [[nodiscard]] int default_threads() const;

    /// One line for each thing about the placement that will cost speed: ranks bound on top of each
    /// other, more ranks or threads than cores, a rank spread over NUMA nodes. Same on all ranks.
    [[nodiscard]] std::vector<std::string> warnings(int threads_per_rank) const;

  private:
    int rank_;
    Communicator node_;
    std::vector<Placement> placements_;
    int nodes_ = 1;
    NodeResources resources_;
};

/// "0-3,8": how CPU lists are written.
std::string format_cpus(const std::vector<int>& cpus);

}  // namespace quartet::comm

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The node of each rank, by rank; `lowest_ranks` has the lowest rank of each rank's node. Nodes
/// are numbered in the order of their lowest ranks.
std::vector<int> node_numbers(std::span<const std::int64_t> lowest_ranks);

/// Physical cores that the ranks of a node may use together; at most the node's quota rounded down,
/// and at least 1. Assumes that all ranks are in one control group: the quotas of several groups
/// would add up, but a process cannot see that.
int usable_cores(std::span<const Placement> placements, int node);

/// Cores that a rank and the ranks with the same CPUs keep busy, with `threads_per_rank` threads
/// each.
int busy_cores(std::span<const Placement> placements, int rank, int threads_per_rank);

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

}  // namespace quartet::comm

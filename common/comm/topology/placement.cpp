#include "comm/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "core/check.hpp"

namespace quartet::comm {

namespace {

// Ranks of one node that share cores with one another, and what they run on.
struct Pool {
    std::set<int> ranks;
    std::set<int> cpus;
    std::set<int> cores;
};

struct Node {
    std::string host;
    std::int64_t cores = 0;  ///< that the job may use there
    std::optional<double> quota;
    std::vector<int> ranks;
    std::vector<Pool> pools;
    std::vector<int> spread_ranks;
};

// The largest quota of a node's ranks; nothing if one of them has none.
std::optional<double> largest_quota(std::span<const Placement> placements, int node) {
    std::optional<double> quota;
    for (const Placement& placement : placements) {
        if (placement.node == node) {
            if (!placement.quota) {
                return std::nullopt;
            }
            quota = std::max(*placement.quota, quota.value_or(0));
        }
    }
    return quota;
}

// Adds a rank to the node's pools, and merges the pools that it connects.
void add(Node& node, int rank, const Placement& placement) {
    Pool joined{{rank},
                {placement.cpus.begin(), placement.cpus.end()},
                {placement.core_numbers.begin(), placement.core_numbers.end()}};
    std::erase_if(node.pools, [&](const Pool& pool) {
        // Not CPUs: two hardware threads of a core are one core.
        const bool overlaps = std::ranges::any_of(
            placement.core_numbers, [&](int core) { return pool.cores.contains(core); });
        if (overlaps) {
            joined.ranks.insert(pool.ranks.begin(), pool.ranks.end());
            joined.cpus.insert(pool.cpus.begin(), pool.cpus.end());
            joined.cores.insert(pool.cores.begin(), pool.cores.end());
        }
        return overlaps;
    });
    node.pools.push_back(std::move(joined));
}

std::vector<Node> by_node(std::span<const Placement> placements) {
    std::vector<Node> nodes;
    for (int rank = 0; rank < static_cast<int>(placements.size()); ++rank) {
        const Placement& placement = placements[static_cast<std::size_t>(rank)];
        const auto number = static_cast<std::size_t>(placement.node);
        nodes.resize(std::max(nodes.size(), number + 1));
        Node& node = nodes[number];
        node.host = placement.host;
        node.cores = std::max<std::int64_t>(node.cores, placement.node_cores);
        node.ranks.push_back(rank);
        if (placement.numa_nodes.size() > 1) {
            node.spread_ranks.push_back(rank);
        }
        add(node, rank, placement);
    }
    for (auto& node : nodes) {
        node.quota = largest_quota(placements,
                                   placements[static_cast<std::size_t>(node.ranks.front())].node);
        // If each rank is in its own control group, each knows only its own cores. Pools have no
        // core in common.
        std::int64_t used = 0;
        for (const auto& pool : node.pools) {
            used += std::ssize(pool.cores);
        }
        node.cores = std::max(node.cores, used);
    }
    return nodes;
}

template <typename Numbers>
std::string named(std::string_view noun, const Numbers& numbers) {
    return fmt::format("{}{} {}", noun, numbers.size() == 1 ? "" : "s",
                       format_cpus({numbers.begin(), numbers.end()}));
}

// The number of threads of all these ranks.
template <typename Ranks>
std::int64_t threads(const Ranks& ranks, int threads_per_rank) {
    return std::ssize(ranks) * std::int64_t{threads_per_rank};
}

std::optional<std::string> too_few_cores(const Node& node, int threads_per_rank) {
    if (threads(node.ranks, threads_per_rank) <= node.cores) {
        return std::nullopt;
    }
    return fmt::format(
        "{} on {}: {} x {} threads share {} {} (more threads than cores wait for each "
        "other): start fewer ranks there, or lower --threads",
        named("rank", node.ranks), node.host, node.ranks.size(), threads_per_rank, node.cores,
        node.cores == 1 ? "core" : "cores");
}

std::optional<std::string> beyond_quota(const Node& node, int threads_per_rank) {
    const auto wanted = threads(node.ranks, threads_per_rank);
    if (!node.quota || static_cast<double>(wanted) <= *node.quota) {
        return std::nullopt;
    }
    return fmt::format(
        "{} on {}: {} x {} threads have the time of {:.3g} {} (the quota of their control group or "
        "container; when it is used up, all of them stop for a while): raise it, start fewer ranks "
        "there, or lower --threads",
        named("rank", node.ranks), node.host, node.ranks.size(), threads_per_rank, *node.quota,
        *node.quota == 1 ? "core" : "cores");
}

std::optional<std::string> bound_too_tightly(const Node& node, int threads_per_rank) {
    if (too_few_cores(node, threads_per_rank)) {
        return std::nullopt;  // no binding would help
    }
    for (const auto& pool : node.pools) {
        const auto needed = threads(pool.ranks, threads_per_rank);
        if (needed <= std::ssize(pool.cores)) {
            continue;
        }
        const auto what = pool.ranks.size() > 1 ? "are bound on top of each other"
                                                : "is bound to fewer cores than it has threads";
        return fmt::format(
            "{} on {} {} ({} threads on {}, of {} cores there): give each rank cores of its own, "
            "or bind none",
            named("rank", pool.ranks), node.host, what, needed, named("CPU", pool.cpus),
            node.cores);
    }
    return std::nullopt;
}

std::optional<std::string> over_numa_nodes(const Node& node, int) {
    if (node.spread_ranks.empty()) {
        return std::nullopt;
    }
    return fmt::format(
        "{} on {} may run on several NUMA nodes each (memory of another node is slower): bind "
        "ranks within NUMA nodes",
        named("rank", node.spread_ranks), node.host);
}

}  // namespace

int usable_cores(std::span<const Placement> placements, int node) {
    std::set<int> cores;
    for (const Placement& placement : placements) {
        if (placement.node == node) {
            cores.insert(placement.core_numbers.begin(), placement.core_numbers.end());
        }
    }
    const auto there = std::max(1.0, static_cast<double>(cores.size()));
    return static_cast<int>(
        std::clamp(largest_quota(placements, node).value_or(there), 1.0, there));
}

std::vector<std::string> placement_warnings(std::span<const Placement> placements,
                                            int threads_per_rank) {
    const auto nodes = by_node(placements);
    std::vector<std::string> warnings;
    for (const auto finding : {too_few_cores, beyond_quota, bound_too_tightly, over_numa_nodes}) {
        std::optional<std::string> first;
        int alike = 0;
        for (const auto& node : nodes) {
            if (const auto found = finding(node, threads_per_rank)) {
                first = first ? first : found;
                ++alike;
            }
        }
        if (alike == 1) {
            warnings.push_back(*first);
        } else if (alike > 1) {
            warnings.push_back(fmt::format("{}; the same on {} nodes in all", *first, alike));
        }
    }
    return warnings;
}

std::string format_cpus(const std::vector<int>& cpus) {
    std::string text;
    for (std::size_t begin = 0; begin < cpus.size();) {
        std::size_t end = begin + 1;
        while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) {
            ++end;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[begin]);
        if (end - begin > 1) {
            text += fmt::format("-{}", cpus[end - 1]);
        }
        begin = end;
    }
    return text;
}

std::vector<int> parse_cpus(std::string_view text) {
    std::vector<int> cpus;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto take_number = [&] {
        int number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        check(error == std::errc() && number >= 0, "not a list of CPUs");
        at = next;
        return number;
    };
    const auto take = [&](char expected) {
        const bool is_there = at != end && *at == expected;
        at += is_there ? 1 : 0;
        return is_there;
    };
    if (text.empty()) {
        return cpus;
    }
    do {
        const int first = take_number();
        const int last = take('-') ? take_number() : first;
        for (int cpu = first; cpu <= last; ++cpu) {
            cpus.push_back(cpu);
        }
    } while (take(','));
    check(at == end, "not a list of CPUs");
    return cpus;
}

}  // namespace quartet::comm

#include "comm/topology/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "core/check.hpp"

namespace quartet::comm {

namespace {

// Ranks of one node that share cores with one another, and what they run on.
struct Pool {
    std::vector<int> ranks;
    std::set<int> cpus;
    std::set<int> cores;

    void add(int rank, const Placement& placement) {
        ranks.push_back(rank);
        cpus.insert(placement.cpus.begin(), placement.cpus.end());
        cores.insert(placement.core_numbers.begin(), placement.core_numbers.end());
    }

    void merge(Pool&& other) {
        ranks.insert(ranks.end(), other.ranks.begin(), other.ranks.end());
        cpus.merge(other.cpus);
        cores.merge(other.cores);
    }

    [[nodiscard]] bool overlaps(const Pool& other) const {
        // Not CPUs: two hardware threads of a core are one core.
        return std::ranges::any_of(cores, [&](int core) { return other.cores.contains(core); });
    }
};

struct Node {
    std::string host;
    std::int64_t cores = 0;  ///< that the job may use there
    std::optional<double> quota;
    std::vector<int> ranks;
    std::vector<Pool> pools;
    std::vector<int> spread_ranks;
};

// The largest quota of these ranks of a node; nothing if one of them has none.
std::optional<double> largest_quota(std::span<const Placement> placements,
                                    std::span<const int> ranks) {
    std::optional<double> quota;
    for (const int rank : ranks) {
        const Placement& placement = placements[static_cast<std::size_t>(rank)];
        if (!placement.quota) {
            return std::nullopt;
        }
        quota = std::max(*placement.quota, quota.value_or(0));
    }
    return quota;
}

// Adds a rank to the node's pools, and merges the pools that it connects.
void add(Node& node, int rank, const Placement& placement) {
    Pool joined;
    joined.add(rank, placement);
    std::vector<Pool> apart;
    for (auto& pool : node.pools) {
        if (pool.overlaps(joined)) {
            joined.merge(std::move(pool));
        } else {
            apart.push_back(std::move(pool));
        }
    }
    std::ranges::sort(joined.ranks);
    apart.push_back(std::move(joined));
    node.pools = std::move(apart);
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
        node.quota = largest_quota(placements, node.ranks);
        // If each rank is in its own control group, each knows only its own cores.
        std::set<int> used;
        for (const auto& pool : node.pools) {
            used.insert(pool.cores.begin(), pool.cores.end());
        }
        node.cores = std::max(node.cores, std::ssize(used));
    }
    return nodes;
}

std::string named(std::string_view noun, const std::vector<int>& numbers) {
    return fmt::format("{}{} {}", noun, numbers.size() == 1 ? "" : "s", format_cpus(numbers));
}

// The number of threads of all these ranks.
std::int64_t threads(const std::vector<int>& ranks, int threads_per_rank) {
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
            named("rank", pool.ranks), node.host, what, needed,
            named("CPU", {pool.cpus.begin(), pool.cpus.end()}), node.cores);
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

std::vector<int> node_numbers(std::span<const std::int64_t> lowest_ranks) {
    std::map<std::int64_t, int> numbers;
    for (const std::int64_t lowest : lowest_ranks) {
        numbers.emplace(lowest, 0);
    }
    for (int next = 0; auto& [lowest, number] : numbers) {
        number = next++;
    }
    std::vector<int> of_ranks;
    of_ranks.reserve(lowest_ranks.size());
    for (const std::int64_t lowest : lowest_ranks) {
        of_ranks.push_back(numbers.at(lowest));
    }
    return of_ranks;
}

int usable_cores(std::span<const Placement> placements, int node) {
    std::vector<int> ranks;
    std::set<int> cores;
    for (int rank = 0; rank < std::ssize(placements); ++rank) {
        const Placement& placement = placements[static_cast<std::size_t>(rank)];
        if (placement.node == node) {
            ranks.push_back(rank);
            cores.insert(placement.core_numbers.begin(), placement.core_numbers.end());
        }
    }
    const auto there = std::max(1.0, static_cast<double>(cores.size()));
    return static_cast<int>(
        std::clamp(largest_quota(placements, ranks).value_or(there), 1.0, there));
}

int busy_cores(std::span<const Placement> placements, int rank, int threads_per_rank) {
    const Placement& mine = placements[static_cast<std::size_t>(rank)];
    const auto alike = std::ranges::count_if(placements, [&](const Placement& other) {
        return other.node == mine.node && other.cpus == mine.cpus;
    });
    return static_cast<int>(
        std::min<std::int64_t>(mine.cores, alike * std::int64_t{threads_per_rank}));
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

namespace {

// Reads a number at the front of `text`, and removes it there.
int take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    check(error == std::errc() && number >= 0, "not a list of CPUs");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(std::string_view& text, char expected) {
    if (!text.starts_with(expected)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::vector<int> parse_cpus(std::string_view text) {
    std::vector<int> cpus;
    if (text.empty()) {
        return cpus;
    }
    do {
        const int first = take_number(text);
        const int last = take(text, '-') ? take_number(text) : first;
        for (int cpu = first; cpu <= last; ++cpu) {
            cpus.push_back(cpu);
        }
    } while (take(text, ','));
    check(text.empty(), "not a list of CPUs");
    return cpus;
}

}  // namespace quartet::comm

#include "bench/session/gpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/check.hpp"
#include "device/device_registry.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
    if (!value) {
        return;
    }
    if constexpr (requires { value->value; }) {  // Seconds, Bytes
        json[key] = value->value;
    } else {
        json[key] = *value;
    }
}

void put(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) {
        json[key] = text;
    }
}

// Clocks below this share of their earlier value have fallen.
constexpr double fallen = 0.95;
// NVML's reasons that are no defect of the machine: the GPU is idle, or its clocks are set so.
const std::set<std::string> harmless{"idle", "application clocks", "display clocks", "sync boost"};

std::vector<GpuSight> sights_of(const comm::Communicator& world, const comm::Topology& topology,
                                const device::GpuFacts& facts, int visible_here) {
    const auto visible = world.gather(std::int64_t{visible_here});
    const auto uuids = world.gather(facts.uuid);
    const auto near = world.gather(comm::format_cpus(comm::numa_nodes_near(facts.pci_bus)));
    std::vector<GpuSight> sights;
    for (int rank = 0; rank < world.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        sights.push_back({topology.of(rank).node, topology.of(rank).host,
                          static_cast<int>(visible[index]), uuids[index],
                          comm::parse_cpus(near[index]), topology.of(rank).numa_nodes});
    }
    return sights;
}

struct NodeGpus {
    std::string host;
    std::set<std::string> uuids;  ///< of the GPUs in use
    int most_visible = 0;
};

std::map<int, NodeGpus> gpus_of_nodes(std::span<const GpuSight> sights) {
    std::map<int, NodeGpus> nodes;
    for (const GpuSight& sight : sights) {
        NodeGpus& node = nodes[sight.node];
        node.host = sight.host;
        node.uuids.insert(sight.uuid);
        node.most_visible = std::max(node.most_visible, sight.visible);
    }
    return nodes;
}

// Leaves room for what no plan counts: kernels that are loaded when first used, workspaces of
// libraries, buffers of transports.
Bytes usable(Bytes free) {
    const std::int64_t wanted = std::max(mebibytes(512).value, free.value / 50);
    return {free.value - std::min(wanted, free.value / 10)};
}

Json constant_facts(const device::GpuFacts& facts) {
    Json json{{"name", facts.name}, {"uuid", facts.uuid}};
    put(json, "driver", facts.driver);
    put(json, "pci_bus", facts.pci_bus);
    put(json, "memory", facts.memory);
    put(json, "most_clock_mhz", facts.most_clock_mhz);
    put(json, "error_correction", facts.error_correction);
    put(json, "partitioned", facts.partitioned);
    put(json, "power_limit_watts", facts.power_limit_watts);
    put(json, "why_unknown", facts.why_empty);
    return json;
}

Json changing_facts(const device::GpuFacts& facts) {
    Json json = Json::object();
    put(json, "clock_mhz", facts.clock_mhz);
    put(json, "energy_joules", facts.counters.energy_joules);
    put(json, "power_capped_seconds", facts.counters.power_capped);
    put(json, "thermally_slowed_seconds", facts.counters.thermally_slowed);
    put(json, "power_braked_seconds", facts.counters.power_braked);
    put(json, "throttled_by", facts.throttled_by);
    return json;
}

std::string map_text(const std::optional<GpuMap>& map) {
    return map ? fmt::format("{}", fmt::join(*map, ",")) : "";
}

/// Why the map does not fit this rank's node; nothing if it does.
std::optional<std::string> why_wrong(const GpuMap& map, int visible,
                                     const comm::Placement& placement) {
    if (std::ssize(map) != placement.local_size) {
        return fmt::format(
            "--gpu-map {}: {} numbers ({} has {} ranks, and each needs its own): name a GPU for "
            "each rank of a node",
            map_text(map), map.size(), placement.host, placement.local_size);
    }
    const int gpu = map[static_cast<std::size_t>(placement.local_rank)];
    if (gpu >= visible) {
        return fmt::format("--gpu-map {}: no GPU {} (a rank on {} sees {}, numbered from 0): {}",
                           map_text(map), gpu, placement.host, visible,
                           visible == 1 ? "use 0, or let ranks see more" : "use those");
    }
    return std::nullopt;
}

int nearest_gpu(const std::vector<std::string>& visible, const comm::Topology& topology) {
    const comm::Communicator& node = topology.node();
    const comm::Placement& mine = topology.mine();
    const auto seen = node.gather(fmt::format("{}", fmt::join(visible, ",")));
    const bool alike = std::ranges::adjacent_find(seen, std::not_equal_to()) == seen.end();
    if (!alike || visible.size() == 1) {
        return device::accelerator_of_rank(mine.local_rank, visible.size());
    }
    const auto known = comm::distances_to(visible, mine.cpus);
    std::vector<double> row(known.begin(), known.end());
    row.resize(visible.size());
    const auto rows = node.gather(row);
    std::vector<std::vector<int>> distances;
    for (auto begin = rows.begin(); begin != rows.end(); begin += std::ssize(visible)) {
        distances.emplace_back(begin, begin + std::ssize(visible));
    }
    return deal_gpus(distances)[static_cast<std::size_t>(mine.local_rank)];
}

}  // namespace

GpuMap deal_gpus(const std::vector<std::vector<int>>& distances) {
    struct Pair {
        int distance;
        std::size_t rank;
        std::size_t gpu;
    };
    const std::size_t gpus = distances.front().size();
    std::vector<Pair> pairs;
    for (std::size_t rank = 0; rank < distances.size(); ++rank) {
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            pairs.push_back({distances[rank][gpu], rank, gpu});
        }
    }
    std::ranges::stable_sort(pairs, {}, &Pair::distance);
    constexpr int none = -1;
    GpuMap dealt(distances.size(), none);
    for (std::size_t served = 0; served < dealt.size(); served += gpus) {
        std::vector<bool> taken(gpus);
        for (const Pair& pair : pairs) {
            if (dealt[pair.rank] == none && !taken[pair.gpu]) {
                dealt[pair.rank] = static_cast<int>(pair.gpu);
                taken[pair.gpu] = true;
            }
        }
    }
    return dealt;
}

int choose_gpu(const std::optional<GpuMap>& map, const std::vector<std::string>& visible,
               const comm::Topology& topology, const comm::Communicator& world) {
    const auto texts = world.gather(map_text(map));
    if (std::ranges::adjacent_find(texts, std::not_equal_to()) != texts.end()) {
        throw UsageError(
            "--gpu-map differs between ranks (it is one list for the ranks of every node): give "
            "all ranks the same");
    }
    const comm::Placement& placement = topology.mine();
    if (!map) {
        return nearest_gpu(visible, topology);
    }
    const int gpus = static_cast<int>(visible.size());
    if (const auto problem = world.first(why_wrong(*map, gpus, placement))) {
        throw UsageError(*problem);
    }
    return (*map)[static_cast<std::size_t>(placement.local_rank)];
}

// Ranks share a GPU if their node and UUID are equal: parts of a GPU (MIG) have UUIDs of their own.
Gpus::Gpus(const comm::Communicator& world, const comm::Topology& topology,
           const device::Accelerator& mine)
    : mine_(&mine) {
    const device::GpuFacts facts = mine.facts();
    const auto sights = sights_of(world, topology, facts, mine.visible());
    const auto constant = world.gather_to_root(constant_facts(facts).dump());
    const auto changing = world.gather_to_root(changing_facts(facts).dump());
    std::map<std::pair<int, std::string>, std::size_t> known;
    for (int rank = 0; rank < world.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const GpuSight& sight = sights[index];
        const auto [place, is_new] = known.emplace(std::pair(sight.node, sight.uuid), all_.size());
        if (is_new) {
            all_.push_back(
                {.host = sight.host, .uuid = sight.uuid, .numa_nodes = sight.near_nodes});
            if (world.rank() == 0) {
                Gpu& gpu = all_.back();
                gpu.name = Json::parse(constant[index]).at("name");
                gpu.facts = constant[index];
                gpu.before = gpu.after = changing[index];
            }
        }
        all_[place->second].ranks.push_back(rank);
        gpu_of_.push_back(place->second);
    }
    warnings_ = sight_warnings(sights);
    idle_ = idle_gpus(sights);
    std::ranges::move(distance_warnings(sights), std::back_inserter(warnings_));
    world.barrier();  // from here on every rank has its context, which takes memory
    const auto free = world.gather(mine.free_memory().value);
    const std::vector<int>& sharing = of(world.rank()).ranks;
    std::int64_t least = free[static_cast<std::size_t>(world.rank())];
    for (const int rank : sharing) {
        least = std::min(least, free[static_cast<std::size_t>(rank)]);
    }
    memory_share_ = {usable({least}).value / std::ssize(sharing)};
}

const Gpu& Gpus::of(int rank) const {
    return all_.at(gpu_of_.at(static_cast<std::size_t>(rank)));
}

std::optional<device::GpuCounters> Gpus::counters(int rank) const {
    const bool reads = mine_ != nullptr && of(rank).ranks.front() == rank;
    return reads ? std::optional(mine_->counters()) : std::nullopt;
}

void Gpus::update(const comm::Communicator& world) {
    if (empty()) {
        return;
    }
    const auto changing = world.gather_to_root(changing_facts(mine_->facts()).dump());
    if (world.rank() != 0) {
        return;
    }
    for (Gpu& gpu : all_) {
        gpu.after = changing[static_cast<std::size_t>(gpu.ranks.front())];
    }
}

std::vector<std::string> Gpus::warnings() const {
    auto warnings = warnings_;
    std::ranges::move(throttle_warnings(all_), std::back_inserter(warnings));
    return warnings;
}

std::string Gpus::summary() const {
    std::map<std::string, int> counts;
    for (const Gpu& gpu : all_) {
        ++counts[gpu.name];
    }
    std::string text;
    for (const auto& [name, count] : counts) {
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name);
    }
    return text;
}

Json Gpus::json() const {
    Json list = Json::array();
    for (const Gpu& gpu : all_) {
        Json json = Json::parse(gpu.facts);
        const Json before = Json::parse(gpu.before);
        const Json after = Json::parse(gpu.after);
        json["host"] = gpu.host;
        json["ranks"] = gpu.ranks;
        if (!gpu.numa_nodes.empty()) {
            json["numa_nodes"] = gpu.numa_nodes;
        }
        json["before"] = before;
        json["after"] = after;
        if (before.contains("energy_joules") && after.contains("energy_joules")) {
            json["energy_joules"] =
                after.at("energy_joules").get<double>() - before.at("energy_joules").get<double>();
        }
        list.push_back(std::move(json));
    }
    return list;
}

std::vector<std::string> throttle_warnings(std::span<const Gpu> gpus) {
    std::vector<std::string> warnings;
    for (const Gpu& gpu : gpus) {
        const Json state = Json::parse(gpu.after);
        const auto all = state.value("throttled_by", std::vector<std::string>{});
        std::vector<std::string> reasons;
        std::ranges::remove_copy_if(
            all, std::back_inserter(reasons),
            [](const std::string& reason) { return harmless.contains(reason); });
        const int before = Json::parse(gpu.before).value("clock_mhz", 0);
        const int after = state.value("clock_mhz", before);
        const bool idle = std::ranges::find(all, "idle") != all.end();
        if (!reasons.empty()) {
            warnings.push_back(
                fmt::format("{} on {} was throttled ({}): its rates are not its best", gpu.name,
                            gpu.host, fmt::join(reasons, ", ")));
        } else if (!idle && after < fallen * before) {
            warnings.push_back(fmt::format(
                "{} on {} clocked down while it was measured ({} to {} MHz): its rates are not its "
                "best",
                gpu.name, gpu.host, before, after));
        }
    }
    return warnings;
}

std::vector<std::string> sight_warnings(std::span<const GpuSight> sights) {
    for (const auto& [number, node] : gpus_of_nodes(sights)) {
        if (node.most_visible == 1 && node.uuids.size() > 1) {
            return {fmt::format(
                "ranks on {} see one GPU each, {} different ones in all (a binding option hides "
                "the others, so that ranks cannot reach each other's memory): bind with "
                "--gpu-bind=none and let --gpu-map choose",
                node.host, node.uuids.size())};
        }
    }
    return {};
}

std::vector<std::string> idle_gpus(std::span<const GpuSight> sights) {
    std::vector<std::string> lines;
    for (const auto& [number, node] : gpus_of_nodes(sights)) {
        const auto used = static_cast<int>(node.uuids.size());
        if (used < node.most_visible) {
            lines.push_back(fmt::format("idle: {} of {} GPUs on {} (no rank uses them)",
                                        node.most_visible - used, node.most_visible, node.host));
        }
    }
    return lines;
}

std::vector<std::string> distance_warnings(std::span<const GpuSight> sights) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < sights.size(); ++rank) {
        const GpuSight& sight = sights[rank];
        const bool near = std::ranges::any_of(sight.core_nodes, [&](int node) {
            return std::ranges::find(sight.near_nodes, node) != sight.near_nodes.end();
        });
        if (!near && !sight.near_nodes.empty() && !sight.core_nodes.empty()) {
            ranks.push_back(static_cast<int>(rank));
        }
    }
    if (ranks.empty()) {
        return {};
    }
    const GpuSight& first = sights[static_cast<std::size_t>(ranks.front())];
    return {fmt::format(
        "rank{} {}: the GPU is attached to another NUMA node than the cores (first: node {}, cores "
        "of {}; copies cross the processors' link): bind the ranks there, or give --gpu-map",
        ranks.size() == 1 ? "" : "s", comm::format_cpus(ranks), comm::format_cpus(first.near_nodes),
        comm::format_cpus(first.core_nodes))};
}

}  // namespace quartet::bench

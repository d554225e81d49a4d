#include "bench/session/gpu_json.hpp"

#include <nlohmann/json.hpp>

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
    if (value) {
        json[key] = *value;
    }
}

void put(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) {
        json[key] = text;
    }
}

void put(Json& json, const char* key, const std::optional<Seconds>& time) {
    if (time) {
        json[key] = time->value;
    }
}

}  // namespace

Json lasting_facts(const device::GpuFacts& facts) {
    Json json{{"name", facts.name}, {"uuid", facts.uuid}};
    put(json, "driver", facts.driver);
    put(json, "pci_bus", facts.pci_bus);
    put(json, "architecture", facts.architecture);
    put(json, "multiprocessors", facts.multiprocessors);
    put(json, "memory_bus_bits", facts.memory_bus_bits);
    put(json, "most_memory_clock_mhz", facts.most_memory_clock_mhz);
    if (facts.memory) {
        json["memory"] = facts.memory->value;
    }
    put(json, "most_clock_mhz", facts.most_clock_mhz);
    put(json, "error_correction", facts.error_correction);
    put(json, "partitioned", facts.partitioned);
    put(json, "power_limit_watts", facts.power_limit_watts);
    put(json, "most_pcie_generation", facts.most_pcie_generation);
    put(json, "most_pcie_width", facts.most_pcie_width);
    put(json, "nvlink_links", facts.nvlink_links);
    put(json, "nvlink_version", facts.nvlink_version);
    put(json, "c2c", facts.c2c);
    put(json, "compute_mode", facts.compute_mode);
    put(json, "persistence", facts.persistence);
    put(json, "why_unknown", facts.why_empty);
    return json;
}

Json passing_facts(const device::GpuFacts& facts) {
    Json json = Json::object();
    put(json, "clock_mhz", facts.clock_mhz);
    put(json, "memory_clock_mhz", facts.memory_clock_mhz);
    put(json, "temperature_celsius", facts.temperature_celsius);
    put(json, "pcie_generation", facts.pcie_generation);
    put(json, "pcie_width", facts.pcie_width);
    put(json, "mps_processes", facts.mps_processes);
    put(json, "energy_joules", facts.counters.energy_joules);
    put(json, "power_capped_seconds", facts.counters.power_capped);
    put(json, "thermally_slowed_seconds", facts.counters.thermally_slowed);
    put(json, "power_braked_seconds", facts.counters.power_braked);
    put(json, "throttled_by", facts.throttled_by);
    return json;
}

}  // namespace quartet::bench

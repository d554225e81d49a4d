#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "core/units.hpp"

namespace quartet::bench {

/// Which GPU each rank of a node uses, by local rank: "0,0,1". Numbers count the GPUs that a rank
/// sees, which CUDA_VISIBLE_DEVICES and the batch system decide.
using GpuMap = std::vector<int>;

enum class Switch { off, on };
enum class Progress { automatic, on, off };

/// How often a case is run. Without a count, until the 95% interval of the median is within
/// `interval` of it.
struct Runs {
    std::optional<int> count = 10;
    double interval = 0.05;
    int warmup = 1;
};

/// The flags of all four programs; --help documents them and their defaults.
struct CommonOptions {
    std::string device = "auto";
    std::vector<Formulation> formulations{Formulation::native};
    std::vector<std::string> transports{"auto"};
    std::optional<std::string> filter;  ///< a regular expression that names of rows match
    Switch list = Switch::off;
    Switch dry_run = Switch::off;
    Runs runs;
    std::uint64_t seed = 1;
    Switch verify = Switch::on;
    Switch limits = Switch::on;
    std::string isa = "auto";            ///< of the host's loops
    std::optional<int> threads;          ///< cores / ranks on the node unless given
    std::optional<Bytes> memory;         ///< per rank; what is available unless given
    std::optional<Bytes> device_memory;  ///< of a GPU, per rank; what is free unless given
    std::optional<GpuMap> gpu_map;       ///< by rank of a node; the nearest unless given
    int queue = 16;                      ///< items that a queue of the data flow holds
    comm::TransportSettings transfer;
    std::optional<std::filesystem::path> json;
    Switch force = Switch::off;
    std::optional<std::filesystem::path> trace;
    Switch cluster = Switch::off;  ///< printed before the first run
    Progress progress = Progress::automatic;
    Switch quiet = Switch::off;

    /// Whether a formulation is asked for.
    [[nodiscard]] bool has(Formulation formulation) const {
        return std::ranges::find(formulations, formulation) != formulations.end();
    }
};

}  // namespace quartet::bench

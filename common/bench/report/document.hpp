#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// What all rows of a job share.
struct JobFacts {
    std::string isa{};   ///< empty if the processors computed nothing
    Seconds start_up{};  ///< from the launch until the devices were ready
};

/// Rows as the `benchmarks` array of Google Benchmark's JSON schema: the measured runs of each row,
/// then its aggregates; our further keys are on the median. No NaN or infinity is ever written.
nlohmann::ordered_json benchmarks(std::span<const Row> rows, const JobFacts& job);

}  // namespace quartet::bench

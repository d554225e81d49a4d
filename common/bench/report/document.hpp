#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// Rows as the `benchmarks` array of Google Benchmark's JSON schema: the measured runs of each row,
/// then its aggregates; our further keys are on the median. No NaN or infinity is ever written.
nlohmann::ordered_json benchmarks(std::span<const Row> rows);

}  // namespace quartet::bench

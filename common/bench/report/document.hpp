#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// Rows as the `benchmarks` array of Google Benchmark's JSON schema: the measured runs of each row,
/// then its aggregates; our further keys are on the median, the instruction set among them unless
/// it is empty. No NaN or infinity is ever written.
nlohmann::ordered_json benchmarks(std::span<const Row> rows, const std::string& isa);

}  // namespace quartet::bench

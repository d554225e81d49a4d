#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "bench/report/row.hpp"

namespace quartet::bench {

/// Rows as the `benchmarks` array of Google Benchmark's JSON schema: the measured runs of each row,
/// then its aggregates; our further keys are on the median. No NaN or infinity is ever written.
nlohmann::ordered_json benchmarks(std::span<const Row> rows);

/// Throws UsageError where `file` exists and may not be overwritten, or cannot be written: that is
/// tried beside it, under the name that writing takes.
void require_writable(const std::filesystem::path& file, bool overwrite);

/// Writes a text aside and renames it, so that nobody reads half of it. Throws Failure.
void write_aside(const std::filesystem::path& file, const std::string& text);

}  // namespace quartet::bench

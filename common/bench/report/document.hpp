#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// What all rows of a job share.
struct JobFacts {
    std::string isa{};   ///< empty if the processors computed nothing
    Seconds start_up{};  ///< from the launch until the devices were ready
};

/// Rows as the `benchmarks` array of Google Benchmark's JSON schema: the measured runs of each row,
/// then its aggregates; our further keys are on the median. No NaN or infinity is ever written.
nlohmann::ordered_json benchmarks(std::span<const Row> rows, const JobFacts& job);

/// Whether a document has all that was asked for, or was written while measuring went on.
enum class Completion { under_way, complete };

/// Where, when, with what and how the rows were measured: the `context` of a result document.
/// Google Benchmark's keys at the top, ours in the object "quartet". Local.
nlohmann::ordered_json context(Session& session,
                               const std::vector<std::pair<std::string, std::string>>& options,
                               const Measured& measured, Completion completion,
                               std::span<const std::string> warnings);

}  // namespace quartet::bench

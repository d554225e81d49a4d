#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/row.hpp"
#include "bench/session.hpp"

namespace quartet::bench {

/// Where, when, with what and how the rows were measured: the `context` of a result document.
/// Google Benchmark's keys at the top, ours in the object "quartet". Local.
nlohmann::ordered_json context(Session& session,
                               const std::vector<std::pair<std::string, std::string>>& options,
                               std::span<const Row> rows, std::span<const std::string> warnings);

}  // namespace quartet::bench

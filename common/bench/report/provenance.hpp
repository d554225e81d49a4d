#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/program/session.hpp"
#include "bench/report/row.hpp"

namespace quartet::bench {

/// Where, when, with what and how the rows were measured: the `context` of a result document.
/// Google Benchmark's keys at the top, ours in the object "quartet". Local.
nlohmann::ordered_json context(Session& session,
                               const std::vector<std::pair<std::string, std::string>>& options,
                               std::span<const Row> rows, std::span<const std::string> warnings);

}  // namespace quartet::bench

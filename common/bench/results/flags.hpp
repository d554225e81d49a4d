#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// A run is disturbed if something else took time worth at least this share of its cores.
inline constexpr double disturbing_share = 0.05;

/// Whether steal or other processes disturbed a run. Both are sampled in ticks of 10 ms, and must
/// exceed six ticks: so many may appear by chance in a quiet run.
bool is_disturbed(const RunConditions& conditions);

/// A share over the time of all runs together; nothing if any run's share is unknown.
std::optional<double> share_of(std::span<const Run> runs,
                               std::optional<double> RunConditions::*share);

/// Sets each row's flags, the reasons to doubt that its figures are the machine's: by its own runs
/// and limit, and, where the runs are too few and too short to tell, by the conditions during the
/// whole `job`. Rows with an error have none. Replaces earlier flags.
void flag_rows(std::span<Row> rows, const RunConditions& job = {});

/// A warning for each kind of flag that any row has: its text for the first such row, and how many
/// rows have it.
std::vector<std::string> describe_flags(std::span<const Row> rows);

}  // namespace quartet::bench

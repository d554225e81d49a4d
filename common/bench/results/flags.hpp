#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// The share of its cores' time that something took from a run, from which on the run is disturbed.
inline constexpr double disturbing_share = 0.05;

/// Whether steal or other processes disturbed a run. Both are counted in ticks of 10 ms by
/// sampling, so that six ticks more are asked for: in a quiet run they may appear by chance.
bool is_disturbed(const RunConditions& conditions);

/// A share over all runs together; nothing if it is not known of one of them.
std::optional<double> share_of(std::span<const Run> runs,
                               std::optional<double> RunConditions::*share);

/// Gives each row the reasons to doubt that its figures are the machine's: from its own runs and
/// limit, and, where these are too few and too short to tell, from what went on during the whole
/// `job`. Rows with an error have none. Replaces the flags of before.
void flag_rows(std::span<Row> rows, const RunConditions& job = {});

/// A warning for each kind of flag that there is: how many rows have it, and the first of them in
/// words.
std::vector<std::string> describe_flags(std::span<const Row> rows);

}  // namespace quartet::bench

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// Gives each row the reasons to doubt that its figures are the machine's, from its own runs and
/// probes; clocks are compared with the job's best. Rows with an error have none. A row of the
/// paper's clock has those of the row whose runs it shares. Replaces the flags of before.
void flag_rows(std::span<Row> rows);

/// A warning for each kind of flag that there is: how many rows have it, and the worst or first of
/// them in words.
std::vector<std::string> describe_flags(std::span<const Row> rows);

}  // namespace quartet::bench

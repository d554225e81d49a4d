#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// Gives each row the reasons for which its figures may not be the machine's, from its runs, its
/// probes and the rows beside it. Rows with an error have none, nor have those of the paper's
/// clocks, whose runs are judged in the row that they belong to. Replaces the flags of before.
void flag_rows(std::span<Row> rows);

/// Whether `library` is the library formulation's row of the same work as the native row `native`.
/// A data flow is not compared: its queue has a price.
bool is_library_of(const Row& native, const Row& library);

/// A warning for each kind of flag that there is: how many rows have it, and the worst or first of
/// them in words.
std::vector<std::string> describe_flags(std::span<const Row> rows);

}  // namespace quartet::bench

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/units.hpp"

namespace quartet::matmul {

/// One timed attempt, the same on all ranks.
struct Attempt {
    Seconds time;
    bool disturbed = false;  ///< by the rule that holds for measured runs
};

/// A candidate by its number and its best time.
struct Ranked {
    std::size_t candidate = 0;
    Attempt best;
};

/// Candidates 0 to count - 1, the fastest first. Each is tried once. Those that something disturbed
/// are tried again, in turn, until nothing does or all attempts together have taken `patience`. A
/// time that nothing disturbed counts before others; else the shortest does.
std::vector<Ranked> fastest_first(std::size_t count, Seconds patience,
                                  const std::function<Attempt(std::size_t)>& attempt);

}  // namespace quartet::matmul

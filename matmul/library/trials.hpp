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

/// Candidates 0 to count - 1, the fastest first. Each is tried once. Candidates whose trial was
/// disturbed are tried again in turn, until one trial of each is undisturbed or all attempts
/// together have taken `patience`. An undisturbed time counts before others; otherwise the shortest
/// does.
std::vector<Ranked> fastest_first(std::size_t count, Seconds patience,
                                  const std::function<Attempt(std::size_t)>& attempt);

}  // namespace quartet::matmul

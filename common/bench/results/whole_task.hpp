#pragma once

#include "bench/results/row.hpp"
#include "bench/results/stages.hpp"

namespace quartet::bench {

/// The median run of a row as a whole task: what its job took once, until the devices were ready,
/// and what each run takes anew. Empty for errors, clocks within a run, and what computed nothing.
WholeTask whole_task(const StageClock& job, const Row& row);

}  // namespace quartet::bench

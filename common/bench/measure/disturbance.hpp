#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// The one rule that says when a run was disturbed: when something took a twentieth of its cores'
/// time or more, and enough of it to be told from the counter's resolution.
inline constexpr double disturbing_share = 0.05;

/// A clock probe this many times the job's shortest is slow: changes of the clock alone stay below,
/// two hyperthreads of one core are above.
inline constexpr double slow_clock_probe = 1.75;

/// What disturbed something under these conditions. `best_clock_probe` is the shortest of the job,
/// in seconds; nothing is compared where it is not known.
///
/// Steal and other processes are counted in ticks of 10 ms, by sampling: they want six ticks more.
/// Threads that wait for a core are not judged if the job itself has more threads than cores.
/// Page faults count as 0.5 us each, major ones as 100 us. False alarms and detection: see
/// disturbance_test.cpp.
std::vector<Cause> causes_of(const RunConditions& conditions,
                             std::optional<double> best_clock_probe);

/// causes_of() the run itself and the probe right before it, each once.
std::vector<Cause> causes_of(const Run& run, std::optional<double> best_clock_probe);

/// How many disturbed runs the median tolerates: a quarter.
constexpr std::size_t tolerated_disturbances(std::size_t runs) {
    return runs == 0 ? 0 : (runs - 1) / 4;
}

/// A share over all runs together; nothing if it is not known of one of them.
std::optional<double> share_of(std::span<const Run> runs,
                               std::optional<double> RunConditions::*share);

/// The median of the runs' clock probes; nothing if it is not known of one of them.
std::optional<double> clock_probe_seconds(std::span<const Run> runs);

/// The shortest clock probe of all runs of all rows; nothing if there is none.
std::optional<double> best_clock_probe(std::span<const Row> rows);

/// What disturbed the runs, with figures: "other processes took 48% of the cores' time in 4 of 10
/// runs". Empty if no more runs were disturbed than their median tolerates.
std::string describe_disturbance(std::span<const Run> runs, std::optional<double> best_clock_probe);

/// By what GPUs were held back, in which runs for a twentieth of the time or more: "the GPU was at
/// its power limit in 4 of 6 runs (for 31% of their time)". Empty if in none.
std::string describe_held_back(std::span<const Run> runs);

}  // namespace quartet::bench

#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/row.hpp"

namespace quartet::bench {

/// What the hypervisor withheld of the time of `cores` that were kept busy for `real`, of that
/// time, from what had been stolen (comm::stolen_time) before and after; at most 1. Nothing where
/// either is not known.
std::optional<double> stolen_share(std::optional<Seconds> before, std::optional<Seconds> after,
                                   int cores, Seconds real);

/// That of all runs together; nothing where it is not known of one of them.
std::optional<double> stolen_share(std::span<const Run> runs);

/// Whether it was enough to change the figures: 5%, and ten ticks of its clock.
bool is_disturbed(std::span<const Run> runs);

/// A warning for all rows together, where some are disturbed; without errors and the paper's
/// clocks.
std::optional<std::string> describe_disturbance(std::span<const Row> rows);

}  // namespace quartet::bench

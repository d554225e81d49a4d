#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/report/row.hpp"

namespace quartet::bench {

/// What the hypervisor withheld of the time of `cores` that were kept busy for `real`, of that
/// time, from what had been stolen (comm::steal_time) before and after; at most 1. Nothing where
/// either is not known.
std::optional<double> steal_share(std::optional<Seconds> before, std::optional<Seconds> after,
                                  int cores, Seconds real);

/// That of all runs together; nothing where it is not known of one of them.
std::optional<double> steal_share(std::span<const Run> runs);

/// Whether it was enough to change the figures: 5%, and ten ticks of its clock.
bool is_disturbed(std::span<const Run> runs);

/// The runs' median; nothing where it is not known of one of them.
std::optional<double> clock_probe_seconds(std::span<const Run> runs);

/// Warnings, each for all rows together, where some have lost time to the hypervisor, or were
/// measured on cores at 4/7 of their own best speed or less. Errors and the paper's clocks are left
/// out.
std::vector<std::string> describe_disturbances(std::span<const Row> rows);

}  // namespace quartet::bench

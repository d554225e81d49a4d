#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/report/row.hpp"

namespace quartet::bench {

/// The share of time that the hypervisor withheld ("steal") from `cores` that were busy for `real`:
/// from system::steal_time before and after. At most 1; nothing where either is not known.
std::optional<double> steal_share(std::optional<Seconds> before, std::optional<Seconds> after,
                                  int cores, Seconds real);

/// The share of all runs together; nothing where it is not known of one of them.
std::optional<double> steal_share(std::span<const Run> runs);

/// Whether steal was enough to change the figures: 5%, and ten ticks of its clock.
bool is_disturbed(std::span<const Run> runs);

/// The median of the runs' clock probes; nothing where it is not known of one of them.
std::optional<double> clock_probe_seconds(std::span<const Run> runs);

/// At most two warnings for all rows together: that rows lost time to the hypervisor, and that
/// cores ran at 4/7 of their own best speed or less. Error rows and the paper's clocks do not
/// count.
std::vector<std::string> describe_disturbances(std::span<const Row> rows);

}  // namespace quartet::bench

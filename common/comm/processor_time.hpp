#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/units.hpp"

namespace quartet::comm {

/// How many processors' time the control group of this process, and those above it, let their
/// members have together (cpu.max; v1: cpu.cfs_quota_us over cpu.cfs_period_us): 1.5 of a container
/// started with --cpus=1.5. Nothing where there is no such limit. `root` is where proc/ and sys/
/// are; other than "/" in tests. Local.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

/// Time, since the system started, in which something wanted to run on these processors (OS
/// numbers) and the hypervisor ran another machine there: "steal" in proc(5), all of them together,
/// counted in ticks, of 10 ms as a rule. 0 on a machine that is not virtual, and where the
/// hypervisor does not tell. `root` likewise. Local.
Seconds stolen_time(std::span<const int> processors, const std::filesystem::path& root = "/");

}  // namespace quartet::comm

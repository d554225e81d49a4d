#pragma once

#include <filesystem>
#include <optional>

namespace quartet::system {

/// How many processors' time the control group of this process, and those above it, let their
/// members have together (cpu.max; v1: cpu.cfs_quota_us over cpu.cfs_period_us): 1.5 in a container
/// started with --cpus=1.5. Nothing where there is no such limit. `root` is where proc/ and sys/
/// are; other than "/" in tests. Local.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

}  // namespace quartet::system

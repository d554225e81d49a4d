#pragma once

#include <filesystem>
#include <optional>

namespace quartet::system {

/// The processor limit of this process's control group and of those above it, in processors
/// (cpu.max; v1: cpu.cfs_quota_us over cpu.cfs_period_us): 1.5 in a container started with
/// --cpus=1.5. Nothing if there is no limit. `root` is the folder of proc/ and sys/; other than
/// "/" in tests. Local.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

}  // namespace quartet::system

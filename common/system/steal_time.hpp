#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/units.hpp"

namespace quartet::system {

/// Steal time since boot, summed over these processors (OS numbers): how long work was ready to run
/// but the hypervisor ran something else ("steal" in proc(5)), in ticks of usually 10 ms. Nothing
/// where it is not counted or has always been 0: on a machine that is not virtual, or under a
/// hypervisor that does not report it. `root` is the folder of proc/; other than "/" in tests.
/// Local.
std::optional<Seconds> steal_time(std::span<const int> processors,
                                  const std::filesystem::path& root = "/");

}  // namespace quartet::system

#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/units.hpp"

namespace quartet::system {

/// For how long, since the system started, something wanted to run on these processors (OS numbers)
/// and the hypervisor did not let it: "steal" in proc(5), all of them together, counted in ticks,
/// of 10 ms as a rule. Nothing where that is not counted, or never was more than 0: on a machine
/// that is not virtual, or by a hypervisor that does not tell. `root` is where proc/ is; other than
/// "/" in tests. Local.
std::optional<Seconds> steal_time(std::span<const int> processors,
                                  const std::filesystem::path& root = "/");

}  // namespace quartet::system

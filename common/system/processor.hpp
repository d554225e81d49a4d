#pragma once

#include <string>
#include <string_view>

namespace quartet::system {

/// The name of the first processor in the text of /proc/cpuinfo. Arm's kernel gives numbers
/// instead, of which the best-known have their names here. "processor of unknown model" where
/// nothing is told.
std::string processor_name(std::string_view cpuinfo);

}  // namespace quartet::system

#pragma once

#include <string_view>

namespace quartet::device {

/// Whether this processor, and the system on it, can run the instruction set `isa`. Local.
bool processor_has(std::string_view isa);

}  // namespace quartet::device

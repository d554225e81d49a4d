#pragma once

#include <memory>

#include "device/multiply_add_probe.hpp"

namespace quartet::device {

/// A probe with `threads` threads of this process at once. It takes the fastest of its loops, which
/// differ in their instruction set and their number of registers.
std::unique_ptr<MultiplyAddProbe> make_host_multiply_add_probe(FloatFormat format, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/multiply_add_probe.hpp"

namespace quartet::device {

/// A probe of `threads` threads of this process at once. Of the instruction sets of this processor,
/// and several numbers of registers, the fastest counts.
std::unique_ptr<MultiplyAddProbe> make_host_multiply_add_probe(FloatFormat format, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// Why no CUDA device can be had here (no support in this build, no driver, no GPU), or nothing.
std::optional<std::string> why_no_cuda();

/// A CUDA device. Throws Unavailable with why_no_cuda()'s words.
std::unique_ptr<Device> make_cuda_device(Trace& trace);

}  // namespace quartet::device

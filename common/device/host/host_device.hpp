#pragma once

#include <memory>

#include "core/trace.hpp"
#include "device/device_registry.hpp"
#include "device/host/loops/loops.hpp"
#include "device/host/runtime/host_stream.hpp"

namespace quartet::device {

struct HostSettings {
    int threads = 1;  ///< OpenMP threads of one operation, 1 to DeviceSettings::most_threads
    const Loops* loops = &best_loops();
    HostStreams streams = HostStreams::inline_call;  ///< for computing; others are threaded
};

/// The CPU as a device: OpenMP loops and CBLAS behind the interfaces. `trace` must outlive it. The
/// BLAS library has one thread count for the process, which the device made last has set.
std::unique_ptr<Device> make_host_device(const HostSettings& settings, Trace& trace);

DeviceKind host_device();

/// A probe with `threads` threads of this process at once. It takes the fastest of its loops, which
/// differ in their instruction set and their number of registers.
std::unique_ptr<MultiplyAddProbe> make_host_multiply_add_probe(FloatFormat format, int threads);

}  // namespace quartet::device

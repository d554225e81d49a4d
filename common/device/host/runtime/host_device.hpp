#pragma once

#include <memory>

#include "core/trace.hpp"
#include "device/registry.hpp"

namespace quartet::device {

/// How a host stream runs what is enqueued.
enum class HostStreams {
    inline_call,  ///< at once, in the calling thread
    threaded,     ///< by a worker thread of the stream's own
};

/// The most threads of one operation: it bounds what operations keep on the stack.
inline constexpr int maximum_host_threads = DeviceSettings::most_threads;

struct HostSettings {
    int threads = 1;  ///< OpenMP threads of one operation, 1 to maximum_host_threads
    HostStreams streams = HostStreams::inline_call;  ///< those that compute; others are threaded
};

/// The CPU as a device: OpenMP loops, CBLAS and FFTW behind the interfaces. `trace` outlives it.
/// The BLAS library's thread count is one for the process: that of the device made last.
std::unique_ptr<Device> make_host_device(const HostSettings& settings, Trace& trace);

}  // namespace quartet::device

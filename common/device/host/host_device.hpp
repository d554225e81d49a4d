#pragma once

#include <memory>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// How a host stream runs what is enqueued.
enum class HostStreams {
    inline_call,  ///< at once, in the calling thread
    threaded,     ///< by a worker thread of the stream's own
};

struct HostSettings {
    int threads = 1;  ///< OpenMP threads of one operation
    HostStreams streams = HostStreams::inline_call;
};

/// The CPU as a device: OpenMP loops, CBLAS and FFTW behind the interfaces. `trace` outlives it.
std::unique_ptr<Device> make_host_device(const HostSettings& settings, Trace& trace);

}  // namespace quartet::device

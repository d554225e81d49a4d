#pragma once

#include <functional>
#include <memory>

#include "core/units.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// How a host stream runs what is enqueued.
enum class HostStreams {
    inline_call,  ///< at once, in the calling thread
    threaded,     ///< by a worker thread of the stream's own
};

/// A stream that runs its work in the calling thread or on a thread of its own; nothing allocates
/// once it is made. The main thread alone calls it. The thread that does the work writes to the
/// track: read it, or add to it, after synchronize() only.
std::unique_ptr<Stream> make_host_stream(HostStreams kind, Track& track);

/// An event of host streams, of either kind. May be destroyed at any time, even while streams still
/// wait for its recording.
std::unique_ptr<Event> make_host_event();

/// Device::time() of the host, by the clock of the thread that enqueues.
Seconds time_by_clock(int times, const std::function<void()>& enqueue, Stream& stream);

}  // namespace quartet::device

#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "core/trace.hpp"

namespace quartet::device {

/// A call to be made later, stored in place: streams must not allocate inside a timed step, as
/// std::function may. Takes any trivially copyable callable of at most `capacity` bytes.
class Task {
  public:
    static constexpr std::size_t capacity = 128;

    Task() = default;

    template <typename Callable>
    requires(!std::is_same_v<std::decay_t<Callable>, Task>)
        Task(Callable&& callable) {  // implicit, so that a lambda is passed as it is
        using Stored = std::decay_t<Callable>;
        static_assert(sizeof(Stored) <= capacity && alignof(Stored) <= alignof(std::max_align_t));
        static_assert(std::is_trivially_copyable_v<Stored>,
                      "a task captures pointers, views and numbers only");
        ::new (static_cast<void*>(storage_)) Stored(std::forward<Callable>(callable));
        call_ = &call<Stored>;
    }

    void operator()() { call_(storage_); }

  private:
    template <typename Stored>
    static void call(void* stored) {
        (*static_cast<Stored*>(stored))();
    }

    alignas(std::max_align_t) std::byte storage_[capacity];
    void (*call_)(void*) = nullptr;
};

/// The purpose of a stream.
enum class StreamKind {
    compute,   ///< operations
    transfer,  ///< reading ahead, writing behind, copies: runs beside the stream that computes
};

/// A point in a stream that other streams and the CPU can wait for. Reusable: recording again
/// moves it. Belongs to the device that made it.
class Event {
  public:
    virtual ~Event() = default;
    /// Blocks the calling thread until the last recording has been reached; returns at once where
    /// nothing was recorded.
    virtual void synchronize() = 0;
    /// Whether the last recording has been reached; true if nothing was recorded.
    [[nodiscard]] virtual bool reached() = 0;
};

/// An in-order queue of work. Operations enqueued on one stream run one after another; between
/// streams nothing is ordered except by events. An operation's memory, and the plan or library
/// handle behind it, must live until the work is synchronised. Used by the main thread only.
///
/// The next synchronize() throws an error of the work; until then the stream skips later work, and
/// afterwards it works as before. Skipped work counts as done, so that nothing waits for ever: to
/// learn of an error, a caller that waits for the stream's events must synchronise the stream, too.
/// Destroying a stream finishes its work and drops an error that synchronize() has not thrown.
class Stream {
  public:
    virtual ~Stream() = default;

    /// Host work in stream order, accounted to `phase` on the stream's track under `label` (a
    /// string literal).
    virtual void enqueue(Phase phase, const char* label, Task task) = 0;
    /// Marks the work enqueued so far.
    virtual void record(Event& event) = 0;
    /// Later work of this stream waits for the event's last recording before this call, if any;
    /// the caller does not block. Recording the event again does not change that.
    virtual void wait(Event& event) = 0;
    /// Blocks until everything enqueued has been done; throws what the work threw first.
    virtual void synchronize() = 0;
    /// The track of the stream's spans; a transport adds its own spans there. Touched by the main
    /// thread after synchronize() only.
    virtual Track& track() = 0;
};

/// Enqueues operations of the device, and no work of the host, on the given stream. For
/// Device::record, they must not use events.
using Operations = std::function<void(Stream& stream)>;

}  // namespace quartet::device

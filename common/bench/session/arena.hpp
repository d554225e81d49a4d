#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/session/buffer_plan.hpp"
#include "comm/transport/transport.hpp"
#include "core/check.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// Where a rank's buffers come from. An arena that counts hands out buffers that have a size but no
/// memory, and sums what they would take; an arena that allocates hands out the same buffers with
/// their memory. A struct whose constructor takes an Arena is therefore written once: built over a
/// counting arena it says what a case will need, built over an allocating one it is the case's
/// memory.
///
///     struct Buffers {
///         explicit Buffers(Arena& arena, std::int64_t rows) : x(arena.make<double>(rows)) {}
///         device::Buffer<double> x;
///     };
class Arena {
  public:
    /// One that counts.
    Arena() = default;
    /// One that allocates, windows from the transport. Borrows both.
    Arena(device::Device& device, comm::Transport& transport)
        : device_(&device), transport_(&transport) {}
    /// One that allocates and has no windows. Borrows the device.
    explicit Arena(device::Device& device) : device_(&device) {}

    /// `count` elements. Collective for a window where it allocates, else local. Throws Failure for
    /// a window where there is no transport, and for Room::host_window: only transports make those.
    template <typename T>
    device::Buffer<T> make(std::int64_t count, Room room = Room::device) {
        this->count(bytes_of<T>(count), room);
        if (device_ == nullptr) {
            return {{.data = nullptr, .size = bytes_of<T>(count)}, count};
        }
        return {allocate(bytes_of<T>(count), room), count};
    }

    /// `count` elements that the CPU alone uses; empty where the arena counts. Local.
    template <typename T>
    std::vector<T> make_vector(std::int64_t count) {
        this->count(bytes_of<T>(count), Room::host);
        return std::vector<T>(device_ == nullptr ? 0 : static_cast<std::size_t>(count));
    }

    /// Counts memory that others allocate. Local.
    void count(Bytes size, Room room) { counted_.add(size, room); }
    void count(const comm::PayloadMemory& memory) { counted_.add(memory); }
    void count(const Arena& other) { counted_.add(other.counted_); }

    /// What has been handed out and counted so far.
    [[nodiscard]] const BufferPlan& counted() const { return counted_; }

  private:
    device::Allocation allocate(Bytes size, Room room);

    device::Device* device_ = nullptr;
    comm::Transport* transport_ = nullptr;
    BufferPlan counted_;
};

/// Makes what was counted the memory that the case announces. Local.
inline void announce(const Arena& arena, Session& session, PlannedCase& planned) {
    announce(arena.counted(), session, planned);
}

}  // namespace quartet::bench

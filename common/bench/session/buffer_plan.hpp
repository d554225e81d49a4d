#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/session/session.hpp"
#include "comm/transport/operation_memory.hpp"
#include "core/check.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// Whose memory a buffer takes.
enum class Room {
    device,         ///< the device's own
    host,           ///< the CPU's, where the device can reach it
    device_window,  ///< the device's, from a transport
    host_window,    ///< the CPU's, in windows that the ranks of a node share
};

/// A buffer of `count` elements of T before it is allocated.
template <typename T>
struct PlannedBuffer {
    std::int64_t count = 0;
    Room room = Room::device;
};

/// The memory that a rank will allocate. Each buffer is described once: add() counts it, and
/// allocate() makes it from what add() has returned.
class BufferPlan {
  public:
    template <typename T>
    PlannedBuffer<T> add(std::int64_t count, Room room = Room::device) {
        add(bytes_of<T>(count), room);
        return {count, room};
    }
    /// Counts memory that others allocate.
    void add(Bytes size, Room room) {
        Bytes& sum = sums_.at(static_cast<std::size_t>(room));
        sum = sum + size;
        if (room == Room::device_window) {
            device_windows_.push_back(size);
        }
    }

    void add(const comm::PayloadMemory& memory) {
        add(memory.host, Room::host);
        add(memory.windows, Room::host_window);
        if (memory.gpu > Bytes{}) {
            add(memory.gpu, Room::device_window);
        }
    }
    void add(const BufferPlan& other) {
        for (std::size_t room = 0; room < sums_.size(); ++room) {
            sums_[room] = sums_[room] + other.sums_[room];
        }
        device_windows_.insert(device_windows_.end(), other.device_windows_.begin(),
                               other.device_windows_.end());
    }

    /// What the device needs of its own memory, where it has such.
    [[nodiscard]] Bytes device() const { return in(Room::device) + in(Room::device_window); }
    /// The same where each window takes whole blocks of the device's memory, at least one.
    [[nodiscard]] Bytes device_in_blocks(Bytes block) const;
    [[nodiscard]] Bytes host() const { return in(Room::host) + in(Room::host_window); }
    [[nodiscard]] Bytes in(Room room) const { return sums_.at(static_cast<std::size_t>(room)); }

  private:
    std::array<Bytes, 4> sums_{};
    std::vector<Bytes> device_windows_;
};

/// What the transport's operations allocate in this session. Local.
comm::OperationMemory operation_memory(Session& session, const std::string& transport);

/// Makes the plan the memory that the case announces. Local.
void announce(const BufferPlan& plan, Session& session, PlannedCase& planned);

/// Local. Throws Failure for a window.
template <typename T>
device::Buffer<T> allocate(const PlannedBuffer<T>& planned, device::Device& device) {
    check(planned.room == Room::device || planned.room == Room::host, "a window without transport");
    return device::allocate<T>(
        device, planned.count,
        planned.room == Room::host ? device::MemoryKind::pinned : device.memory_kind());
}

/// Collective. Throws Failure for anything but a window.
template <typename T>
device::Buffer<T> allocate(const PlannedBuffer<T>& planned, comm::Transport& transport) {
    check(planned.room == Room::device_window, "a transport's memory outside of a window");
    return comm::allocate<T>(transport, planned.count);
}

}  // namespace quartet::bench

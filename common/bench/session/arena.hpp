#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "core/check.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// Whose memory a buffer takes.
enum class Room {
    device,         ///< the device's own
    host,           ///< the CPU's, where the device can reach it
    device_window,  ///< the device's, from a transport
    host_shared,    ///< the CPU's, in memory that the ranks of a node share
};

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

    /// `count` elements. Collective for a window that is allocated, else local. Throws Failure for
    /// a window if there is no transport, and for Room::host_shared: others make that.
    template <typename T>
    device::Buffer<T> make(std::int64_t count, Room room = Room::device) {
        this->count(bytes_of<T>(count), room);
        if (device_ == nullptr) {
            return {{.data = nullptr, .size = bytes_of<T>(count)}, count};
        }
        return {allocate(bytes_of<T>(count), room), count};
    }

    /// `count` elements that the CPU alone uses; empty if the arena counts. Local.
    template <typename T>
    std::vector<T> make_vector(std::int64_t count) {
        this->count(bytes_of<T>(count), Room::host);
        return std::vector<T>(device_ == nullptr ? 0 : static_cast<std::size_t>(count));
    }

    /// Counts memory that others allocate. Local.
    void count(Bytes size, Room room = Room::host);
    void count(const Arena& other);

    /// The sum so far in the device's own memory, if it has such.
    [[nodiscard]] Bytes device() const { return in(Room::device) + in(Room::device_window); }
    /// The same if each window takes whole blocks of the device's memory, at least one.
    [[nodiscard]] Bytes device_in_blocks(Bytes block) const;
    [[nodiscard]] Bytes host() const { return in(Room::host) + in(Room::host_shared); }
    [[nodiscard]] Bytes in(Room room) const { return sums_.at(static_cast<std::size_t>(room)); }

  private:
    device::Allocation allocate(Bytes size, Room room);

    device::Device* device_ = nullptr;
    comm::Transport* transport_ = nullptr;
    std::array<Bytes, 4> sums_{};
    std::vector<Bytes> device_windows_;
};

/// The memory that the transport's operations allocate in this session. Local.
comm::OperationMemory operation_memory(Session& session, const std::string& transport);

/// Makes what the arena has counted the memory that the case announces. Local.
void announce(const Arena& arena, Session& session, PlannedCase& planned);

}  // namespace quartet::bench

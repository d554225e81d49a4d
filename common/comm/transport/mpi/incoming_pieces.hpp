#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport_traits.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// How a vector goes in messages.
struct PieceSettings {
    Bytes piece;        ///< of a message at most; whole cache lines
    int under_way = 1;  ///< messages for which a receiver has memory at a time

    [[nodiscard]] Bytes memory() const { return under_way * piece; }
};

/// Pieces of --chunk: one is added while the next arrives. Without the pipeline one at a time, as
/// large as MPI counts. `vector` is the size of the largest vector.
PieceSettings pieces_of(Bytes vector, const TransportSettings& settings);

/// Receives pieces that come one after the other into memory for a few, small enough to stay in the
/// cache: what reads a piece then reads it from there, not from main memory. All members are local.
class IncomingPieces {
  public:
    /// All outlive it.
    IncomingPieces(const Communicator& comm, device::Device& device, Track& track,
                   device::MemoryKind kind, const PieceSettings& settings);

    [[nodiscard]] int under_way() const { return static_cast<int>(slots_.size()); }
    /// Starts receiving a piece of just `size` bytes. Pieces are numbered; the one `under_way()`
    /// before has been used.
    void post(std::int64_t number, Bytes size, int from, int tag);
    /// Waits for a piece. Throws Failure if it has another size.
    device::View<const std::byte> wait(std::int64_t number);
    /// Waits for a piece and calls `use(first, part)` with its parts from the first to the last.
    /// Calls MPI between parts, so that senders can start the next piece.
    template <typename Use>
    void use(std::int64_t number, Use use) {
        const auto piece = wait(number);
        for (std::int64_t first = 0; first < piece.size(); first += used_at_once_) {
            use(first, piece.part(first, std::min(used_at_once_, piece.size() - first)));
            progress();
        }
    }

  private:
    /// The state of a piece that has been posted.
    struct Slot {
        MPI_Request request = MPI_REQUEST_NULL;
        int expected = 0;  ///< bytes
        int came = 0;      ///< bytes
    };

    [[nodiscard]] std::size_t index(std::int64_t number) const {
        return static_cast<std::size_t>(number) % slots_.size();
    }
    void progress();

    const Communicator& comm_;
    Track& track_;
    Bytes piece_;
    std::int64_t used_at_once_;  ///< bytes
    device::Buffer<std::byte> memory_;
    std::vector<Slot> slots_;
};

}  // namespace quartet::comm

#pragma once

#include <span>
#include <string>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// Bytes that one rank moves between two levels of memory: files and host, or host and GPU.
struct Traffic {
    Bytes read;     ///< of A and B
    Bytes written;  ///< of C

    [[nodiscard]] Bytes sum() const { return read + written; }
};

/// C = A B in one way, its data in place before the clock starts. One class for each way: resident
/// in memory, by a schedule in bounded memory, data flow, library.
class Product {
  public:
    virtual ~Product() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// The timed step: all products, with the results stored. `stream` computes; all work is done
    /// on return. Does not allocate.
    virtual void run(device::Stream& stream) = 0;
    /// After a run, outside of the time: brings the result to where result() reads it. Collective.
    virtual void collect() {}

    /// A tile of A in one of this rank's tile rows, or of B in one of its tile columns, for the
    /// check. The span stays valid until the next call of any member. Throws Failure if it
    /// cannot be read.
    virtual std::span<const float> input(Operand operand, TileIndex tile) = 0;
    /// A tile of C that the rank owns, of the last run. The same holds for the span.
    virtual std::span<const float> result(TileIndex tile) = 0;
    /// Tells whether this rank has the result of a tile of its block.
    [[nodiscard]] virtual bool owns(TileIndex /*tile*/) const { return true; }

    /// This rank's part of A and B in memory, which runs leave as it is; empty if they are in
    /// files. All ranks' parts together are all that the products read.
    [[nodiscard]] virtual device::View<const std::byte> input_memory() const { return {}; }
    /// How it ran, for people.
    [[nodiscard]] virtual std::string note() const = 0;
    /// Figures of the last run beside its time. Same answer on all ranks. Collective over `world`.
    [[nodiscard]] virtual bench::Details details(const comm::Communicator& /*world*/) const {
        return {};
    }
};

}  // namespace quartet::matmul

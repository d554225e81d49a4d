#pragma once

#include <span>
#include <string>

#include "bench/report/row.hpp"
#include "device/stream.hpp"
#include "matmul/native/schedule.hpp"

namespace quartet::matmul {

/// The tiles of a rank, wherever they are, for who checks the result. A span stays valid until the
/// next call of any member.
class TileReader {
  public:
    virtual ~TileReader() = default;

    /// A tile of A in one of the rank's tile rows, or of B in one of its tile columns. Throws
    /// Failure where it cannot be read.
    virtual std::span<const float> input(Operand operand, TileIndex tile) = 0;
    /// A tile of C that the rank owns, of the last run.
    virtual std::span<const float> result(TileIndex tile) = 0;
    /// Whether this rank has the result of a tile of its block.
    [[nodiscard]] virtual bool owns(TileIndex /*tile*/) const { return true; }
};

/// C = A B on one rank's block, its data where they are to be before the clock starts.
class Product : public TileReader {
  public:
    /// Before each run, outside of the time.
    virtual void prepare() = 0;
    /// The timed step: all products, and the results where they are to be. `stream` computes; all
    /// is done on return. Does not allocate.
    virtual void run(device::Stream& stream) = 0;
    /// After a run, outside of the time: brings the result to where result() reads it. Collective.
    virtual void collect() {}
    /// What is worth knowing about how it ran.
    [[nodiscard]] virtual std::string note() const = 0;
    /// Further figures of its own. Same answer on all ranks.
    [[nodiscard]] virtual bench::Details details() const { return {}; }
};

}  // namespace quartet::matmul

#pragma once

#include <span>
#include <string_view>

#include "device/stream.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// A tile of A or B that is brought to a slot; what the slot held is gone then.
struct Fetch {
    Operand operand = Operand::a;
    TileIndex tile;
    std::int64_t slot = 0;
    std::int64_t from = 0;  ///< the slot of the source behind, where there is one
};

/// The source of the tiles of A and B for a rank's products: memory, files that are read ahead into
/// slots, or slots of a GPU. Used by the main thread only.
class TileSource {
  public:
    virtual ~TileSource() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Begins to bring a tile to its slot, once the work that uses what the slot holds is done.
    virtual void fetch(const Fetch& fetch) = 0;
    /// A tile that was fetched, there for the stream's later work.
    virtual device::View<const float> tile(const Fetch& fetch, device::Stream& stream) = 0;
    /// The stream's work so far is the last that uses what a slot holds.
    virtual void release(std::int64_t slot, device::Stream& stream) = 0;
    /// Waits for what was fetched; throws what bringing it has thrown.
    virtual void synchronize() {}

    /// Brought in this run.
    [[nodiscard]] virtual Bytes fetched() const { return {}; }
    /// Between runs: a tile of any matrix that lies here, on the CPU; valid until the next call of
    /// any member.
    virtual std::span<const float> read(std::string_view matrix, TileIndex tile) = 0;
    /// This rank's part of A and B in memory; empty if they are in files.
    [[nodiscard]] virtual device::View<const std::byte> memory() const { return {}; }
};

}  // namespace quartet::matmul

#pragma once

#include <memory>

#include "device/device.hpp"
#include "matmul/dataflow/dataflow_layout.hpp"

namespace quartet::matmul {

/// A partial tile, and the tile of C that it is added to.
struct SumTerm {
    device::View<const float> partial;
    device::View<float> result;  ///< in the host's memory
    bool first = false;          ///< of the tile: nothing was added before
    bool last = false;
};

/// How a reducer adds partial tiles up to tiles of C in the host's memory. Terms of one tile come
/// one after another. The stream is the one that the reducer computes on.
class TileSums {
  public:
    virtual ~TileSums() = default;

    virtual void add(const SumTerm& term, device::Stream& stream) = 0;
    /// Waits until the partial tiles so far are not read any more.
    virtual void release_terms(device::Stream& stream) = 0;
    /// The stream after whose work so far the last tile is complete.
    virtual device::Stream& completing(device::Stream& stream) = 0;
    /// Waits for all tiles; throws what the work has thrown.
    virtual void finish(device::Stream& stream) = 0;

    /// Copied to the GPU and from it, in this run.
    [[nodiscard]] virtual Bytes copied_in() const { return {}; }
    [[nodiscard]] virtual Bytes copied_out() const { return {}; }
    /// Before each run.
    virtual void restart() {}
};

/// Tiles that sums take where they are made: none on the CPU.
std::int64_t tiles_of_sums(const DataflowPlaces& places);

/// On the CPU in the tiles of C themselves. On a GPU in two tiles of its memory, each copied out
/// when it is complete; partial tiles of the host's memory are copied in beside the sums. `memory`
/// has tiles_of_sums(); `device` is borrowed.
std::unique_ptr<TileSums> make_tile_sums(const Problem& problem, device::Device& device,
                                         device::Buffer<float> memory);

}  // namespace quartet::matmul

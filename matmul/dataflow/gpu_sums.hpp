#pragma once

#include <array>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "matmul/dataflow/dataflow_shape.hpp"
#include "matmul/problem/product.hpp"

namespace quartet::matmul {

/// A partial tile, and the tile of C that it is added to.
struct SumTerm {
    device::View<const float> partial;
    device::View<float> result;  ///< in the host's memory
    bool first = false;          ///< of the tile: nothing was added before
    bool last = false;
};

/// How a reducer on a GPU adds partial tiles up to tiles of C in the host's memory: in two tiles of
/// the GPU's memory, each copied out when it is complete; partial tiles of the host's memory are
/// copied in beside the sums. Terms of one tile come one after another. The stream is the one that
/// the reducer computes on.
class GpuSums {
  public:
    /// Tiles of the GPU's memory that it takes; none if reducers are on the CPU.
    static std::int64_t tiles(const DataflowShape& shape);
    /// `memory` has tiles(). The device is borrowed.
    GpuSums(const Problem& problem, device::Device& device, device::Buffer<float> memory);

    void add(const SumTerm& term, device::Stream& stream);
    /// Waits until the partial tiles so far are not read any more.
    void release_terms(device::Stream& stream);
    /// The stream after whose work so far the last tile is complete.
    [[nodiscard]] device::Stream& completing() { return *out_; }
    /// Waits for all tiles; throws what the work has thrown.
    void finish(device::Stream& stream);

    /// Bytes copied to the GPU and from it since restart().
    [[nodiscard]] const Traffic& copied() const { return copied_; }
    /// Before each run.
    void restart() { copied_ = {}; }

  private:
    static constexpr std::size_t sums_held = 2;  ///< one is added to, the one before is copied out

    /// A tile of the GPU's memory, and when it may be written to again.
    struct Slot {
        device::View<float> memory;
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };

    [[nodiscard]] bool copies_terms() const { return !terms_.empty(); }
    void begin_sum(const SumTerm& term, device::Stream& stream);
    void add_to_sum(const SumTerm& term, device::Stream& stream);
    void copy_in(device::View<const float> from, Slot& slot, device::Stream& stream);
    void copy_out(const SumTerm& term, device::Stream& stream);
    [[nodiscard]] Slot& sum() { return sums_.at(static_cast<std::size_t>(begun_) % sums_held); }

    device::Device& device_;
    device::Buffer<float> memory_;
    std::array<Slot, sums_held> sums_;
    std::vector<Slot> terms_;        ///< for partial tiles that lie on the host
    std::int64_t begun_ = 0;         ///< sums
    std::int64_t terms_copied_ = 0;  ///< partial tiles
    Traffic copied_;
    std::unique_ptr<device::Stream> in_;
    std::unique_ptr<device::Stream> out_;
};

}  // namespace quartet::matmul

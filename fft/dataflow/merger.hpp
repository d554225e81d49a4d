#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/session/arena.hpp"
#include "core/block_range.hpp"
#include "device/device.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// The reducer's part of the data flow: it multiplies the tiles by their twiddles as they arrive,
/// and transforms over all tiles. The result is in natural order.
class Merger {
  public:
    virtual ~Merger() = default;

    /// Enqueues the work for one tile; `blocks` is its transform, the SIMD blocks of
    /// FourStepFft{1, M, 1, 0}. Each tile once before each finish(), in any order; fastest in
    /// that of merge_order().
    virtual void add(std::int64_t tile, device::View<const double> blocks,
                     device::Stream& stream) = 0;
    /// Enqueues the rest of the work.
    virtual void finish(device::Stream& stream) = 0;
    /// X in natural order, N points; scratch memory before finish().
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// The input of finish(): the SIMD blocks that the row FFTs transform, at least 2 N doubles.
    [[nodiscard]] virtual device::View<const double> row_input() const = 0;
};

/// The buffers of a merger, in the memory that its device computes on: `room` says whose that is.
struct MergerBuffers {
    MergerBuffers(bench::Arena& arena, const Problem& problem,
                  bench::Room room = bench::Room::device);

    device::Buffer<double> row_input;
    device::Buffer<Point> result;
};

/// A merger that transforms groups of tiles as they become complete, if the device has partial row
/// FFTs for the shape; otherwise one that leaves all row FFTs to finish().
std::unique_ptr<Merger> make_merger(device::Device& device, const Problem& problem);

/// The tiles [mine.begin, mine.end) in the order in which groups become complete.
std::vector<std::int64_t> merge_order(device::Device& device, const Problem& problem,
                                      const Range& mine);

}  // namespace quartet::fft

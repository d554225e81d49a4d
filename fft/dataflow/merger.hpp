#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/block_range.hpp"
#include "device/device.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// What the merger of the data flow does with its tiles: factors, then the sums over all of them.
/// Where the device can sum groups of tiles, a group's sums are made, a few cells with each tile
/// that comes, once the group is there; what remains after the last tile is its group and one pass
/// over the groups. Elsewhere all sums are left to the end.
class Merger {
  public:
    Merger(device::Device& device, const Problem& problem);

    /// Takes the cells of a tile's transform, FourStepFft{1, M, 1, 0}, on the stream. All tiles
    /// once before each finish(), in any order; best in that of merge_order().
    void place(std::int64_t tile, device::View<const double> cells, device::Stream& stream);
    /// The result is there when the stream has done this.
    void finish(device::Stream& stream);
    /// X in natural order; before finish() the groups' cells are there.
    [[nodiscard]] device::View<Point> result() { return result_.view(); }
    /// Memory that it has: X, and the cells of all tiles.
    [[nodiscard]] static Bytes memory(const Problem& problem);
    /// What is read last: the cells that become the result.
    [[nodiscard]] device::View<const double> cells() const { return cells_.view(); }

  private:
    [[nodiscard]] device::View<double> members_of(std::int64_t group);
    [[nodiscard]] bool all_summed() const { return summed_groups_ == std::ssize(complete_); }
    void sum(std::int64_t cells, device::Stream& stream);

    std::unique_ptr<device::PartialRowFfts> groups_;  ///< null: all tiles are one group
    device::FourStepFft members_;
    device::Buffer<double> cells_;  ///< of all tiles, or of the groups' sums
    device::Buffer<Point> result_;
    std::unique_ptr<device::ScatterTile> scatter_tile_;
    std::unique_ptr<device::RowFfts> row_ffts_;
    std::vector<device::View<const double>> parts_;
    std::vector<std::int64_t> placed_;  ///< tiles, by group
    std::vector<std::int64_t> blocks_;  ///< where a group's cells are, by group; or none
    std::vector<std::int64_t> free_blocks_;
    std::vector<std::int64_t> complete_;  ///< groups, as they become so
    std::int64_t summed_groups_ = 0;      ///< of these
    std::int64_t summed_cells_ = 0;       ///< of the next one
};

/// A worker's tiles, [mine.begin, mine.end), in the order in which groups become complete.
std::vector<std::int64_t> merge_order(device::Device& device, const Problem& problem,
                                      const Range& mine);

}  // namespace quartet::fft

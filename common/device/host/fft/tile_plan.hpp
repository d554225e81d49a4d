#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "device/four_step_fft.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/fft/two_levels.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// Strips of adjacent indices, one in each lane, that cover [0, count): as in TileFft.
struct Strips {
    std::int64_t count;
    std::int64_t lanes;
    [[nodiscard]] std::int64_t strips() const { return divide_up(count, lanes); }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        return std::min(strip * lanes, count - lanes);
    }
};

/// The sizes of what the loops keep for a tile of M = A B points, in doubles.
struct TileSizes {
    TwoLevels levels;
    std::int64_t lanes;

    [[nodiscard]] std::int64_t stages() const {
        return 4 * lanes * std::max(levels.first, levels.second);
    }
    [[nodiscard]] std::int64_t row_strips() const { return divide_up(levels.first, lanes); }
    [[nodiscard]] std::int64_t column_strips() const { return divide_up(levels.second, lanes); }
    [[nodiscard]] std::int64_t scratch() const {
        return levels.first * (column_strips() + 1) * 2 * lanes;
    }
    [[nodiscard]] std::int64_t halves() const { return 2 * lanes * levels.second; }
    [[nodiscard]] std::int64_t unsorted() const {
        return 2 * (levels.first * levels.second + FourStepFft::block_bins);
    }
    [[nodiscard]] std::int64_t outer_twiddles() const { return row_strips() * 2 * lanes; }
    [[nodiscard]] std::int64_t inner_twiddles() const { return 2 * levels.second; }
    [[nodiscard]] std::int64_t workspace() const {
        return stages() + scratch() + halves() + unsorted() + outer_twiddles() + inner_twiddles();
    }
    [[nodiscard]] std::int64_t middle_twiddles() const {
        return column_strips() * levels.first * 2 * lanes;
    }
    [[nodiscard]] std::int64_t row_twiddles() const { return 2 * levels.second; }
};

/// Memory of the host that one thread works in.
Buffer<double> host_doubles(std::int64_t size);

/// One thread's memory for a tile. All sizes but the last two are multiples of a cache line.
struct TileWorkspace {
    explicit TileWorkspace(const TileSizes& sizes);

    Buffer<double> memory;
    TileWork work{};
};

/// The tables of the FFT of a tile.
class TilePlan {
  public:
    TilePlan(const TwoLevels& levels, const Loops& loops);

    [[nodiscard]] const TileSizes& sizes() const { return sizes_; }
    [[nodiscard]] const FftLoops& loops() const { return loops_.ffts; }
    [[nodiscard]] std::int64_t lanes() const { return sizes_.lanes; }
    /// Strips of b, and of ka.
    [[nodiscard]] std::int64_t column_strips() const { return sizes_.column_strips(); }
    [[nodiscard]] Strips row_strips() const { return {sizes_.levels.first, sizes_.lanes}; }
    /// Borrows the tables.
    [[nodiscard]] TileFft fft(std::span<const TargetBlock> blocks, bool whole_blocks,
                              bool past_caches) const {
        return {first_.fft(),
                second_.fft(),
                middle_twiddles_.view().data(),
                second_.has_points_in_lanes() ? row_twiddles_.view().data() : nullptr,
                blocks.data(),
                std::ssize(blocks),
                whole_blocks,
                past_caches};
    }
    /// "64 x 128 in 8 lanes"
    [[nodiscard]] std::string description() const;

  private:
    TileSizes sizes_;
    const Loops& loops_;
    SmallFftPlan first_;   ///< A
    SmallFftPlan second_;  ///< B
    Buffer<double> middle_twiddles_;
    Buffer<double> row_twiddles_;
};

/// The two lengths of a tile's FFT; nothing if there are none.
std::optional<TwoLevels> tile_levels(std::int64_t length, const Loops& loops);

}  // namespace quartet::device

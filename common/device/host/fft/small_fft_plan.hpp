#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/four_step_fft.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// What the vectors of a SmallFft hold: a point of each of many transforms, or, before the last
/// stage, adjacent points of one (FftLoops: rows of a tile).
enum class Lanes { transforms, points };

/// The stages of an FFT of up to 256 points, for the loops of any instruction set.
class SmallFftPlan {
  public:
    static constexpr int longest = 256;
    static constexpr int most_lanes = 8;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// Cost per point where a core has so many vector registers, relative to one stage of radix 8.
    /// Throws Failure unless supported.
    [[nodiscard]] static double cost(std::int64_t length, int registers,
                                     Lanes lanes = Lanes::transforms);

    /// The cheapest stages; for Lanes::points two at most, the last of which fills the lanes, where
    /// there are such. Throws Failure unless supported.
    SmallFftPlan(std::int64_t length, int registers, Lanes lanes = Lanes::transforms);
    SmallFftPlan(SmallFftPlan&&) = default;
    SmallFftPlan& operator=(SmallFftPlan&&) = default;

    [[nodiscard]] int length() const { return fft_.length; }
    /// Whether adjacent points can be in the lanes.
    [[nodiscard]] bool has_points_in_lanes() const {
        return fft_.stages <= 2 && fft_.stage[fft_.stages - 1].radix % most_lanes == 0;
    }
    /// Borrows the plan's tables, which stay where they are when the plan moves.
    [[nodiscard]] const SmallFft& fft() const { return fft_; }

  private:
    SmallFft fft_{};
    std::vector<std::vector<double>> twiddles_;  ///< by stage
};

/// A length as a product of two that a SmallFftPlan does, the first over strided points.
struct TwoLevels {
    std::int64_t first = 1;
    std::int64_t second = 1;
};

/// The cheapest factors, both factors at least `least`; a `first` that is no multiple of
/// `whole` counts as much dearer. `second` is what the lanes hold there. Nothing if there is none.
std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second = Lanes::transforms);

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

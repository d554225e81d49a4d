#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/arena.hpp"
#include "fft/four_step.hpp"
#include "fft/loops.hpp"

namespace quartet::fft {

/// What the vectors of a SmallFft hold: a point of each of many transforms, or, before the last
/// stage, adjacent points of one (Loops: rows of a tile).
enum class Lanes { transforms, points };

/// The stages of an FFT of up to 256 points, for the loops of any instruction set.
class SmallFftPlan {
  public:
    static constexpr int longest = 256;
    static constexpr int most_lanes = 8;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// Cost per point on a core with so many vector registers, relative to one stage of radix 8.
    /// Throws Failure unless supported.
    [[nodiscard]] static double cost(std::int64_t length, int registers,
                                     Lanes lanes = Lanes::transforms);

    /// The cheapest stages; for Lanes::points, if the length has such, at most two, the last of
    /// which fills the lanes. Throws Failure unless supported.
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

/// The cheapest two factors, both at least `least`; a `first` that is no multiple of `whole` costs
/// much more. `second` says what the lanes hold in the second transform. Nothing if there are none.
std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second = Lanes::transforms);

/// Strips of adjacent indices, one in each lane, that cover [0, count): as in TileFft.
struct LaneStrips {
    std::int64_t count;
    std::int64_t lanes;
    [[nodiscard]] std::int64_t strips() const { return divide_up(count, lanes); }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        return std::min(strip * lanes, count - lanes);
    }
};

/// Hands out one array after another, or only sums their sizes where there is no memory yet.
class WorkMemory {
  public:
    explicit WorkMemory(double* memory = nullptr) : memory_(memory) {}
    double* take(std::int64_t size) {
        double* const array = memory_ == nullptr ? nullptr : memory_ + size_;
        size_ += size;
        return array;
    }
    [[nodiscard]] std::int64_t size() const { return size_; }

  private:
    double* memory_;
    std::int64_t size_ = 0;
};

/// The arrays of one thread, which lay_out(memory) takes, and their memory.
template <typename Work>
struct Workspace {
    template <typename LayOut>
    Workspace(device::Arena& arena, LayOut lay_out) {
        WorkMemory sizes;
        lay_out(sizes);
        memory = arena.make<double>(sizes.size(), device::MemoryKind::host);
        WorkMemory arrays(memory.view().data());
        work = lay_out(arrays);
    }

    device::Buffer<double> memory;
    Work work{};
};

/// The tables of the FFT of a tile of M = A B points; none while the arena plans.
class TilePlan {
  public:
    TilePlan(device::Arena& arena, const TwoLevels& levels, const Loops& loops);

    [[nodiscard]] const Loops& loops() const { return loops_; }
    [[nodiscard]] const TwoLevels& levels() const { return levels_; }
    /// The strips of b, and the strips of ka.
    [[nodiscard]] LaneStrips column_strips() const { return {levels_.second, loops_.lanes}; }
    [[nodiscard]] LaneStrips row_strips() const { return {levels_.first, loops_.lanes}; }
    /// Borrows the tables.
    [[nodiscard]] TileFft fft(std::span<const TargetBlock> blocks, bool whole_blocks,
                              bool past_caches) const;
    /// "64 x 128 in 8 lanes"
    [[nodiscard]] std::string description() const;

    /// Doubles of the array TileWork::scratch, and all arrays of one thread.
    [[nodiscard]] static std::int64_t scratch(const TwoLevels& levels, std::int64_t lanes);
    static TileWork lay_out(const TwoLevels& levels, std::int64_t lanes, WorkMemory& memory);

  private:
    TwoLevels levels_;
    const Loops& loops_;
    SmallFftPlan first_;   ///< A
    SmallFftPlan second_;  ///< B
    device::Buffer<double> middle_twiddles_;
    device::Buffer<double> row_twiddles_;
};

/// The two lengths of a tile's FFT; nothing if there are none.
std::optional<TwoLevels> tile_levels(std::int64_t length, const Loops& loops);

}  // namespace quartet::fft

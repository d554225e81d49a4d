#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

/// How transforms of powers of two become passes. All lengths are given by their logarithms.

/// Passes of one lane follow one another, after all those without a lane. Two lanes run beside each
/// other, so that the end of one's pass leaves no multiprocessor idle.
using LaunchPass =
    std::function<void(const FftPassShape&, const FftPass&, std::optional<int> lane)>;
inline constexpr int fft_lanes = 2;

/// 2^20 to 2^30 points as N1 N2 N3, in natural order: with n = n1 N2 N3 + n2 N3 + n3 the first pass
/// leaves [k1][n2][n3], the second one [k1][k2][n3], and the last one writes k1 + N1 k2 + N1 N2 k3.
/// Up to 2^23 two passes do, with N2 = 1.
///
/// Where chunk is below `first`, the last two passes do 2^chunk rows k1 at a time, a chunk in each
/// lane, by way of a scratch area that stays in the L2 cache.
struct FftSplit {
    int first = 0;
    int middle = 0;
    int last = 0;
    int chunk = 0;

    [[nodiscard]] int points() const { return first + middle + last; }
    [[nodiscard]] bool in_chunks() const { return chunk < first; }
    /// Points of FftBuffers::work, and of the scratch area.
    [[nodiscard]] std::int64_t work() const { return std::int64_t{1} << points(); }
    [[nodiscard]] std::int64_t scratch() const {
        return in_chunks() ? std::int64_t{fft_lanes} << (chunk + middle + last) : 0;
    }
};
/// Nothing for sizes that cannot be split so. `cache_bytes` is the size of the L2 cache.
std::optional<FftSplit> split_fft(std::int64_t points, std::int64_t cache_bytes);

struct FftBuffers {
    const double2* from = nullptr;
    double2* work = nullptr;
    double2* scratch = nullptr;
    double2* to = nullptr;  ///< may be `from`; of columns it is
    const double2* roots = nullptr;
};
void for_each_pass(const FftSplit& split, const FftBuffers& buffers, const LaunchPass& launch);

/// The transforms over the 2^tiles rows of a matrix with 2^columns columns, in place. Element (t,
/// j) is multiplied by exp(-2 pi i t j / (all elements)) before: the last step of a transform in
/// tiles. Up to 2^12 tiles take one pass; more take two, over 2^chunk columns at a time, a chunk
/// in each lane, by way of a scratch area that stays in the L2 cache.
struct ColumnSplit {
    int columns = 0;
    int first = 0;   ///< of the tiles
    int second = 0;  ///< 0 for one pass
    int chunk = 0;

    [[nodiscard]] std::int64_t work() const { return 0; }
    [[nodiscard]] std::int64_t scratch() const {
        return second > 0 ? std::int64_t{fft_lanes} << (chunk + first + second) : 0;
    }
};
std::optional<ColumnSplit> split_columns(std::int64_t tiles, std::int64_t columns,
                                         std::int64_t cache_bytes);
void for_each_pass(const ColumnSplit& split, const FftBuffers& buffers, const LaunchPass& launch);

}  // namespace quartet::fft

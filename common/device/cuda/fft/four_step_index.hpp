#pragma once

#include <cstdint>

namespace quartet::device {

/// Index functions of the four-step FFT (four_step_fft.hpp), for the kernels and for tests on the
/// host.

/// Bins of one SIMD block.
inline constexpr std::int64_t fft_block_bins = 8;

/// The offset of the real part of a bin within a part [block][tile][8 re | 8 im]; the imaginary
/// part lies fft_block_bins further. `bin` counts from the receiver's first k1, `tile` from the
/// sender's first tile.
constexpr std::int64_t offset_in_part(std::int64_t bin, std::int64_t tile, std::int64_t tiles) {
    return (bin / fft_block_bins * tiles + tile) * 2 * fft_block_bins + bin % fft_block_bins;
}

/// A rank's columns [first_column, first_column + columns) of the transposed result, whose rows are
/// `length` long.
struct TransposedColumns {
    std::int64_t first_column = 0;
    std::int64_t columns = 1;
    std::int64_t length = 1;

    /// The bin k that is stored at `index` of [k2][columns].
    [[nodiscard]] constexpr std::int64_t bin(std::int64_t index) const {
        return index / columns * length + first_column + index % columns;
    }
};

/// Two tables of powers of exp(-2 pi i / N): each power is a coarse entry times a fine one.
struct TwiddleSplit {
    int shift = 0;  ///< the fine table has 2^shift entries

    [[nodiscard]] constexpr std::int64_t coarse(std::int64_t exponent) const {
        return exponent >> shift;
    }
    [[nodiscard]] constexpr std::int64_t fine(std::int64_t exponent) const {
        return exponent & ((std::int64_t{1} << shift) - 1);
    }
    [[nodiscard]] constexpr std::int64_t fine_entries() const { return std::int64_t{1} << shift; }
    [[nodiscard]] constexpr std::int64_t coarse_entries(std::int64_t order) const {
        return coarse(order - 1) + 1;
    }
};

/// Tables of about the same size.
constexpr TwiddleSplit split_twiddles(std::int64_t order) {
    int shift = 0;
    while (shift < 31 && (std::int64_t{1} << (2 * shift)) < order)
        ++shift;
    return {shift};
}

}  // namespace quartet::device

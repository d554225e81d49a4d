#pragma once

#include <cstdint>

namespace quartet::device {

/// Index functions of the passes of a split transform (four_step_fft.hpp), for the kernels and for
/// tests on the host.

/// Points and bins of one cell.
inline constexpr std::int64_t fft_cell_bins = 8;

/// The place of the real part of a bin in a part [cell][tile][8 re | 8 im]; the imaginary part
/// lies fft_cell_bins further. `bin` counts from the receiver's first k1, `tile` from the sender's
/// first tile.
constexpr std::int64_t place_in_part(std::int64_t bin, std::int64_t tile, std::int64_t tiles) {
    return (bin / fft_cell_bins * tiles + tile) * 2 * fft_cell_bins + bin % fft_cell_bins;
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

/// A table of powers of exp(-2 pi i / N): any one is a coarse entry times a fine one.
struct RootSplit {
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
constexpr RootSplit split_roots(std::int64_t order) {
    int shift = 0;
    while (shift < 31 && (std::int64_t{1} << (2 * shift)) < order)
        ++shift;
    return {shift};
}

}  // namespace quartet::device

#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>

#include "core/block_range.hpp"
#include "fft/problem/index_order.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

/// A stretch of a row of an array, within a piece of it.
struct Stretch {
    std::int64_t position;  ///< in the piece
    std::int64_t index;     ///< of its first element
    std::int64_t count;
};

/// Stretches of at most `width` that make up an array: each row has its own.
struct Stretches {
    const IndexOrder& order;
    std::int64_t width;

    [[nodiscard]] std::int64_t in_row() const { return (order.columns + width - 1) / width; }
    /// The number of the stretch that holds an element.
    [[nodiscard]] std::int64_t number_of(std::int64_t element) const {
        return element / order.columns * in_row() + element % order.columns / width;
    }
    /// The part of a stretch that lies in the piece.
    [[nodiscard]] Stretch cut(std::int64_t number, const Range& piece) const {
        const std::int64_t row = number / in_row();
        const std::int64_t column = number % in_row() * width;
        const std::int64_t whole = row * order.columns + column;
        const std::int64_t begin = std::max(whole, piece.begin);
        const std::int64_t end =
            std::min(whole + std::min(width, order.columns - column), piece.end);
        return {begin - piece.begin, order.index(row, column + begin - whole), end - begin};
    }
};

/// body(thread, stretch) for the stretches that make up a piece of the array, each thread in order.
template <typename Body>
void for_each_stretch(const Stretches& stretches, const Range& piece, int threads, Body body) {
    if (piece.size() == 0) {
        return;
    }
    const std::int64_t first = stretches.number_of(piece.begin);
    const std::int64_t count = stretches.number_of(piece.end - 1) + 1 - first;
    system::parallel_parts(threads, [&](int thread) {
        const Range mine = block_range(count, threads, thread);
        for (std::int64_t number = mine.begin; number < mine.end; ++number) {
            body(thread, stretches.cut(first + number, piece));
        }
    });
}

inline std::span<const std::complex<double>> part_of(std::span<const std::complex<double>> piece,
                                                     const Stretch& stretch) {
    return piece.subspan(static_cast<std::size_t>(stretch.position),
                         static_cast<std::size_t>(stretch.count));
}

}  // namespace quartet::fft

#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace quartet::fft {

/// Which indices the elements of an array have: a matrix [rows][columns] whose element (r, c) has
/// index first + r row_step + c column_step. Tiles of the input, block ranges and the transposed
/// result are all of this kind. Steps are not negative.
struct IndexOrder {
    std::int64_t first = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t row_step = 0;
    std::int64_t column_step = 0;

    [[nodiscard]] std::int64_t size() const { return rows * columns; }
    [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column) const {
        return first + row * row_step + column * column_step;
    }
    /// The position of the element of that index in the array, if it is there.
    [[nodiscard]] std::optional<std::int64_t> position(std::int64_t index) const;

    bool operator==(const IndexOrder&) const = default;
};

/// The order of an array whose element i has index indices[i]; nothing if it is not of this
/// kind.
std::optional<IndexOrder> order_of(std::span<const std::int64_t> indices);

}  // namespace quartet::fft

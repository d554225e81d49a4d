#pragma once

#include <cstdint>

#include "core/block_range.hpp"

namespace quartet::device {

/// Where the elements of a matrix share lie in its memory: a matrix is read from memory at full
/// speed as one sequential run. So rows are stored in panels of some rows each, panel after panel,
/// and a panel by groups of eight columns, row by row within a group: [group][row][8]. Eight
/// doubles are a cache line, and one vector register of the widest kind.
///
/// Index functions for host and accelerators alike. Sizes that are not multiples are filled up
/// with zeros: `padded` counts them in. All are exact for every matrix whose padded size fits 64
/// bits.

inline constexpr std::int64_t group_columns = 8;

/// A panel of full rows: as many sums as keep the adders of a core busy.
inline constexpr std::int64_t row_panel_rows = 8;
/// A panel of a triangle: its column sums are read and written once for so many rows.
inline constexpr std::int64_t triangle_panel_rows = 16;

/// The place of an element within its panel of `panel_rows` rows; `row` and `column` count from the
/// panel's first.
constexpr std::int64_t index_in_panel(std::int64_t panel_rows, std::int64_t row,
                                      std::int64_t column) {
    return (column / group_columns * panel_rows + row) * group_columns + column % group_columns;
}

/// A block of full rows.
struct RowPanels {
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    [[nodiscard]] constexpr std::int64_t count() const { return divide_up(rows, row_panel_rows); }
    [[nodiscard]] constexpr std::int64_t groups() const {
        return divide_up(columns, group_columns);
    }
    [[nodiscard]] constexpr std::int64_t panel_elements() const {
        return row_panel_rows * group_columns * groups();
    }
    [[nodiscard]] constexpr std::int64_t padded_elements() const {
        return count() * panel_elements();
    }
    [[nodiscard]] constexpr std::int64_t index(std::int64_t row, std::int64_t column) const {
        return row / row_panel_rows * panel_elements() +
               index_in_panel(row_panel_rows, row % row_panel_rows, column);
    }
};

/// The upper triangle of a symmetric matrix: panel i has rows [16 i, 16 i + 16) from column 16 i
/// on, so that it begins with the whole block on the diagonal.
struct TrianglePanels {
    std::int64_t size = 0;  ///< rows and columns of the matrix

    [[nodiscard]] constexpr std::int64_t count() const {
        return divide_up(size, triangle_panel_rows);
    }
    [[nodiscard]] constexpr std::int64_t first_row(std::int64_t panel) const {
        return panel * triangle_panel_rows;
    }
    [[nodiscard]] constexpr std::int64_t panel_elements(std::int64_t panel) const {
        return triangle_panel_rows * triangle_panel_rows * (count() - panel);
    }
    [[nodiscard]] constexpr std::int64_t padded_elements() const {
        return triangle_panel_rows * triangle_panel_rows * (count() * (count() + 1) / 2);
    }
};

/// Deals things that shrink from first to last to `parts` back and forth, 0 .. P-1, P-1 .. 0, so
/// that all get nearly the same amount: exactly the same where their sizes fall by equal steps and
/// their number is a multiple of 2 P.
struct SnakeDistribution {
    std::int64_t parts = 1;

    /// Who gets thing `index`.
    [[nodiscard]] constexpr std::int64_t owner(std::int64_t index) const {
        const std::int64_t place = index % (2 * parts);
        return place < parts ? place : 2 * parts - 1 - place;
    }
    /// The `turn`-th thing that `part` gets.
    [[nodiscard]] constexpr std::int64_t index(std::int64_t part, std::int64_t turn) const {
        return turn * parts + (turn % 2 == 0 ? part : parts - 1 - part);
    }
    /// How many of `things` `part` gets.
    [[nodiscard]] constexpr std::int64_t count(std::int64_t part, std::int64_t things) const {
        const std::int64_t rounds = things / parts;
        return rounds + (index(part, rounds) < things ? 1 : 0);
    }
};

}  // namespace quartet::device

#pragma once

#include <cstdint>
#include <vector>

#include "cg/matrix.hpp"
#include "core/block_range.hpp"

namespace quartet::cg {

/// Where the elements of a matrix share lie in its memory. One sequential run is read at full
/// speed, so rows are stored in panels, panel after panel, and each panel as [group][row][8] by
/// groups of eight columns. Eight doubles are a cache line, and the widest vector register.
///
/// Host and accelerators share these index functions. Ragged sizes are padded with zeros, which
/// `padded_elements` includes. All are exact for every matrix whose padded size fits 64 bits.

inline constexpr std::int64_t group_columns = 8;

/// Rows of a panel of full rows: eight sums keep the adders of a core busy.
inline constexpr std::int64_t row_panel_rows = 8;
/// Rows of a panel of a triangle: column sums are read and written once for sixteen rows.
inline constexpr std::int64_t triangle_panel_rows = 16;

/// The index of an element within its panel of `panel_rows` rows; `row` and `column` count from the
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

/// Distributes items of falling size over `parts` in snake order, 0 .. P-1, P-1 .. 0, so that all
/// parts get nearly the same amount; exactly the same where the sizes fall by equal steps and the
/// number of items is a multiple of 2 P.
struct SnakeDistribution {
    std::int64_t parts = 1;

    /// The part that gets item `index`.
    [[nodiscard]] constexpr std::int64_t owner(std::int64_t index) const {
        const std::int64_t position = index % (2 * parts);
        return position < parts ? position : 2 * parts - 1 - position;
    }
    /// The item that `part` gets in that round.
    [[nodiscard]] constexpr std::int64_t index(std::int64_t part, std::int64_t round) const {
        return round * parts + (round % 2 == 0 ? part : parts - 1 - part);
    }
    /// How many of `items` `part` gets.
    [[nodiscard]] constexpr std::int64_t count(std::int64_t part, std::int64_t items) const {
        const std::int64_t rounds = items / parts;
        return rounds + (index(part, rounds) < items ? 1 : 0);
    }
};

/// A part of a triangle on a GPU: panels of 128 rows, dealt in snake order (SnakeDistribution).
/// Panel p has the columns from 128 p on, row by row, padded to a multiple of 128, and so whole
/// tiles of 128 x 128. The tile on the diagonal is stored whole; what lies beyond the matrix is
/// zero.
///
/// A product shares out the part's tiles, panel after panel and from left to right, over blocks of
/// threads: each has the same number of neighbours, one more or less. A tile leaves 128 sums over
/// its columns; a block leaves 2 x 128 sums over the rows of each panel that it has tiles of, one
/// for each half of the columns. Each is at most two percent of what is read. Whoever needs the
/// product adds them up in a fixed order. Smaller tiles would leave more sums; larger ones could
/// not be shared out evenly at N = 4096, where an H100 has room for 528 blocks and the triangle has
/// 528 tiles.

inline constexpr std::int64_t triangle_tile = 128;

/// A panel of the part.
struct TrianglePanel {
    std::int64_t first_row;   ///< and column
    std::int64_t offset;      ///< of its elements in the part
    std::int64_t stride;      ///< from row to row
    std::int64_t first_tile;  ///< the one on the diagonal, of the part's tiles
};

/// What a block of threads begins with; it ends where the next one begins.
struct TriangleBlock {
    std::int64_t first_tile;
    std::int64_t panel;  ///< of the part
};

/// The layout of a part, as the kernels and the host need it.
struct TriangleLayout {
    std::int64_t size = 0;
    std::int64_t elements = 0;
    std::int64_t tiles = 0;
    std::vector<TrianglePanel> panels;  ///< and one more, where the next one would begin
    std::vector<TriangleBlock> blocks;  ///< likewise
    /// By panel of the matrix: how many panels of the part lie above it.
    std::vector<std::int64_t> panels_above;

    /// For at most that many blocks of threads. Throws Failure for a part that does not exist.
    TriangleLayout(const TrianglePart& part, std::int64_t at_most);

    [[nodiscard]] std::int64_t panel_count() const { return std::ssize(panels) - 1; }
    [[nodiscard]] std::int64_t block_count() const { return std::ssize(blocks) - 1; }
    /// Of a product, over columns and rows.
    [[nodiscard]] std::int64_t sums() const {
        return (tiles + 2 * (block_count() + panel_count())) * triangle_tile;
    }
};

/// The block that has a tile, where `tiles` are shared out over `blocks`: block b begins with tile
/// tiles b / blocks.
constexpr std::int64_t block_of_tile(std::int64_t tile, std::int64_t tiles, std::int64_t blocks) {
    return ((tile + 1) * blocks - 1) / tiles;
}

}  // namespace quartet::cg

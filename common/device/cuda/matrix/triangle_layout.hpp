#pragma once

#include <cstdint>
#include <vector>

#include "device/matrix.hpp"
#include "device/matrix_layout.hpp"

namespace quartet::device {

/// A part of a triangle on a GPU. It has whole panels of 16 rows, as matrix_layout.hpp deals them
/// (TrianglePanels, SnakeDistribution), but each panel row by row: row r of panel p has the columns
/// from 16 p on, padded to 16. The block on the diagonal is stored whole.
///
/// A product goes through it by tiles of 8 of the part's panels, by 1024 columns of the matrix, a
/// block of threads for each: it reads its elements once, and leaves 128 sums over its rows and
/// 1024 over its columns, under one percent of what it has read, which a second kernel adds up in a
/// fixed order.

inline constexpr std::int64_t tile_panels = 8;
inline constexpr std::int64_t tile_rows = tile_panels * triangle_panel_rows;
inline constexpr std::int64_t tile_columns = 1024;
/// The number of sums that a tile leaves: [rows][columns].
inline constexpr std::int64_t tile_sums = tile_rows + tile_columns;

/// A panel of the part.
struct TrianglePanel {
    std::int64_t first_row;  ///< and column
    std::int64_t offset;     ///< of its elements in the part
    std::int64_t stride;     ///< from row to row
};

/// The work of one block of threads: panels [first_panel, first_panel + panels) of the part,
/// columns from 1024 `chunk` on.
struct TriangleTile {
    std::int64_t first_panel;
    std::int64_t panels;
    std::int64_t chunk;
};

/// The tiles of the same panels, which follow one another by their chunks.
struct TileRow {
    std::int64_t first_tile;
    std::int64_t first_chunk;
};

/// The layout of a part, as the kernels and the host need it.
struct TriangleLayout {
    std::int64_t size = 0;
    std::int64_t elements = 0;
    std::vector<TrianglePanel> panels;
    std::vector<TriangleTile> tiles;
    std::vector<TileRow> tile_rows;
    /// For each chunk: how many tile rows, from the first on, have a tile there.
    std::vector<std::int64_t> tile_rows_of_chunk;
    std::vector<std::int64_t> panel_of;  ///< by panel of the matrix: its index here, or -1

    /// Throws Failure for a part that does not exist.
    explicit TriangleLayout(const TrianglePart& part);

    [[nodiscard]] std::int64_t sums() const {
        return static_cast<std::int64_t>(tiles.size()) * tile_sums;
    }
};

}  // namespace quartet::device

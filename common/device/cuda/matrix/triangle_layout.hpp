#pragma once

#include <cstdint>
#include <vector>

#include "device/matrix.hpp"
#include "device/matrix_layout.hpp"

namespace quartet::device {

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

}  // namespace quartet::device

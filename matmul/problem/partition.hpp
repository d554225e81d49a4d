#pragma once

#include <cstdint>
#include <vector>

#include "core/block_range.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// The tiles of C that one rank owns: rows x columns of tiles. Empty if there are more ranks
/// than tiles.
struct Block {
    Range rows;
    Range columns;

    [[nodiscard]] std::int64_t tiles() const { return rows.size() * columns.size(); }
    [[nodiscard]] bool empty() const { return tiles() == 0; }
};

/// All tiles of a matrix.
inline Block whole(const Problem& problem) {
    const Range all{0, problem.tiles()};
    return {all, all};
}

/// `use(tile)` for each tile of a block, row by row.
template <typename Use>
void for_each_tile(const Block& block, Use use) {
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            use(TileIndex{row, column});
        }
    }
}

/// Distributes the tiles of C over ranks in near-square blocks, whole columns of ranks side by
/// side:
///
///     4 ranks      7 ranks      column c of P ranks in Q columns has ranks
///     0 2          0 3          [cP/Q, (c + 1)P/Q), as wide as their share; its tile rows
///     1 3          1 4          are spread evenly. Q is the count for which the largest
///                  2 5          block has the fewest elements, then the least half perimeter
///                    6          (what it reads). For P = R x C this is the R x C grid.
///
/// By rank. A C tile stays with its owner from the first product to the last; results never move.
std::vector<Block> partition(const Problem& problem, int ranks);

/// Elements [begin, end) along an edge that a range of tiles covers.
Range elements_of(const Problem& problem, const Range& tiles);

/// Elements of a block.
std::int64_t elements_in(const Problem& problem, const Block& block);

/// The element at which a tile of a block begins if the block is stored in columns of tiles: the
/// tiles of one column follow one another, each row-major.
std::int64_t offset_in_block(const Problem& problem, const Block& block, TileIndex tile);

}  // namespace quartet::matmul

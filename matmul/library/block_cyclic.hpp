#pragma once

#include <cstdint>
#include <vector>

#include "matmul/partition.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// Ranks in a grid, by rows: rank r is at row r / columns, column r % columns.
struct RankGrid {
    int rows = 1;
    int columns = 1;
    [[nodiscard]] int ranks() const { return rows * columns; }
    bool operator==(const RankGrid&) const = default;
};

/// Blocks of an edge dealt to `parts` in turn: block b goes to part b mod parts. Where the edge is
/// no multiple of the block the last one is smaller.
struct DealtEdge {
    std::int64_t size = 0;
    std::int64_t block = 1;
    int parts = 1;

    [[nodiscard]] std::int64_t blocks(int part) const;
    /// Elements of a part.
    [[nodiscard]] std::int64_t extent(int part) const;
};

/// A square matrix dealt out in square blocks over a grid of ranks: the two-dimensional
/// block-cyclic distribution of ScaLAPACK (Blackford et al., 1997). A rank's blocks make up one
/// matrix, row-major.
struct BlockCyclic {
    std::int64_t size = 0;
    std::int64_t block = 1;
    RankGrid grid;

    [[nodiscard]] DealtEdge rows() const { return {size, block, grid.rows}; }
    [[nodiscard]] DealtEdge columns() const { return {size, block, grid.columns}; }
    /// Elements of the rank that has most: the first one.
    [[nodiscard]] std::int64_t most_elements() const;
};

/// The distributions worth trying: every grid of so many ranks, blocks of 64 to 4096 in powers of
/// two as far as each rank gets one; where the matrix is too small for that, one block a rank.
std::vector<BlockCyclic> distributions(std::int64_t size, int ranks);

/// Whole rows of tiles, as evenly as they go: what the result is brought to for the check.
Block strip_of(const Problem& problem, int ranks, int rank);

}  // namespace quartet::matmul

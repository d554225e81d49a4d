#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "matmul/problem/partition.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// ScaLAPACK's process grid, row-major: rank r is at row r / columns, column r % columns.
struct ProcessGrid {
    int rows = 1;
    int columns = 1;
    [[nodiscard]] int ranks() const { return rows * columns; }
    [[nodiscard]] int row_of(int rank) const { return rank / columns; }
    [[nodiscard]] int column_of(int rank) const { return rank % columns; }
    bool operator==(const ProcessGrid&) const = default;
};

/// One dimension of a block-cyclic distribution: block b belongs to process b mod processes. The
/// last block is smaller if the block size does not divide the dimension.
struct BlockCyclicDimension {
    std::int64_t size = 0;
    std::int64_t block = 1;
    int processes = 1;

    /// Blocks of a process.
    [[nodiscard]] std::int64_t blocks(int process) const;
    /// Elements of a process (ScaLAPACK's NUMROC).
    [[nodiscard]] std::int64_t extent(int process) const;
};

/// ScaLAPACK's two-dimensional block-cyclic distribution of a square matrix in square blocks
/// (Blackford et al., 1997). A rank's blocks make up one matrix, row-major.
struct BlockCyclic {
    std::int64_t size = 0;
    std::int64_t block = 1;
    ProcessGrid grid;

    [[nodiscard]] BlockCyclicDimension rows() const { return {size, block, grid.rows}; }
    [[nodiscard]] BlockCyclicDimension columns() const { return {size, block, grid.columns}; }
    /// Elements of the rank that has most: the first one.
    [[nodiscard]] std::int64_t most_elements() const;
    bool operator==(const BlockCyclic&) const = default;
};

/// The distributions worth trying: every process grid, with blocks of 64 to 4096 in powers of two
/// as far as each rank gets one; one block a rank if the matrix is too small for that.
std::vector<BlockCyclic> distributions(std::int64_t size, int ranks);

/// Makes a rank's blocks of A or B ("A", "B").
void fill_blocks(const Problem& problem, const BlockCyclic& distribution, int rank,
                 std::string_view matrix, int threads, std::span<float> out);

/// Whole rows of tiles, as evenly as possible: C is redistributed to them for the check.
Block strip_of(const Problem& problem, int ranks, int rank);

}  // namespace quartet::matmul

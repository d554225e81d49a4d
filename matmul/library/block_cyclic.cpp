#include "matmul/library/block_cyclic.hpp"

#include <algorithm>

#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t least_block = 64;
constexpr std::int64_t largest_block = 4096;

void add_distributions(std::int64_t size, const ProcessGrid& grid,
                       std::vector<BlockCyclic>& found) {
    const std::int64_t longest = std::max(grid.rows, grid.columns);
    const std::size_t before = found.size();
    for (std::int64_t block = least_block; block <= largest_block; block *= 2) {
        if (block * longest <= size) {
            found.push_back({size, block, grid});
        }
    }
    if (found.size() == before) {
        found.push_back({size, divide_up(size, longest), grid});
    }
}

// A row of the rank's blocks, by its number among them.
void fill_block_row(const Problem& problem, const BlockCyclic& distribution, int rank,
                    std::string_view matrix, std::int64_t number, std::span<float> out) {
    const Problem blocks{problem.size, distribution.block, problem.seed};
    const ProcessGrid& grid = distribution.grid;
    const int column = grid.column_of(rank);
    const std::int64_t width = distribution.columns().extent(column);
    const std::int64_t block_row = number * grid.rows + grid.row_of(rank);
    const std::int64_t count = distribution.columns().blocks(column);
    for (std::int64_t line = 0; line < blocks.extent(block_row); ++line) {
        for (std::int64_t block = 0; block < count; ++block) {
            const std::int64_t block_column = block * grid.columns + column;
            const std::int64_t begin =
                (number * distribution.block + line) * width + block * distribution.block;
            fill_rows(blocks, matrix, blocks.begin(block_row) + line, 1, block_column,
                      out.subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(blocks.extent(block_column))));
        }
    }
}

}  // namespace

std::int64_t BlockCyclicDimension::blocks(int process) const {
    return divide_up(std::max<std::int64_t>(divide_up(size, block) - process, 0), processes);
}

std::int64_t BlockCyclicDimension::extent(int process) const {
    const std::int64_t count = divide_up(size, block);
    const bool has_last = count > 0 && (count - 1) % processes == process;
    return blocks(process) * block - (has_last ? count * block - size : 0);
}

std::int64_t BlockCyclic::most_elements() const {
    return rows().extent(0) * columns().extent(0);
}

std::vector<BlockCyclic> distributions(std::int64_t size, int ranks) {
    std::vector<BlockCyclic> found;
    for (int rows = 1; rows <= ranks; ++rows) {
        if (ranks % rows == 0) {
            add_distributions(size, {rows, ranks / rows}, found);
        }
    }
    return found;
}

void fill_blocks(const Problem& problem, const BlockCyclic& distribution, int rank,
                 std::string_view matrix, int threads, std::span<float> out) {
    system::parallel_parts(threads, [&](int part) {
        const std::int64_t rows = distribution.rows().blocks(distribution.grid.row_of(rank));
        for (std::int64_t number = part; number < rows; number += threads) {
            fill_block_row(problem, distribution, rank, matrix, number, out);
        }
    });
}

Block strip_of(const Problem& problem, int ranks, int rank) {
    const std::int64_t height = divide_up(problem.tiles(), ranks);
    const std::int64_t begin = std::min(rank * height, problem.tiles());
    return {{begin, std::min(begin + height, problem.tiles())}, {0, problem.tiles()}};
}

}  // namespace quartet::matmul

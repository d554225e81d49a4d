#include "matmul/problem.hpp"

#include <compare>
#include <utility>

#include "core/check.hpp"
#include "core/data_source.hpp"

namespace quartet::matmul {

namespace {

struct Cost {
    std::int64_t elements = 0;        ///< of C, of the rank that has most
    std::int64_t half_perimeter = 0;  ///< rows of A and columns of B, of the rank that has most
    auto operator<=>(const Cost&) const = default;
};

std::vector<Block> in_columns(const Problem& problem, int ranks, int columns) {
    std::vector<Block> blocks;
    for (int column = 0; column < columns; ++column) {
        const Range members = block_range(ranks, columns, column);
        const Range width{problem.tiles() * members.begin / ranks,
                          problem.tiles() * members.end / ranks};
        for (std::int64_t member = 0; member < members.size(); ++member) {
            blocks.push_back({block_range(problem.tiles(), static_cast<int>(members.size()),
                                          static_cast<int>(member)),
                              width});
        }
    }
    return blocks;
}

Cost cost_of(const Problem& problem, const std::vector<Block>& blocks) {
    Cost cost;
    for (const Block& block : blocks) {
        const std::int64_t rows = elements_of(problem, block.rows).size();
        const std::int64_t columns = elements_of(problem, block.columns).size();
        cost.elements = std::max(cost.elements, rows * columns);
        cost.half_perimeter = std::max(cost.half_perimeter, rows + columns);
    }
    return cost;
}

}  // namespace

std::int64_t offset_in_block(const Problem& problem, const Block& block, TileIndex tile) {
    const std::int64_t height = elements_of(problem, block.rows).size();
    const std::int64_t left = problem.begin(tile.column) - problem.begin(block.columns.begin);
    const std::int64_t above = problem.begin(tile.row) - problem.begin(block.rows.begin);
    return left * height + above * problem.extent(tile.column);
}

std::vector<Block> partition(const Problem& problem, int ranks) {
    std::vector<Block> best = in_columns(problem, ranks, 1);
    Cost least = cost_of(problem, best);
    // Blocks are near squares: many more columns than the root of the ranks never are best.
    for (int columns = 2; columns * columns <= 16 * ranks && columns <= ranks; ++columns) {
        std::vector<Block> blocks = in_columns(problem, ranks, columns);
        const Cost cost = cost_of(problem, blocks);
        if (cost < least) {
            best = std::move(blocks);
            least = cost;
        }
    }
    return best;
}

std::int64_t even_tile(std::int64_t size, int ranks) {
    std::int64_t edges = (size + 1023) / 1024;
    for (; edges * edges < std::int64_t{2} * ranks && edges < size; edges *= 2) {
    }
    return (size + edges - 1) / edges;
}

Flops Problem::flops() const {
    const auto n = static_cast<double>(size);
    return {2 * n * n * n - n * n};
}

void fill_rows(const Problem& problem, std::string_view matrix, std::int64_t first,
               std::int64_t count, std::int64_t column, std::span<float> out) {
    const std::int64_t width = problem.extent(column);
    check(std::ssize(out) == count * width, "the memory for rows of a tile has another size");
    const DataSource source(problem.seed, std::string("matmul/") + std::string(matrix));
    for (std::int64_t row = 0; row < count; ++row) {
        source.fill_uniform(
            out.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)),
            (first + row) * problem.size + problem.begin(column));
    }
}

}  // namespace quartet::matmul

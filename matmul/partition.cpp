#include "matmul/partition.hpp"

#include <algorithm>
#include <compare>

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

Range elements_of(const Problem& problem, const Range& tiles) {
    return {problem.begin(tiles.begin), problem.begin(tiles.end)};
}

std::int64_t elements_in(const Problem& problem, const Block& block) {
    return elements_of(problem, block.rows).size() * elements_of(problem, block.columns).size();
}

std::int64_t offset_in_block(const Problem& problem, const Block& block, TileIndex tile) {
    const std::int64_t height = elements_of(problem, block.rows).size();
    const std::int64_t left = problem.begin(tile.column) - problem.begin(block.columns.begin);
    const std::int64_t above = problem.begin(tile.row) - problem.begin(block.rows.begin);
    return left * height + above * problem.extent(tile.column);
}

std::vector<Block> partition(const Problem& problem, int ranks) {
    std::vector<Block> best = in_columns(problem, ranks, 1);
    Cost least = cost_of(problem, best);
    for (int columns = 2; columns <= ranks; ++columns) {
        auto blocks = in_columns(problem, ranks, columns);
        const Cost cost = cost_of(problem, blocks);
        if (cost < least) {
            least = cost;
            best = std::move(blocks);
        }
    }
    return best;
}

}  // namespace quartet::matmul

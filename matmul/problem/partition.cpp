#include "matmul/problem/partition.hpp"

#include <algorithm>
#include <compare>

namespace quartet::matmul {

namespace {

struct Cost {
    std::int64_t elements = 0;        ///< of C, of the rank that has most
    std::int64_t half_perimeter = 0;  ///< rows of A and columns of B, of the rank that has most
    auto operator<=>(const Cost&) const = default;
};

// Tiles of C's edge that a column of ranks is wide.
Range width_of(const Problem& problem, int ranks, const Range& members) {
    return {problem.tiles() * members.begin / ranks, problem.tiles() * members.end / ranks};
}

std::vector<Block> in_columns(const Problem& problem, int ranks, int columns) {
    std::vector<Block> blocks;
    for (int column = 0; column < columns; ++column) {
        const Range members = block_range(ranks, columns, column);
        const Range width = width_of(problem, ranks, members);
        for (std::int64_t member = 0; member < members.size(); ++member) {
            blocks.push_back({block_range(problem.tiles(), static_cast<int>(members.size()),
                                          static_cast<int>(member)),
                              width});
        }
    }
    return blocks;
}

// Elements of the longest of `parts` parts of an edge, where its tiles are spread evenly: no other
// distribution has a shorter longest part. The last tile may be smaller than the others. It lies in
// the longest part; another one is as long in tiles unless a single tile is left over.
std::int64_t longest_part(const Problem& problem, std::int64_t parts) {
    const std::int64_t most = divide_up(problem.tiles(), parts);
    const bool last_alone = problem.tiles() == (most - 1) * parts + 1;
    return last_alone ? (most - 1) * problem.extent(0) + problem.extent(problem.tiles() - 1)
                      : most * problem.extent(0);
}

Cost cost_of(const Problem& problem, int ranks, int columns) {
    Cost cost;
    for (int column = 0; column < columns; ++column) {
        const Range members = block_range(ranks, columns, column);
        const std::int64_t width = elements_of(problem, width_of(problem, ranks, members)).size();
        const std::int64_t rows = longest_part(problem, members.size());
        cost.elements = std::max(cost.elements, rows * width);
        cost.half_perimeter = std::max(cost.half_perimeter, rows + width);
    }
    return cost;
}

// A lower bound of the cost with `columns` columns: the widest column has at most P/Q ranks,
// rounded up.
Cost least_cost(const Problem& problem, int ranks, int columns) {
    const std::int64_t rows = longest_part(problem, divide_up(ranks, columns));
    const std::int64_t width = longest_part(problem, columns);
    return {rows * width, rows + width};
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
    int best = 1;
    Cost least = cost_of(problem, ranks, best);
    for (int columns = 2; columns <= ranks; ++columns) {
        // Few counts remain beside those near the square root of the ranks.
        if (least_cost(problem, ranks, columns) >= least) {
            continue;
        }
        const Cost cost = cost_of(problem, ranks, columns);
        if (cost < least) {
            least = cost;
            best = columns;
        }
    }
    return in_columns(problem, ranks, best);
}

}  // namespace quartet::matmul

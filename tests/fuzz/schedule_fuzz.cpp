// Whatever the blocking and whichever tiles are done, a schedule of tiles does each product of the
// other parts once, with its tiles in their slots.

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"
#include "matmul/native/tile_schedule.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t most_tiles = 10;  // along an edge

/// Takes numbers out of an input; 0 if it has ended.
class Numbers {
  public:
    Numbers(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

    /// Of [least, most].
    std::int64_t number(std::int64_t least, std::int64_t most) {
        const std::int64_t byte = next_ == end_ ? 0 : *next_++;
        return least + byte % (most - least + 1);
    }
    /// Not empty.
    Range range(std::int64_t end) {
        const std::int64_t begin = number(0, end - 1);
        return {begin, number(begin + 1, end)};
    }

  private:
    const std::uint8_t* next_;
    const std::uint8_t* end_;
};

using Tile = std::tuple<Operand, std::int64_t, std::int64_t>;

void require_products(const Problem& problem, const Block& block, const Blocking& blocking,
                      std::int64_t every) {
    const auto is_done = [&](TileIndex tile) { return problem.number(tile) % 10 < every; };
    TileSchedule schedule(problem, block, blocking, is_done);
    std::vector<Tile> slots(static_cast<std::size_t>(blocking.slots), Tile{Operand::a, -1, -1});
    const auto has = [&](std::int64_t slot, const Tile& tile) {
        return slots.at(static_cast<std::size_t>(slot)) == tile;
    };
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> done;
    while (!schedule.done()) {
        const TileProduct product = schedule.next();
        for (const Fetch& fetch : product.fetches()) {
            slots.at(static_cast<std::size_t>(fetch.slot)) = {fetch.operand, fetch.tile.row,
                                                              fetch.tile.column};
        }
        const auto [row, column] = product.target;
        fuzz::require(has(product.a_slot, {Operand::a, row, product.inner}) &&
                          has(product.b_slot, {Operand::b, product.inner, column}),
                      "a product finds its tiles in their slots");
        fuzz::require(done.emplace(row, column, product.inner).second, "no product comes twice");
    }
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            std::int64_t products = 0;
            for (std::int64_t inner = 0; inner < problem.tiles(); ++inner) {
                products += done.contains({row, column, inner}) ? 1 : 0;
            }
            fuzz::require(products == problem.tiles() || (products == 0 && is_done({row, column})),
                          "no tile is left out that is not done");
        }
    }
}

}  // namespace

}  // namespace quartet::matmul

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet::matmul;
    Numbers numbers(data, size);
    const Problem problem{numbers.number(1, most_tiles), 1};
    const Block block{numbers.range(problem.size), numbers.range(problem.size)};
    Blocking blocking{.rows = numbers.number(1, block.rows.size()),
                      .columns = numbers.number(1, block.columns.size()),
                      .slots = 0,
                      .lookahead = numbers.number(0, 40)};
    const std::int64_t least =
        least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
    blocking.slots = least + numbers.number(0, 20);
    require_products(problem, block, blocking, numbers.number(0, 10));
    blocking.slots = least - 1;
    quartet::fuzz::require(
        quartet::fuzz::refuses<quartet::Failure>([&] { TileSchedule(problem, block, blocking); }),
        "fewer slots than the least are refused");
    return 0;
}

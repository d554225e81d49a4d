#pragma once

#include <functional>
#include <vector>

#include "comm/topology/roles.hpp"
#include "core/block_range.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// A product C(i,j) += A(i,k) B(k,j) that a worker of the data flow makes.
struct WorkItem {
    std::int64_t number = 0;
    Fetch a;
    Fetch b;
};

/// The products of a data flow, in the order (i, j, k), and the reducers that add them: tile (i, j)
/// of C, numbered i n + j, is that of reducer (i n + j) mod R. The tiles that are to be made, in
/// their order, have positions; products are numbered position n + k.
class ProductOrder {
  public:
    /// Tiles of C that are done already have no products.
    ProductOrder(const Problem& problem, int reducers,
                 const std::function<bool(TileIndex)>& is_done = {})
        : tiles_(problem.tiles()), reducers_(reducers), of_reducers_(index(reducers)) {
        for (std::int64_t number = 0; number < tiles_ * tiles_; ++number) {
            if (!is_done || !is_done(tile(number))) {
                auto& positions = of_reducers_[index(number % reducers_)];
                left_.push_back({number, std::ssize(positions)});
                positions.push_back(std::ssize(left_) - 1);
            }
        }
    }

    [[nodiscard]] std::int64_t count() const { return std::ssize(left_) * tiles_; }
    [[nodiscard]] TileIndex tile(std::int64_t tile_number) const {
        return {tile_number / tiles_, tile_number % tiles_};
    }
    [[nodiscard]] std::int64_t number_of(TileIndex tile) const {
        return tile.row * tiles_ + tile.column;
    }
    /// The tile of C that a product is a part of.
    [[nodiscard]] TileIndex target(std::int64_t product) const {
        return tile(left_[index(product / tiles_)].number);
    }
    [[nodiscard]] WorkItem item(std::int64_t product) const {
        const std::int64_t inner = product % tiles_;
        return {product,
                {Operand::a, {target(product).row, inner}},
                {Operand::b, {inner, target(product).column}}};
    }
    [[nodiscard]] bool is_first(std::int64_t product) const { return product % tiles_ == 0; }
    [[nodiscard]] bool is_last(std::int64_t product) const {
        return product % tiles_ == tiles_ - 1;
    }
    /// The first product of a tile that is not before it.
    [[nodiscard]] std::int64_t tile_from(std::int64_t product) const {
        return divide_up(product, tiles_) * tiles_;
    }

    [[nodiscard]] int reducer_of(TileIndex tile) const {
        return static_cast<int>(number_of(tile) % reducers_);
    }
    /// The position of a product in its reducer's queue: numbers without gaps.
    [[nodiscard]] std::int64_t key(std::int64_t product) const {
        return left_[index(product / tiles_)].before * tiles_ + product % tiles_;
    }
    [[nodiscard]] std::int64_t product(int reducer, std::int64_t key) const {
        return of_reducers_[index(reducer)][index(key / tiles_)] * tiles_ + key % tiles_;
    }

  private:
    /// A tile that is to be made.
    struct Left {
        std::int64_t number = 0;
        std::int64_t before = 0;  ///< of the same reducer's
    };

    static std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

    std::int64_t tiles_;
    std::int64_t reducers_;
    std::vector<Left> left_;                              ///< by position
    std::vector<std::vector<std::int64_t>> of_reducers_;  ///< positions, by reducer
};

}  // namespace quartet::matmul

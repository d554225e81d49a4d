#pragma once

#include "comm/topology/roles.hpp"
#include "matmul/dataflow/worker_tiles.hpp"

namespace quartet::matmul {

/// The products of a data flow, in the order (i, j, k) and numbered (i n + j) n + k, and the
/// reducers that add them: tile (i, j) of C, numbered i n + j, is that of reducer (i n + j) mod R.
class ProductOrder {
  public:
    ProductOrder(const Problem& problem, int reducers)
        : tiles_(problem.tiles()), reducers_(reducers) {}

    [[nodiscard]] std::int64_t count() const { return tiles_ * tiles_ * tiles_; }
    [[nodiscard]] TileIndex tile(std::int64_t tile_number) const {
        return {tile_number / tiles_, tile_number % tiles_};
    }
    [[nodiscard]] std::int64_t number_of(TileIndex tile) const {
        return tile.row * tiles_ + tile.column;
    }
    /// The tile of C that a product is a part of.
    [[nodiscard]] TileIndex target(std::int64_t product) const { return tile(product / tiles_); }
    [[nodiscard]] WorkItem item(std::int64_t product) const {
        const std::int64_t inner = product % tiles_;
        return {product, {target(product).row, inner}, {inner, target(product).column}};
    }
    [[nodiscard]] bool is_first(std::int64_t product) const { return product % tiles_ == 0; }
    [[nodiscard]] bool is_last(std::int64_t product) const {
        return product % tiles_ == tiles_ - 1;
    }

    [[nodiscard]] int reducer_of(TileIndex tile) const {
        return static_cast<int>(number_of(tile) % reducers_);
    }
    /// Where a product comes in its reducer's queue: numbers without gaps.
    [[nodiscard]] std::int64_t key(std::int64_t product) const {
        return product / tiles_ / reducers_ * tiles_ + product % tiles_;
    }
    [[nodiscard]] std::int64_t product(int reducer, std::int64_t key) const {
        return (key / tiles_ * reducers_ + reducer) * tiles_ + key % tiles_;
    }

  private:
    std::int64_t tiles_;
    std::int64_t reducers_;
};

}  // namespace quartet::matmul

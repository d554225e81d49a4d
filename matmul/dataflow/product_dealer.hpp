#pragma once

#include <cstdint>
#include <optional>

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "comm/topology/roles.hpp"
#include "flow/hub.hpp"
#include "matmul/dataflow/product_order.hpp"
#include "matmul/problem/options.hpp"

namespace quartet::matmul {

/// Which products a worker of the data flow makes, in ascending order: every W-th, or, with
/// --schedule dynamic, the ones that the first reducer gives it when it asks.
class ProductDealer {
  public:
    /// All outlive it; all ranks make one. With a checkpoint, the tiles that are begun when a rank
    /// is asked to stop are the last ones; null without. Local.
    ProductDealer(flow::Hub& hub, const comm::Roles& roles, WorkSchedule schedule,
                  const ProductOrder& order, bench::TileCheckpoint* checkpoint);
    ProductDealer(const ProductDealer&) = delete;
    ProductDealer& operator=(const ProductDealer&) = delete;

    /// Before each run, on all ranks.
    void restart();
    /// On a worker: the number of its next product. Numbers continue beyond the last product.
    std::int64_t next();

  private:
    [[nodiscard]] std::int64_t assign();

    flow::Hub& hub_;
    const comm::Roles& roles_;
    WorkSchedule schedule_;
    const ProductOrder& order_;
    bench::TileCheckpoint* checkpoint_;
    int request_kind_ = 0;                    ///< of messages: a worker asks for a product
    int assignment_kind_ = 0;                 ///< of messages: the first reducer's answer
    std::int64_t assigned_ = 0;               ///< products, on the first reducer
    std::optional<std::int64_t> last_;        ///< of them, where it was asked to stop
    std::optional<std::int64_t> assignment_;  ///< what this worker was given
    std::int64_t taken_ = 0;                  ///< products, by this worker
};

}  // namespace quartet::matmul

#pragma once

#include <optional>

#include "core/check.hpp"
#include "matmul/dataflow/worker_tiles.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// Tiles that lie in the host's memory before the clock starts: nothing is brought.
class ResidentTiles final : public WorkerTiles {
  public:
    /// `operands` outlive it.
    explicit ResidentTiles(const Operands& operands) : operands_(operands) {}

    [[nodiscard]] bool full() const override { return item_.has_value(); }
    [[nodiscard]] bool empty() const override { return !item_; }
    void prefetch(const WorkItem& item) override {
        check(!full(), "a product's tiles are in use");
        item_ = item;
    }
    Tiles oldest(device::Stream& /*stream*/) override {
        check(!empty(), "no product's tiles were asked for");
        return {*item_, operands_.tile(Operand::a, item_->a), operands_.tile(Operand::b, item_->b)};
    }
    void release(device::Stream& /*stream*/) override { item_.reset(); }

  private:
    const Operands& operands_;
    std::optional<WorkItem> item_;
};

}  // namespace quartet::matmul

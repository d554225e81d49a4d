#pragma once

#include <memory>
#include <vector>

#include "matmul/dataflow/dataflow_reducer.hpp"
#include "matmul/dataflow/dataflow_worker.hpp"
#include "matmul/problem/product.hpp"
#include "matmul/tiles/memory_source.hpp"

namespace quartet::matmul {

/// The paper's data flow (VI.B): workers push partial tiles to reducers, which add them
/// (DataflowWorker, DataflowReducer). They add in the products' order, whoever made them
/// (flow::DequeueOrder::sequence), so that C has the same bits in each run, whatever the workers,
/// the schedule, the queue's bound and the device of the sums. A worker can be two or three partial
/// tiles a reducer ahead of the slowest one. All (N/B)^3 partial tiles travel, N/B times as many as
/// C has.
class DataflowProduct final : public Product {
  public:
    /// Collective. Session and transport are borrowed.
    DataflowProduct(const Problem& problem, DataflowLayout layout, bench::Session& session,
                    comm::Transport& transport, ProductFiles files);
    /// Counts what this rank allocates. Local.
    static void count(bench::Arena& arena, const Problem& problem, const DataflowLayout& layout,
                      const DataflowRanks& ranks);

    void prepare() override;
    void run(device::Stream& stream) override;
    /// On reducers, as result().
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return reducer_->input(operand, tile);
    }
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool owns(TileIndex tile) const override {
        return reducer_ && reducer_->owns(tile);
    }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Partial tiles that this rank has taken in, in the last run.
    [[nodiscard]] std::int64_t received() const { return reducer_ ? reducer_->received() : 0; }
    /// What this rank has read and written, in the last run.
    [[nodiscard]] Traffic traffic() const;
    /// What this rank has copied to its GPU and from it, in the last run.
    [[nodiscard]] Traffic copied() const;
    /// For tests: the owned tiles of C, one after another.
    [[nodiscard]] std::span<float> results() { return reducer_->results(); }

  private:
    Problem problem_;
    DataflowLayout layout_;
    MemorySource inputs_;
    flow::Hub hub_;
    DataflowWorker::Queues queues_;
    ProductFiles files_;
    ProductOrder order_;
    ProductDealer dealer_;
    std::unique_ptr<DataflowWorker> worker_;    ///< on workers
    std::unique_ptr<DataflowReducer> reducer_;  ///< on reducers
    flow::Queue* mine_ = nullptr;               ///< a reducer's
};

}  // namespace quartet::matmul

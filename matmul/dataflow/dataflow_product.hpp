#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "matmul/dataflow/dataflow_reducer.hpp"
#include "matmul/dataflow/dataflow_worker.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// The paper's data flow (VI.B): workers push partial tiles to reducers, which add them
/// (DataflowWorker, DataflowReducer). They add in the products' order, whoever made them
/// (flow::DequeueOrder::sequence), so that C has the same bits in each run, whatever the workers,
/// the schedule, the queue's bound and the device of the sums. A worker can be two or three partial
/// tiles a reducer ahead of the slowest one. All (N/B)^3 partial tiles travel, N/B times as many as
/// C has.
class DataflowProduct final : public Product {
  public:
    /// Allocates plan.memory. Collective. Session and transport are borrowed.
    DataflowProduct(const Problem& problem, DataflowPlan plan, bench::Session& session,
                    comm::Transport& transport, ProductFiles files);

    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool owns(TileIndex tile) const override;
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return operands_.memory();
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
    [[nodiscard]] std::unique_ptr<WorkerTiles> make_tiles(device::Device& device) const;

    Problem problem_;
    DataflowPlan plan_;
    Operands operands_;
    flow::Hub hub_;
    DataflowWorker::Queues queues_;
    ProductFiles files_;
    ProductOrder order_;
    ProductDealer dealer_;
    std::unique_ptr<DataflowWorker> worker_;    ///< on workers
    std::unique_ptr<DataflowReducer> reducer_;  ///< on reducers
    flow::Queue* mine_ = nullptr;               ///< a reducer's
    std::vector<float> input_;                  ///< a tile of A or B, for the check
    std::optional<FileSlots> slot_;             ///< for one that a reducer reads
};

}  // namespace quartet::matmul

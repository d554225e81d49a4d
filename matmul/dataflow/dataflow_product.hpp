#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/session/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/dataflow_shape.hpp"
#include "matmul/dataflow/product_dealer.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/problem/product.hpp"
#include "matmul/tiles/memory_source.hpp"

namespace quartet::matmul {

/// The paper's data flow (VI.B): workers push partial tiles to reducers, which add them
/// (DataflowWorker, DataflowReducer). They add in the products' order, whichever worker made them
/// (flow::DequeueOrder::sequence), so that C has the same bits in each run, whatever the workers,
/// the schedule, the queue's bound and the device of the sums. A worker can be two or three partial
/// tiles a reducer ahead of the slowest one. All (N/B)^3 partial tiles travel, N/B times as many as
/// C has.
class DataflowProduct : public Product {
  public:
    DataflowProduct(const DataflowProduct&) = delete;
    DataflowProduct& operator=(const DataflowProduct&) = delete;

    void prepare() override { dealer_.restart(); }
    /// These are a reducer's.
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool owns(TileIndex /*tile*/) const override { return false; }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// The bytes that this rank read and wrote in the last run.
    [[nodiscard]] virtual Traffic traffic() const = 0;
    /// The bytes that this rank copied to its GPU and from it in the last run.
    [[nodiscard]] virtual Traffic copied() const = 0;
    /// Partial tiles that this rank has taken in, in the last run.
    [[nodiscard]] virtual std::int64_t received() const { return 0; }
    /// For tests: the owned tiles of C, one after another.
    [[nodiscard]] virtual std::span<float> results() { return {}; }

  protected:
    /// Collective. Session and transport are borrowed.
    DataflowProduct(const Problem& problem, const DataflowShape& shape, bench::Session& session,
                    comm::Transport& transport, const ProductFiles& files);

    Problem problem_;
    DataflowShape shape_;
    ProductFiles files_;
    MemorySource inputs_;
    flow::Hub hub_;
    std::vector<std::unique_ptr<flow::Queue>> queues_;  ///< by reducer
    ProductOrder order_;
    ProductDealer dealer_;
};

/// Counts what this rank allocates. Local.
void count_dataflow(bench::Arena& arena, const Problem& problem, const DataflowShape& shape);

/// This rank's part. Collective. Session and transport are borrowed.
std::unique_ptr<DataflowProduct> make_dataflow_product(const Problem& problem,
                                                       const DataflowShape& shape,
                                                       bench::Session& session,
                                                       comm::Transport& transport,
                                                       const ProductFiles& files);

}  // namespace quartet::matmul

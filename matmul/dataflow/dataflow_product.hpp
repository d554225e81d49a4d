#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/session/session.hpp"
#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/problem/problem.hpp"
#include "matmul/tiles/tiles_in_memory.hpp"

namespace quartet::matmul {

/// A data flow: which ranks work and which reduce, and what moves partial tiles between them.
/// Reducers compute on the host.
struct DataflowShape {
    comm::Roles roles;
    const comm::Topology& topology;
    int rank = 0;  ///< this one
    comm::OperationMemory transport;

    /// Products whose tiles are read from files, or copied to a GPU, before their turn.
    static constexpr int lookahead = 2;
    int bound = 16;                                  ///< of each reducer's queue
    bool in_files = false;                           ///< A and B
    OperandCopies copies = OperandCopies::per_rank;  ///< of A and B in memory
    device::MemoryKind workers = device::MemoryKind::host;

    [[nodiscard]] bool works() const { return roles.of(rank) == comm::Role::worker; }
    [[nodiscard]] bool on_gpu() const { return workers == device::MemoryKind::device; }
    /// Products whose tiles a worker has or waits for.
    [[nodiscard]] std::int64_t held() const { return in_files || on_gpu() ? lookahead + 1 : 1; }
    /// The number of them whose files lie in the host's slots: before a GPU, the files of one
    /// product are read while those of earlier products are copied.
    [[nodiscard]] std::int64_t from_files() const { return !in_files ? 0 : on_gpu() ? 2 : held(); }
    /// A worker's products that are made or on their way and not pushed yet, at most.
    [[nodiscard]] int deliveries() const { return on_gpu() ? 2 : 1; }

    /// A worker's A and B in memory; nothing for a reducer.
    [[nodiscard]] OperandLayout operands(const Problem& problem) const;
    /// The queues of partial tiles, by reducer.
    [[nodiscard]] std::vector<flow::QueuePlan> queues(const Problem& problem) const;
};

/// The paper's data flow (VI.B): workers push partial tiles to reducers, which add them. Products
/// C(i,j) += A(i,k) B(k,j) are numbered in the order (i, j, k); worker w of W makes every W-th, and
/// reducer (i n + j) mod R adds those of tile (i, j) in their order (flow::DequeueOrder::sequence),
/// so that C has the same bits in each run, whatever the queue's bound. All n^3 partial tiles
/// travel, n times as many as C has.
class DataflowProduct : public Product {
  public:
    DataflowProduct(const DataflowProduct&) = delete;
    DataflowProduct& operator=(const DataflowProduct&) = delete;

    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// The bytes that this rank read and wrote in the last run.
    [[nodiscard]] virtual Traffic traffic() const = 0;
    /// The bytes that this rank copied to its GPU and from it in the last run.
    [[nodiscard]] virtual Traffic copied() const { return {}; }
    /// For tests: the owned tiles of C, one after another.
    [[nodiscard]] virtual std::span<float> results() { return {}; }

  protected:
    /// Collective. Session and transport are borrowed.
    DataflowProduct(const Problem& problem, const DataflowShape& shape, bench::Session& session,
                    comm::Transport& transport, const ProductFiles& files);

    [[nodiscard]] TileIndex tile(std::int64_t number) const {
        return {number / problem_.tiles(), number % problem_.tiles()};
    }
    [[nodiscard]] int reducer_of(TileIndex tile) const {
        return static_cast<int>(problem_.number(tile) % shape_.roles.reducers());
    }

    Problem problem_;
    DataflowShape shape_;
    ProductFiles files_;
    MemorySource inputs_;
    flow::Hub hub_;
    std::vector<std::unique_ptr<flow::Queue>> queues_;  ///< by reducer
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

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/program/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/dataflow_plan.hpp"
#include "matmul/dataflow/dataflow_reader.hpp"
#include "matmul/product.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// The paper's data flow (VI.B): workers multiply a tile of A by a tile of B and push the partial
/// tile to the queue of the reducer that owns the target; reducers add partial tiles to their tiles
/// of C. They add in the products' order, whoever made them (flow::DequeueOrder::sequence), so that
/// C has the same bits in each run, whatever the workers, the schedule and the queue's bound. A
/// worker can be two partial tiles a reducer ahead of the slowest one. All (N/B)^3 partial tiles
/// travel, N/B times as many as C has.
class DataflowProduct final : public Product {
  public:
    /// Allocates plan.memory. Collective. Session and transport are borrowed; `files` where A and
    /// B are in files, else null.
    DataflowProduct(const Problem& problem, DataflowPlan plan, bench::Session& session,
                    comm::Transport& transport, std::unique_ptr<const TileFiles> files);

    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool owns(TileIndex tile) const override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Partial tiles that this rank has taken in, in the last run.
    [[nodiscard]] std::int64_t received() const { return received_; }
    /// What this rank has read and written, in the last run.
    [[nodiscard]] Traffic traffic() const;
    /// For tests: the owned tiles of C, one after another.
    [[nodiscard]] std::span<float> results() { return results_.span(); }

  private:
    void make_queues(comm::Transport& transport);
    void add_message_kinds();
    void work(device::Stream& stream);
    void multiply_from_memory(device::Stream& stream);
    void multiply_from_files(device::Stream& stream);
    void multiply(const DataflowReader::Tiles& tiles, device::Stream& stream);
    [[nodiscard]] DataflowReader::WorkItem work_item(std::int64_t number) const;
    [[nodiscard]] std::int64_t products() const;
    void write(TileIndex tile, device::View<float> elements, device::Stream& stream);
    void reduce(device::Stream& stream);
    /// One product's contribution to a tile of C.
    struct Partial {
        std::int64_t target = 0;  ///< tile number
        std::int64_t inner = 0;   ///< index of its product
    };
    void add(const flow::Item& item, device::Stream& stream);
    [[nodiscard]] std::int64_t key_of(const Partial& partial) const;
    [[nodiscard]] Partial partial_of(std::int64_t key) const;
    /// The product that this worker multiplies after `before` (-1: the first one).
    std::int64_t next_product(std::int64_t before);
    [[nodiscard]] int reducer_of(std::int64_t tile_number) const;
    /// Where an owned tile of C begins in the results, or -1.
    [[nodiscard]] std::int64_t result_offset(TileIndex tile) const;

    Problem problem_;
    DataflowPlan plan_;
    int rank_;
    device::Device& device_;
    Operands operands_;
    flow::Hub hub_;
    std::vector<std::unique_ptr<flow::Queue>> queues_;  ///< by reducer
    int request_kind_ = 0;                    ///< of messages: a worker asks for a product
    int assignment_kind_ = 0;                 ///< of messages: the first reducer's answer
    std::int64_t assigned_products_ = 0;      ///< on the first reducer
    std::optional<std::int64_t> assignment_;  ///< what this worker was given
    device::Buffer<float> results_;           ///< owned tiles of C
    std::int64_t received_ = 0;
    std::vector<float> input_;  ///< a tile of A or B, for the check
    std::unique_ptr<const TileFiles> files_;
    std::optional<DataflowReader> reader_;     ///< on workers, where tiles lie in files
    Bytes written_;                            ///< written by the stream while it writes
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< on reducers, where C is kept
};

}  // namespace quartet::matmul

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/program/session.hpp"
#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/dataflow_reader.hpp"
#include "matmul/native/blocking.hpp"
#include "matmul/options.hpp"
#include "matmul/product.hpp"
#include "matmul/tiles/operands.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// The paper's data flow (VI.B): workers multiply a tile of A by a tile of B and push the partial
/// tile to a queue of the reducer that the target's index falls to; reducers add what comes to
/// their tiles of C. They add in the products' order, whoever made them (flow::Order::sequence), so
/// that C has the same bits in each run, whatever the workers, the schedule and the bound: a worker
/// can be two partial tiles a reducer ahead of the slowest. All (N/B)^3 partial tiles travel, N/B
/// times as many as C has.
class DataflowProduct final : public Product {
  public:
    struct Settings {
        Shares shares = Shares::fixed;
        int bound = 16;                                     ///< of each reducer's queue
        int lookahead = DataflowReader::default_lookahead;  ///< in products, of tiles in files
        Results results = Results::removed;                 ///< of tiles in files
    };
    /// Where a worker has A and B.
    enum class Inputs { memory, files };

    /// What each rank needs of A and B, as if it were its block of C: a worker everything, a
    /// reducer nothing.
    static std::vector<Block> needs(const Problem& problem, const comm::Roles& roles);
    /// Of a rank: A and B, its tiles of C, or the partial tiles under way.
    static OperandMemory memory(const Problem& problem, const comm::Roles& roles,
                                const comm::Topology& topology, int rank, Sharing sharing,
                                const Settings& settings, Inputs inputs);

    /// Collective. All but problem, roles and settings are borrowed; `files` where A and B are in
    /// files, else null.
    DataflowProduct(const Problem& problem, const comm::Roles& roles, bench::Session& session,
                    comm::Transport& transport, Sharing sharing, Settings settings,
                    const TileFiles* files = nullptr);

    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool owns(TileIndex tile) const override;
    [[nodiscard]] std::string note() const override;

    /// Partial tiles that this rank has taken in, in the last run.
    [[nodiscard]] std::int64_t received() const { return received_; }
    /// What this rank has read and written, in the last run.
    [[nodiscard]] Traffic traffic() const;
    /// For tests: the owned tiles of C, one after another.
    [[nodiscard]] std::span<float> results() { return results_.span(); }

  private:
    void work(device::Stream& stream);
    void multiply_from_memory(device::Stream& stream);
    void multiply_from_files(device::Stream& stream);
    void multiply(const DataflowReader::Tiles& tiles, device::Stream& stream);
    [[nodiscard]] DataflowReader::Product product_at(std::int64_t number) const;
    [[nodiscard]] std::int64_t products() const;
    void write(TileIndex tile, device::View<float> elements, device::Stream& stream);
    void reduce(device::Stream& stream);
    /// Where a partial tile goes.
    struct Partial {
        std::int64_t target = 0;  ///< tile number
        std::int64_t inner = 0;   ///< index of its product
    };
    void add(const flow::Item& item, device::Stream& stream);
    [[nodiscard]] std::int64_t key_of(const Partial& partial) const;
    [[nodiscard]] Partial partial_of(std::int64_t key) const;
    std::int64_t next_product(std::int64_t before);
    [[nodiscard]] int reducer_of(std::int64_t tile_number) const;

    Problem problem_;
    comm::Roles roles_;
    int rank_;
    device::Device& device_;
    Settings settings_;
    Operands operands_;
    flow::Hub hub_;
    std::vector<std::unique_ptr<flow::Queue>> queues_;  ///< by reducer
    int wish_kind_;                                     ///< of messages: a worker wants a product
    int share_kind_;                                    ///< the answer
    std::int64_t shared_out_ = 0;                       ///< products, by the first reducer
    std::optional<std::int64_t> share_;                 ///< what this worker was given
    std::vector<std::int64_t> begins_;  ///< by tile number: where in results_, or -1
    device::Buffer<float> results_;     ///< owned tiles of C
    std::int64_t received_ = 0;
    std::vector<float> made_;  ///< an input tile, for the check
    const TileFiles* files_;
    std::optional<DataflowReader> reader_;     ///< on workers, where tiles lie in files
    Bytes written_;                            ///< the writing stream's while it writes
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< on reducers, where C is kept
};

}  // namespace quartet::matmul

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/dataflow/gpu_sums.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/tile_sink.hpp"

namespace quartet::matmul {

/// A reducer of the data flow: it takes the partial tiles of its tiles of C in the products' order,
/// and adds them, on the CPU in the tiles of C themselves. C is written where results are kept, and
/// to a checkpoint if there is one; a stream writes complete tiles beside the sums.
class DataflowReducer final : public DataflowProduct {
  public:
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const DataflowShape& shape);

        device::Buffer<float> results;
        device::Buffer<float> sums;  ///< of a GPU
        FileSlots input;             ///< a tile of A or B that the check reads
    };

    DataflowReducer(const Problem& problem, const DataflowShape& shape, bench::Session& session,
                    comm::Transport& transport, const ProductFiles& files);

    /// Brings the tiles that were taken over to their place.
    void prepare() override;
    /// Until the workers have closed the queue.
    void run(device::Stream& stream) override;
    /// It has no tiles of A and B: they are read or made again.
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override { return view(tile).span(); }
    [[nodiscard]] bool owns(TileIndex tile) const override {
        return order_.reducer_of(tile) == index_;
    }
    [[nodiscard]] Traffic traffic() const override {
        return {.read = {}, .written = sink_ ? sink_->written() : Bytes{}};
    }
    [[nodiscard]] Traffic copied() const override { return sums_ ? sums_->copied() : Traffic{}; }
    [[nodiscard]] std::int64_t received() const override { return received_; }
    [[nodiscard]] std::span<float> results() override { return buffers_.results.span(); }

  private:
    void add(const flow::Item& item);
    void add_on_host(const SumTerm& term);
    void take_over();
    [[nodiscard]] device::View<float> view(TileIndex tile);

    int index_;  ///< among the reducers
    device::Device& device_;
    device::Stream& stream_;
    bench::Arena arena_;
    Buffers buffers_;
    std::vector<std::int64_t> offsets_;  ///< of its tiles in the results, in their order
    std::optional<GpuSums> sums_;
    std::int64_t received_ = 0;
    std::vector<float> input_;                 ///< a tile of A or B that is made again
    std::optional<FileSink> sink_;             ///< where C is kept
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< where C goes to the sink
};

}  // namespace quartet::matmul

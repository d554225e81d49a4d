#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bench/session/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/product_order.hpp"
#include "matmul/dataflow/tile_sums.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/tile_sink.hpp"

namespace quartet::matmul {

/// A reducer of the data flow: it takes the partial tiles of its tiles of C in the products' order,
/// and adds them. Where C is kept, a stream writes complete tiles beside the sums.
class DataflowReducer {
  public:
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const DataflowLayout& layout);

        device::Buffer<float> results;
        device::Buffer<float> sums;  ///< make_tile_sums()
        FileSlots input;             ///< a tile of A or B that the check reads
    };

    /// All is borrowed; C is written where results are kept, and to a checkpoint if there is one.
    DataflowReducer(const Problem& problem, const DataflowLayout& layout, bench::Session& session,
                    const ProductOrder& order, const ProductFiles& files);

    /// Before each run: brings the tiles that were taken over to their place.
    void prepare();
    /// Until the workers have closed the queue.
    void run(flow::Queue& queue);

    /// Product::input(): a reducer has no tiles of A and B, so they are read or made again.
    [[nodiscard]] std::span<const float> input(Operand operand, TileIndex tile);
    [[nodiscard]] bool owns(TileIndex tile) const { return offset_of(tile) >= 0; }
    /// A tile of C that it owns.
    [[nodiscard]] std::span<const float> result(TileIndex tile) { return view(tile).span(); }
    /// For tests: its tiles of C, one after another.
    [[nodiscard]] std::span<float> results() { return buffers_.results.span(); }
    /// Partial tiles, in the last run.
    [[nodiscard]] std::int64_t received() const { return received_; }
    /// To files, in the last run.
    [[nodiscard]] Bytes written() const { return sink_ ? sink_->written() : Bytes{}; }
    [[nodiscard]] const TileSums& sums() const { return *sums_; }

  private:
    void add(const flow::Item& item);
    void take_over();
    [[nodiscard]] std::int64_t offset_of(TileIndex tile) const {
        return offsets_[static_cast<std::size_t>(order_.number_of(tile))];
    }
    [[nodiscard]] device::View<float> view(TileIndex tile) {
        return buffers_.results.view().part(offset_of(tile), problem_.elements(tile));
    }

    Problem problem_;
    const ProductOrder& order_;
    int index_;  ///< among the reducers
    device::Stream& stream_;
    const std::vector<std::int64_t>& offsets_;  ///< of tiles in the results
    bench::Arena arena_;
    Buffers buffers_;
    std::unique_ptr<TileSums> sums_;
    std::int64_t received_ = 0;
    const MatrixFiles* files_;  ///< null where A and B are in memory
    bench::TileCheckpoint* checkpoint_;
    std::vector<float> input_;                 ///< a tile of A or B that is made again
    std::optional<FileSink> sink_;             ///< where C is kept
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< where C goes to the sink
};

}  // namespace quartet::matmul

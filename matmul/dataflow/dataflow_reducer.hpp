#pragma once

#include <memory>
#include <span>

#include "bench/session/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/dataflow_plan.hpp"
#include "matmul/dataflow/product_order.hpp"
#include "matmul/dataflow/tile_sums.hpp"

namespace quartet::matmul {

/// A reducer of the data flow: it takes the partial tiles of its tiles of C in the products' order,
/// and adds them. Where C is kept, a stream writes complete tiles beside the sums.
class DataflowReducer {
  public:
    /// Allocates plan.results and tile_sums_memory(). All is borrowed; C is written where results
    /// are kept, and to a checkpoint if there is one.
    DataflowReducer(const Problem& problem, const DataflowPlan& plan, bench::Session& session,
                    const ProductOrder& order, const ProductFiles& files);

    /// Before each run: brings the tiles that were taken over to their place.
    void prepare();
    /// Until the workers have closed the queue.
    void run(flow::Queue& queue);

    /// A tile of C that it owns.
    [[nodiscard]] std::span<const float> result(TileIndex tile) const;
    /// For tests: its tiles of C, one after another.
    [[nodiscard]] std::span<float> results() { return results_.span(); }
    /// Partial tiles, in the last run.
    [[nodiscard]] std::int64_t received() const { return received_; }
    /// To files, in the last run.
    [[nodiscard]] Bytes written() const { return written_; }
    [[nodiscard]] const TileSums& sums() const { return *sums_; }

  private:
    void add(const flow::Item& item);
    void take_over();
    void write(TileIndex tile, device::View<const float> elements);
    void enqueue_write(TileIndex tile, device::View<const float> elements);
    [[nodiscard]] std::int64_t offset_of(TileIndex tile) const;

    Problem problem_;
    const ProductOrder& order_;
    int index_;  ///< among the reducers
    device::Stream& stream_;
    const std::vector<std::int64_t>& offsets_;  ///< of tiles in the results
    device::Buffer<float> results_;
    std::unique_ptr<TileSums> sums_;
    std::int64_t received_ = 0;
    const TileFiles* files_;  ///< where results are kept, else null
    bench::TileCheckpoint* checkpoint_;
    Bytes written_;                            ///< written by the stream while it writes
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< where C goes to files
};

}  // namespace quartet::matmul

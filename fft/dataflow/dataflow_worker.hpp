#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fft/dataflow/dataflow_role.hpp"
#include "fft/dataflow/timed_passes.hpp"
#include "fft/problem/tile_loader.hpp"

namespace quartet::fft {

/// Transforms its tiles and pushes each to the reducer: column FFTs write the tile's SIMD blocks,
/// whose layout is the same on all devices, into the queue's own memory. Where that is the host's
/// and tiles are on a GPU, each is copied there while the next is transformed. Tiles in files are
/// read anew in each run, one ahead.
class DataflowWorker final : public DataflowRole {
  public:
    /// The tiles' files are there and have been checked.
    DataflowWorker(bench::Session& session, const DataflowPlan& plan);

    void prepare() override;
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<const Point> input_memory() const override {
        return loader_ ? device::View<const Point>() : buffers_.input.view();
    }
    [[nodiscard]] device::View<Point> result() override { return {}; }
    [[nodiscard]] ReadPieces output() override;
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override;

  private:
    [[nodiscard]] device::View<Point> tile(std::size_t number);
    [[nodiscard]] device::View<double> staged(std::size_t number);
    void make_tiles();
    void read_ahead(std::size_t number);
    void begin(std::size_t number, device::View<std::byte> slot);
    void transform_all();
    void copy_all();

    bench::Session& session_;
    DataflowPlan plan_;
    bench::Arena arena_;
    WorkerBuffers buffers_;               ///< the tiles in the order in which they are pushed
    std::vector<std::int64_t> order_;     ///< this rank's tiles, as they are pushed
    std::unique_ptr<TileLoader> loader_;  ///< null if tiles are not in files
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile that is under way: when it has been transformed, and when it can be pushed.
    struct Step {
        std::unique_ptr<device::Event> transformed;
        std::unique_ptr<device::Event> done;
    };
    std::array<Step, staged_tiles> steps_;
    std::size_t ahead_;  ///< tiles that are begun before the one that is pushed

    flow::Queue* queue_ = nullptr;  ///< whose payloads the limit copies to
    std::optional<TimedPasses> transforms_;
    std::optional<TimedPasses> copies_;
};

}  // namespace quartet::fft

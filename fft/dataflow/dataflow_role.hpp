#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/program/case.hpp"
#include "fft/dataflow/dataflow_plan.hpp"
#include "fft/tile_loader.hpp"
#include "fft/verify.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// What one rank does in the data flow: a worker or the reducer. All members are local, but for
/// what they wait for in the queue.
class DataflowRole {
  public:
    virtual ~DataflowRole() = default;
    /// Before each run, outside of the time.
    virtual void prepare() {}
    virtual void run(flow::Queue& queue, bench::Clocks& clocks) = 0;

    /// This rank's tiles, one after another; none on the reducer. Outside of runs.
    [[nodiscard]] virtual ReadPieces input() const = 0;
    /// The same in memory, where runs leave them as they are; empty where they read files.
    [[nodiscard]] virtual device::View<const Point> input_memory() const { return {}; }
    /// X on the reducer, where it computes; empty on a worker.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// X as the CPU sees it, outside of runs.
    [[nodiscard]] virtual ReadPieces output() = 0;

    /// Makes ready what measure() needs. Payloads that are under way in the queue: none.
    virtual void prepare_limit(flow::Queue& queue) = 0;
    /// This rank's part of the limit.
    struct Times {
        Seconds transforms;  ///< of a worker's tiles
        Seconds copy;        ///< of all points on the reducer
        Seconds host_link;   ///< of its tiles between its GPU and the host's memory
    };
    [[nodiscard]] virtual Times measure() = 0;
};

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
        return loader_ ? device::View<const Point>() : input_.view();
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
    std::vector<std::int64_t> order_;     ///< this rank's tiles, as they are transformed
    device::Buffer<Point> input_;         ///< the tiles in that order
    std::unique_ptr<TileLoader> loader_;  ///< null where tiles are not in files
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    device::Buffer<double> staged_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile that is under way: when it has been transformed, and when it can be pushed.
    struct Step {
        std::unique_ptr<device::Event> transformed;
        std::unique_ptr<device::Event> done;
    };
    std::array<Step, staged_tiles> steps_;
    std::size_t ahead_;  ///< tiles that are begun before the one that is pushed

    flow::Queue* queue_ = nullptr;      ///< whose payloads the limit copies to
    device::Buffer<double> discarded_;  ///< what the limit's transforms write
    int passes_ = 1;                    ///< of what the limit measures
    int copy_passes_ = 1;
};

/// Merges the tiles as they come: where the merger computes on a GPU and payloads lie in the host's
/// memory, each is copied in while the one before is placed.
class DataflowReducer final : public DataflowRole {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    DataflowReducer(bench::Session& session, const DataflowPlan& plan);

    void prepare() override;
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<Point> result() override { return merger_->result(); }
    [[nodiscard]] ReadPieces output() override;
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override;

  private:
    void add(const flow::Item& item);
    void copy_all();

    bench::Session& session_;
    DataflowPlan plan_;
    device::Device& device_;
    device::Stream& stream_;
    std::unique_ptr<Merger> merger_;
    device::Buffer<double> staged_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile's place on the GPU: when it has come, and when it has been merged.
    struct Place {
        std::unique_ptr<device::Event> arrived;
        std::unique_ptr<device::Event> merged;
    };
    std::array<Place, staged_tiles> places_;
    std::size_t added_ = 0;  ///< tiles, in all runs

    device::Buffer<double> copied_;
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
    int copy_passes_ = 1;
};

/// Makes and checks files, too. Collective. Throws Failure.
std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session, const DataflowPlan& plan);

}  // namespace quartet::fft

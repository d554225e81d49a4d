#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/program/case.hpp"
#include "fft/dataflow/dataflow_plan.hpp"
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

    /// This rank's tiles, one after another; none on the reducer.
    [[nodiscard]] virtual ReadPieces input() const = 0;
    /// X on the reducer; empty on a worker.
    [[nodiscard]] virtual device::View<Point> result() = 0;

    /// Makes ready what measure() needs.
    virtual void prepare_limit() = 0;
    /// This rank's part of the limit.
    struct Times {
        Seconds transforms;  ///< of a worker's tiles
        Seconds copy;        ///< of all points on the reducer
    };
    [[nodiscard]] virtual Times measure() = 0;
};

/// Transforms its tiles and pushes each to the reducer.
class DataflowWorker final : public DataflowRole {
  public:
    DataflowWorker(bench::Session& session, const DataflowPlan& plan);

    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<Point> result() override { return {}; }
    void prepare_limit() override;
    [[nodiscard]] Times measure() override;

  private:
    [[nodiscard]] device::View<const Point> tile(std::size_t number) const;
    void transform_all();

    bench::Session& session_;
    DataflowPlan plan_;
    std::vector<std::int64_t> order_;  ///< this rank's tiles, as they are transformed
    device::Buffer<Point> input_;      ///< the tiles in that order
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    device::Buffer<double> discarded_;  ///< what the limit's transforms write
    int passes_ = 1;                    ///< of what the limit measures
};

/// Merges the tiles as they come.
class DataflowReducer final : public DataflowRole {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    DataflowReducer(bench::Session& session, const DataflowPlan& plan);

    void prepare() override;
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<Point> result() override { return merger_->result(); }
    void prepare_limit() override;
    [[nodiscard]] Times measure() override;

  private:
    bench::Session& session_;
    DataflowPlan plan_;
    std::unique_ptr<Merger> merger_;
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
};

std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session, const DataflowPlan& plan);

}  // namespace quartet::fft

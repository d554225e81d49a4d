#pragma once

#include <memory>
#include <optional>

#include "bench/measure/probes.hpp"
#include "fft/dataflow/dataflow_role.hpp"
#include "fft/dataflow/merger.hpp"

namespace quartet::fft {

/// Merges the tiles as they come, on the CPU.
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
    device::Device& device_;
    device::Stream& stream_;
    std::unique_ptr<Merger> merger_;
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
};

}  // namespace quartet::fft

#pragma once

#include <array>
#include <memory>
#include <optional>

#include "bench/measure/probes.hpp"
#include "fft/dataflow/dataflow_role.hpp"
#include "fft/dataflow/merger.hpp"
#include "fft/dataflow/timed_passes.hpp"

namespace quartet::fft {

/// Merges the tiles as they come: if the merger computes on a GPU and payloads lie in the host's
/// memory, each is copied in while the one before is placed. Where workers were asked to stop,
/// there is no result.
class DataflowReducer final : public DataflowRole {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    /// A checkpoint is borrowed; it may be null.
    DataflowReducer(bench::Session& session, const DataflowPlan& plan,
                    bench::TileCheckpoint* checkpoint);

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
    bench::TileCheckpoint* checkpoint_;
    device::Device& device_;
    device::Stream& stream_;
    std::unique_ptr<Merger> merger_;
    bench::Arena arena_;
    CopiedTiles copied_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile's place on the GPU: when it has come, and when it has been merged.
    struct Place {
        std::unique_ptr<device::Event> arrived;
        std::unique_ptr<device::Event> merged;
    };
    std::array<Place, staged_tiles> places_;
    std::size_t added_ = 0;  ///< tiles, in all runs

    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
    std::optional<TimedPasses> copies_;
};

}  // namespace quartet::fft

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/limits.hpp"
#include "bench/program/case.hpp"
#include "bench/program/session.hpp"
#include "comm/topology/roles.hpp"
#include "fft/dataflow/merger.hpp"
#include "fft/problem.hpp"
#include "fft/verify.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// The dataflow formulation (the paper's VI.D): workers transform their tiles and push each through
/// a queue to the one merger, rank 0, which puts them together in natural order. The paper's clock
/// stops when the merger has the last tile; the case's own when it has the result.
///
/// The limit: the slower of the workers' transforms, made alone, and the merger's reading and
/// writing of each point as it comes; then, as each value of the result depends on the last tile,
/// the merger's once more.
class DataflowCase final : public bench::Case {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    /// Collective. Throws Unavailable.
    DataflowCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                 const comm::Roles& roles);

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override;
    void prepare_limit() override;
    Seconds limit() override;
    [[nodiscard]] std::string limit_name() const override;
    [[nodiscard]] std::string note() const override;

    /// On the merger: X; empty elsewhere.
    [[nodiscard]] device::View<Point> result() {
        return merger_ ? merger_->result() : device::View<Point>{};
    }

    /// What a rank needs, and what of it lies in windows where the transport has such.
    struct Memory {
        Bytes all;
        Bytes windows;
    };
    [[nodiscard]] static Memory memory(bench::Session& session, const bench::Variant& variant,
                                       const Problem& problem, const comm::Roles& roles);

  private:
    [[nodiscard]] bool works() const;
    [[nodiscard]] Range my_tiles() const;
    device::Stream& stream() { return session_.stream(); }
    void work();
    void make_input();
    void transform_all();
    void merge(bench::Clocks& clocks, Seconds begin);

    bench::Session& session_;
    Problem problem_;
    comm::Roles roles_;
    int rank_;
    comm::Transport& transport_;
    device::FourStepFft alone_;  ///< a tile as a transform of its own
    std::unique_ptr<flow::Hub> hub_;
    std::unique_ptr<flow::Queue> queue_;
    device::Buffer<Point> input_;      ///< on workers: their tiles
    std::vector<std::int64_t> order_;  ///< this rank's tiles, as they are transformed
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::optional<Merger> merger_;
    TransformCheck check_;
    device::Buffer<double> discarded_;        ///< on workers: the limit's transforms
    std::optional<bench::MemoryProbe> copy_;  ///< on the merger
    std::optional<bench::PairProbe> link_;    ///< where tiles travel
    int passes_ = 1;                          ///< of what the limit measures here
};

}  // namespace quartet::fft

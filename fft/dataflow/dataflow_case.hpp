#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "fft/dataflow/dataflow_plan.hpp"
#include "fft/dataflow/dataflow_role.hpp"
#include "fft/problem/verify.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// The dataflow formulation (the paper's VI.D): workers transform their tiles and push each through
/// a bounded queue to the one reducer, rank 0, which merges them into natural order. The paper's
/// clock stops when the reducer has the last tile; the case's own when it has the result.
///
/// On GPUs the merger computes on the CPU; the tiles' SIMD blocks are laid out alike.
///
/// The limit: the slowest of the workers' transforms, made alone, the reducer's intake, which reads
/// and writes each point once, copies between GPUs and CPUs, and the link; then one more reading
/// and writing, as each value of the result depends on the last tile.
class DataflowCase final : public bench::Case {
  public:
    /// Collective. Throws Unavailable.
    DataflowCase(bench::Session& session, const DataflowPlan& plan);

    void prepare() override { role_->prepare(); }
    void run(bench::Clocks& clocks) override { role_->run(*queue_, clocks); }
    bench::Check verify() override;
    void finish() override;
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override;
    [[nodiscard]] std::string note() const override;

    /// X on the reducer; empty elsewhere.
    [[nodiscard]] device::View<Point> result() { return role_->result(); }

  private:
    void make_queue();

    bench::Session& session_;
    DataflowPlan plan_;
    comm::Transport& transport_;
    std::unique_ptr<flow::Hub> hub_;
    std::unique_ptr<flow::Queue> queue_;
    std::unique_ptr<DataflowRole> role_;
    bench::InputGuard guard_;
    TransformCheck check_;
    std::optional<bench::PairProbe> link_;  ///< where tiles travel
};

}  // namespace quartet::fft

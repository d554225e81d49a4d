#pragma once

#include "bench/program/buffer_plan.hpp"
#include "cg/dataflow/dataflow_reduction.hpp"
#include "cg/iteration.hpp"
#include "cg/problem.hpp"
#include "cg/rank_context.hpp"
#include "device/matrix.hpp"
#include "flow/hub.hpp"

namespace quartet::cg {

/// The classic iteration by queues: see DataflowSolver. Its state has no rows on the reducer, but
/// all scalars everywhere.
class DataflowIteration final : public Iteration {
  public:
    /// Without those of the queues.
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                const comm::Roles& roles, int rank);

        bench::PlannedBuffer<double> x;
        bench::PlannedBuffer<double> r;
        bench::PlannedBuffer<double> p;
        bench::PlannedBuffer<double> product;
        bench::PlannedBuffer<double> sum;
        bench::PlannedBuffer<double> whole;
        bench::PlannedBuffer<double> merged;
    };

    /// Borrows all but buffers, problem and roles; the share is a worker's, null on the reducer.
    /// The queues and the reducer's sums are in the CPU's memory; vectors and products are in the
    /// device's. Collective.
    DataflowIteration(const RankContext& context, const Buffers& buffers,
                      comm::Transport& transport, flow::Hub& hub, const Problem& problem,
                      const comm::Roles& roles, device::MatrixShare* share);

    void restart(device::View<const double> right_side) override;
    void run(std::span<double> history, Observer& observer) override;

  private:
    [[nodiscard]] bool works() const { return share_ != nullptr; }
    void find_first_residual();
    /// One iteration of a worker, of the reducer. Whether any rank wants to stop.
    bool work(bool wants_stop);
    bool reduce(bool wants_stop);
    device::View<const double> exchange_direction();
    void merge_direction();
    double local_sum();

    device::Device& device_;
    device::Stream& stream_;
    Problem problem_;
    comm::Roles roles_;
    int index_;  ///< of a worker
    device::MatrixShare* share_;
    device::Buffer<double> x_;
    device::Buffer<double> r_;
    device::Buffer<double> p_;
    device::Buffer<double> product_;
    device::Buffer<double> sum_;     ///< one element, for the CPU to read
    device::Buffer<double> whole_;   ///< on a worker whose device has memory of its own: p
    device::Buffer<double> merged_;  ///< on the reducer: p, in the CPU's memory
    DataflowReduction curvature_;    ///< p.Ap in, alpha out
    DataflowReduction residual_;     ///< r.r in, beta out
    flow::Queue pieces_;             ///< of p, by worker
    flow::Publication direction_;    ///< p
};

}  // namespace quartet::cg

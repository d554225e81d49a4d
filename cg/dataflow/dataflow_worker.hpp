#pragma once

#include <memory>

#include "cg/dataflow/dataflow_iteration.hpp"

namespace quartet::cg {

/// A worker's iteration: its block of rows, on its device.
class DataflowWorker final : public DataflowIteration {
  public:
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                const comm::Roles& roles, int rank);

        device::RowBlock block;
        bench::PlannedBuffer<double> x;
        bench::PlannedBuffer<double> r;
        bench::PlannedBuffer<double> p;
        bench::PlannedBuffer<double> product;
        bench::PlannedBuffer<double> sum;
        bench::PlannedBuffer<double> whole;
    };

    /// As DataflowIteration; the share is zeros.
    DataflowWorker(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                   flow::Hub& hub, const Problem& problem, const comm::Roles& roles);

    [[nodiscard]] device::MatrixShare* share() override { return share_.get(); }

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    device::View<const double> exchange_direction();
    double local_sum();

    int index_;  ///< among the workers
    std::unique_ptr<device::MatrixShare> share_;
    device::Buffer<double> x_;
    device::Buffer<double> r_;
    device::Buffer<double> p_;
    device::Buffer<double> product_;
    device::Buffer<double> sum_;    ///< one element, for the CPU to read
    device::Buffer<double> whole_;  ///< p, where the device has memory of its own
};

}  // namespace quartet::cg

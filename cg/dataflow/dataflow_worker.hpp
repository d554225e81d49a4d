#pragma once

#include <memory>

#include "cg/dataflow/dataflow_loop.hpp"

namespace quartet::cg {

/// A worker's loop: its block of rows, on its device.
class DataflowWorker final : public DataflowLoop {
  public:
    struct Buffers {
        Buffers(bench::Arena& arena, const RankContext& context, const Problem& problem);

        device::Buffer<double> x;
        device::Buffer<double> r;
        device::Buffer<double> p;
        device::Buffer<double> product;
        device::Buffer<double> sum;    ///< one element, for the CPU to read
        device::Buffer<double> whole;  ///< p, where the device has memory of its own
    };

    /// Counts this rank's share of the matrix, beside the buffers. Local.
    static void count(bench::Arena& arena, const RankContext& context, const Problem& problem);

    /// See make_loop(); the share is zeros.
    DataflowWorker(const RankContext& context, comm::Transport& transport, const Problem& problem);

    [[nodiscard]] device::MatrixShare* share() override { return share_.get(); }

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    device::View<const double> exchange_direction();
    double local_sum();

    int index_;  ///< among the workers
    std::unique_ptr<device::MatrixShare> share_;
    Buffers buffers_;
};

}  // namespace quartet::cg

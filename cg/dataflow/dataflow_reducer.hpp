#pragma once

#include "cg/dataflow/dataflow_iteration.hpp"

namespace quartet::cg {

/// The reducer's iteration: it assembles p and makes the scalars. Its state has no rows.
class DataflowReducer final : public DataflowIteration {
  public:
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const Problem& problem);

        bench::PlannedBuffer<double> direction;
    };

    /// As DataflowIteration.
    DataflowReducer(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                    flow::Hub& hub, const Problem& problem, const comm::Roles& roles);

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    void assemble_direction();

    Problem problem_;
    comm::Roles roles_;
    device::Buffer<double> direction_;  ///< p, in the CPU's memory
};

}  // namespace quartet::cg

#pragma once

#include "cg/dataflow/dataflow_loop.hpp"

namespace quartet::cg {

/// The reducer's loop: it assembles p and makes the scalars. Its state has no rows.
class DataflowReducer final : public DataflowLoop {
  public:
    /// p, in the CPU's memory.
    static device::Buffer<double> make_direction(bench::Arena& arena, const Problem& problem) {
        return arena.make<double>(problem.size, bench::Room::host);
    }

    /// See make_loop().
    DataflowReducer(const RankContext& context, comm::Transport& transport, const Problem& problem);

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    void assemble_direction();

    device::Buffer<double> direction_;
};

}  // namespace quartet::cg

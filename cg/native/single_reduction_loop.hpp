#pragma once

#include "cg/native/native_loop.hpp"

namespace quartet::cg {

/// Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems" (1989), s = 1: a
/// recurrence keeps s = A p up to date from w = A r, so that p.Ap follows from r.r and r.Ar, which
/// one reduction sums.
class SingleReductionLoop final : public NativeLoop {
  public:
    /// See make_loop().
    SingleReductionLoop(const RankContext& context, comm::Transport& transport,
                        const Problem& problem);

    void run(std::span<double> history, Observer& observer) override;

  private:
    device::Operations resident_iteration(device::View<device::CgScalars> scalars,
                                          device::View<double> history);
};

}  // namespace quartet::cg

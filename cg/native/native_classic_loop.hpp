#pragma once

#include "cg/native/native_loop.hpp"

namespace quartet::cg {

/// The paper's iteration (VI.C), after Hestenes and Stiefel (1952): two sums, one after the other.
class NativeClassicLoop final : public NativeLoop {
  public:
    /// See make_loop().
    NativeClassicLoop(const RankContext& context, comm::Transport& transport,
                      const Problem& problem);

    void run(std::span<double> history, Observer& observer) override;

  private:
    /// All ranks' rows of the direction, for the first product of a run. Collective.
    void gather_direction();
    /// r + beta p, as other ranks have it in their rows. Collective.
    void follow_others(double beta);
    DeviceResidentCg::Iterations resident_iterations(device::View<device::CgScalars> scalars,
                                                     device::View<double> history);
};

}  // namespace quartet::cg

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
    device::Operations resident_iteration(device::View<device::CgScalars> scalars,
                                          device::View<double> history);
};

}  // namespace quartet::cg

#pragma once

#include <memory>
#include <vector>

#include "bench/session/buffer_plan.hpp"
#include "cg/iteration.hpp"
#include "cg/limit.hpp"
#include "cg/problem.hpp"
#include "cg/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// One formulation: a matrix over the ranks, and the iterations that solve its system.
class Solver {
  public:
    virtual ~Solver() = default;

    /// This rank's share of the matrix, to be filled; null on a reducer. Local.
    virtual device::MatrixShare* share() = 0;
    virtual Iteration& iteration() = 0;
    /// All rows of a vector of the iteration's state, on all ranks. The direction may be lost.
    /// Collective.
    virtual std::vector<double> gather(device::View<const double> rows) = 0;
    /// What the iterations are compared with. Borrows the solver. Collective.
    virtual std::unique_ptr<Limit> make_limit(const RankContext& context, const Problem& problem);
};

/// A vector of the device's, copied to the CPU. Local.
std::vector<double> on_host(device::View<const double> vector, device::Device& device,
                            device::Stream& stream);

/// A solver with a matrix of zeros. Borrows the transport and what the context borrows. Collective.
/// Throws Unavailable where the transport lacks a capability.
std::unique_ptr<Solver> make_solver(const RankContext& context, comm::Transport& transport,
                                    const Problem& problem, bench::Formulation formulation);

/// The memory of such a solver, and of its limit, on a rank. Local.
bench::BufferPlan plan_solver(const device::Device& device, const comm::OperationMemory& transport,
                              const Problem& problem, bench::Formulation formulation, int ranks,
                              int rank, int queue);

}  // namespace quartet::cg

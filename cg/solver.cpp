#include "cg/solver.hpp"

#include "cg/flow_solver.hpp"
#include "cg/native_solver.hpp"

namespace quartet::cg {

std::unique_ptr<Solver> make_solver(bench::Session& session, comm::Transport& transport,
                                    const Problem& problem, const comm::Roles& roles) {
    if (roles.reducers() > 0) {
        return std::make_unique<FlowSolver>(session, transport, problem, roles);
    }
    return std::make_unique<NativeSolver>(session, transport, problem);
}

SolverMemory solver_memory(const bench::Session& session, const Problem& problem,
                           const comm::Roles& roles, const device::Device& device) {
    const int rank = session.world().rank();
    return roles.reducers() > 0
               ? FlowSolver::memory(device, problem, roles, rank, session.options().queue)
               : NativeSolver::memory(device, problem, roles.ranks(), rank);
}

}  // namespace quartet::cg

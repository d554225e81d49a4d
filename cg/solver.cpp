#include "cg/solver.hpp"

#include "cg/dataflow/dataflow_solver.hpp"
#include "cg/library/library_solver.hpp"
#include "cg/native/native_solver.hpp"

namespace quartet::cg {

std::vector<double> on_host(device::View<const double> vector, device::Device& device,
                            device::Stream& stream) {
    auto host = device::allocate<double>(device, vector.size(), device::MemoryKind::pinned);
    device.copy(device::as_bytes(vector), device::as_bytes(host.view()), stream);
    stream.synchronize();
    return {host.span().begin(), host.span().end()};
}

std::unique_ptr<Solver> make_solver(bench::Session& session, comm::Transport& transport,
                                    const Problem& problem, const bench::Variant& variant) {
    if (variant.formulation == bench::Formulation::dataflow) {
        return std::make_unique<DataflowSolver>(session, transport, problem,
                                                roles_of(variant, session.world().size()));
    }
    if (variant.formulation == bench::Formulation::library) {
        return std::make_unique<LibrarySolver>(session, transport, problem);
    }
    return std::make_unique<NativeSolver>(session, transport, problem);
}

SolverMemory solver_memory(const bench::Session& session, const Problem& problem,
                           const bench::Variant& variant, const device::Device& device) {
    const int rank = session.world().rank();
    const int ranks = session.world().size();
    if (variant.formulation == bench::Formulation::dataflow) {
        return DataflowSolver::memory(device, problem, roles_of(variant, ranks), rank,
                                      session.options().queue);
    }
    if (variant.formulation == bench::Formulation::library) {
        return LibrarySolver::memory(device, problem, ranks, rank);
    }
    return NativeSolver::memory(device, problem, ranks, rank);
}

}  // namespace quartet::cg

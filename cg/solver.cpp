#include "cg/solver.hpp"

#include "cg/dataflow/dataflow_solver.hpp"
#include "cg/library/library_solver.hpp"
#include "cg/native/native_solver.hpp"

namespace quartet::cg {

std::unique_ptr<Limit> Solver::make_limit(const RankContext& context, const Problem& problem) {
    return std::make_unique<ReadingLimit>(context, problem, share());
}

std::vector<double> on_host(device::View<const double> vector, device::Device& device,
                            device::Stream& stream) {
    auto host = device::allocate<double>(device, vector.size(), device::MemoryKind::pinned);
    device.copy(device::as_bytes(vector), device::as_bytes(host.view()), stream);
    stream.synchronize();
    return {host.span().begin(), host.span().end()};
}

std::unique_ptr<Solver> make_solver(const RankContext& context, comm::Transport& transport,
                                    const Problem& problem, bench::Formulation formulation) {
    bench::BufferPlan plan;
    const int ranks = context.ranks();
    const int rank = context.rank();
    switch (formulation) {
        case bench::Formulation::dataflow: {
            const comm::Roles roles = roles_of(formulation, ranks);
            return std::make_unique<DataflowSolver>(
                context, DataflowSolver::Buffers(plan, context.device, problem, roles, rank),
                transport, problem, roles);
        }
        case bench::Formulation::library:
            return std::make_unique<LibrarySolver>(
                context, LibrarySolver::Buffers(plan, context.device, problem, ranks, rank),
                transport, problem);
        case bench::Formulation::native:
            break;
    }
    return std::make_unique<NativeSolver>(
        context, NativeSolver::Buffers(plan, context.device, problem, ranks, rank), transport,
        problem);
}

bench::BufferPlan plan_solver(const device::Device& device, const comm::OperationMemory& transport,
                              const Problem& problem, bench::Formulation formulation, int ranks,
                              int rank, int queue) {
    bench::BufferPlan plan;
    switch (formulation) {
        case bench::Formulation::dataflow: {
            const comm::Roles roles = roles_of(formulation, ranks);
            DataflowSolver::Buffers(plan, device, problem, roles, rank);
            DataflowQueues::plan(plan, transport, problem, roles, queue, rank);
            break;
        }
        case bench::Formulation::library:
            LibrarySolver::Buffers(plan, device, problem, ranks, rank);
            break;
        case bench::Formulation::native: {
            const NativeSolver::Buffers buffers(plan, device, problem, ranks, rank);
            if (problem.storage == Storage::symmetric && ranks > 1) {
                const Bytes mine = bytes_of<double>(buffers.matrix.rows.size());
                plan.add(transport.reduce_scatter(ranks, mine), bench::Room::device);
            }
            break;
        }
    }
    return plan;
}

}  // namespace quartet::cg

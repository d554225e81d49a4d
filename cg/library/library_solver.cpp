#include "cg/library/library_solver.hpp"

#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

namespace {

comm::Transport& require_mpi(comm::Transport& transport) {
    comm::require_plain_mpi(transport, "formulation library");
    return transport;
}

}  // namespace

LibrarySolver::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                const Problem& problem, int ranks, int rank)
    : block(row_block(problem, ranks, rank)),
      rows(plan, device, block),
      iteration(plan, problem, block.rows) {}

LibrarySolver::LibrarySolver(const RankContext& context, const Buffers& buffers,
                             comm::Transport& transport, const Problem& problem)
    : device_(context.device),
      stream_(context.stream),
      rows_((require_mpi(transport), context), buffers.rows, buffers.block),
      iteration_(context, buffers.iteration, transport, problem, rows_) {
    check(problem.storage == Storage::full && problem.algorithm == Algorithm::classic,
          "the library formulation has full storage and the classic algorithm");
}

// By way of p, whose values are lost.
std::vector<double> LibrarySolver::gather(device::View<const double> rows) {
    const device::View<double> direction = iteration_.state().direction;
    if (rows.data() != direction.data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(direction), stream_);
    }
    return on_host(iteration_.gather(), device_, stream_);
}

}  // namespace quartet::cg

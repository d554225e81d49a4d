#include "cg/library/library_solver.hpp"

#include <fmt/format.h>

#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

namespace {

comm::Transport& require_mpi(comm::Transport& transport) {
    if (transport.name() != "mpi") {
        throw Unavailable(
            fmt::format("formulation library is plain MPI (transport {} is not): add --transport "
                        "mpi",
                        transport.name()));
    }
    return transport;
}

}  // namespace

SolverMemory LibrarySolver::memory(const device::Device& device, const Problem& problem, int ranks,
                                   int rank) {
    const device::RowBlock block = row_block(problem, ranks, rank);
    return {.device = LibraryRows::memory(block) + LibraryIteration::memory(problem, block.rows),
            .host = LibraryRows::host_memory(block, device),
            .windows = {}};
}

LibrarySolver::LibrarySolver(bench::Session& session, comm::Transport& transport,
                             const Problem& problem)
    : device_(session.device()),
      stream_(session.stream()),
      rows_((require_mpi(transport),
             row_block(problem, session.world().size(), session.world().rank())),
            session),
      iteration_(session, transport, problem, rows_) {
    check(problem.storage == Storage::full && problem.algorithm == Algorithm::classic,
          "the library formulation has full storage and the classic algorithm");
}

// It takes the way of p, whose values are lost.
std::vector<double> LibrarySolver::whole(device::View<const double> rows) {
    const device::View<double> direction = iteration_.state().direction;
    if (rows.data() != direction.data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(direction), stream_);
    }
    return on_host(iteration_.gather(), device_, stream_);
}

}  // namespace quartet::cg

#include "cg/native/native_solver.hpp"

namespace quartet::cg {

SolverMemory NativeSolver::memory(const device::Device& device, const Problem& problem, int ranks,
                                  int rank) {
    const std::int64_t rows = block_range(problem.size, ranks, rank).size();
    return {.device = DistributedMatrix::memory(device, problem, ranks, rank) +
                      Iteration::memory(problem, rows),
            .host = {},
            .windows = DistributedMatrix::window_memory(problem, ranks, rank)};
}

NativeSolver::NativeSolver(bench::Session& session, comm::Transport& transport,
                           const Problem& problem)
    : device_(session.device()),
      stream_(session.stream()),
      matrix_(session, transport, problem),
      iteration_(Iteration::make(problem.algorithm, session, matrix_, problem.title())) {}

// It takes the way of the vector that is multiplied, whose values are lost.
std::vector<double> NativeSolver::whole(device::View<const double> rows) {
    if (rows.data() != matrix_.input().data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(matrix_.input()), stream_);
    }
    return on_host(matrix_.gather(), device_, stream_);
}

}  // namespace quartet::cg

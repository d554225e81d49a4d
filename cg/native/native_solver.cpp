#include "cg/native/native_solver.hpp"

namespace quartet::cg {

NativeIterationBuffers plan_iteration(bench::BufferPlan& plan, Algorithm algorithm,
                                      std::int64_t rows, int ranks) {
    if (algorithm == Algorithm::classic) {
        return ClassicIteration::Buffers(plan, rows, ranks);
    }
    return SingleReductionIteration::Buffers(plan, rows, ranks);
}

std::unique_ptr<Iteration> make_iteration(const RankContext& context,
                                          const NativeIterationBuffers& buffers,
                                          DistributedMatrix& matrix, comm::Transport& transport,
                                          const std::string& name) {
    if (const auto* classic = std::get_if<ClassicIteration::Buffers>(&buffers)) {
        return std::make_unique<ClassicIteration>(context, *classic, matrix, transport, name);
    }
    return std::make_unique<SingleReductionIteration>(
        context, std::get<SingleReductionIteration::Buffers>(buffers), matrix, transport, name);
}

NativeSolver::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                               const Problem& problem, int ranks, int rank)
    : matrix(plan, device, problem, ranks, rank),
      iteration(plan_iteration(plan, problem.algorithm, matrix.rows.size(), ranks)) {}

NativeSolver::NativeSolver(const RankContext& context, const Buffers& buffers,
                           comm::Transport& transport, const Problem& problem)
    : device_(context.device),
      stream_(context.stream),
      matrix_(context, buffers.matrix, transport, problem),
      iteration_(make_iteration(context, buffers.iteration, matrix_, transport, problem.title())) {}

// By way of the vector that is multiplied, whose values are lost.
std::vector<double> NativeSolver::gather(device::View<const double> rows) {
    if (rows.data() != matrix_.input().data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(matrix_.input()), stream_);
    }
    return on_host(matrix_.gather(), device_, stream_);
}

}  // namespace quartet::cg

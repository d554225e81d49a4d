#pragma once

#include <memory>
#include <variant>

#include "cg/native/classic_iteration.hpp"
#include "cg/native/single_reduction_iteration.hpp"
#include "cg/solver.hpp"
#include "cg/system/distributed_matrix.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// The buffers of either iteration.
using NativeIterationBuffers =
    std::variant<ClassicIteration::Buffers, SingleReductionIteration::Buffers>;
NativeIterationBuffers plan_iteration(bench::BufferPlan& plan, Algorithm algorithm,
                                      std::int64_t rows, int ranks);
/// Borrows matrix, transport and what the context borrows; `name` is what failures call the matrix.
/// Collective.
std::unique_ptr<Iteration> make_iteration(const RankContext& context,
                                          const NativeIterationBuffers& buffers,
                                          DistributedMatrix& matrix, comm::Transport& transport,
                                          const std::string& name);

/// Every rank works; the ranks meet in collective operations.
class NativeSolver final : public Solver {
  public:
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                int ranks, int rank);

        DistributedMatrix::Buffers matrix;
        NativeIterationBuffers iteration;
    };

    /// As make_solver.
    NativeSolver(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                 const Problem& problem);

    device::MatrixShare* share() override { return &matrix_.share(); }
    Iteration& iteration() override { return *iteration_; }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    device::Device& device_;
    device::Stream& stream_;
    DistributedMatrix matrix_;
    std::unique_ptr<Iteration> iteration_;
};

}  // namespace quartet::cg

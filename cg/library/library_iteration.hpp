#pragma once

#include "bench/session/buffer_plan.hpp"
#include "cg/iteration.hpp"
#include "cg/problem.hpp"
#include "cg/rank_context.hpp"
#include "device/matrix.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

/// The classic iteration as a user of plain MPI and BLAS would write it first: all of p by
/// MPI_Allgatherv, one gemv, sums by MPI_Allreduce, and a pass over the vectors for each operation
/// on them.
class LibraryIteration final : public ClassicLoop {
  public:
    struct Buffers {
        /// Of a rank of so many rows.
        Buffers(bench::BufferPlan& plan, const Problem& problem, std::int64_t rows);

        bench::PlannedBuffer<double> x;
        bench::PlannedBuffer<double> r;
        bench::PlannedBuffer<double> p;
        bench::PlannedBuffer<double> product;
        bench::PlannedBuffer<double> whole;
        bench::PlannedBuffer<double> sum;
    };

    /// Borrows all but buffers and problem. Collective.
    LibraryIteration(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                     const Problem& problem, device::MatrixShare& share);

    /// Throws Failure for an observer that looks: there are no checkpoints.
    void run(std::span<double> history, Observer& observer) override;

    /// All of p, on all ranks: then it can carry any vector of rows. Collective.
    device::View<const double> gather();

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    double sum_of_products(device::View<const double> a, device::View<const double> b);

    const comm::Communicator& world_;
    device::VectorOperations& vectors_;
    device::MatrixShare& share_;
    std::string name_;
    device::Buffer<double> x_;
    device::Buffer<double> r_;
    device::Buffer<double> p_;
    device::Buffer<double> product_;  ///< A p
    device::Buffer<double> whole_;    ///< p of all ranks
    device::Buffer<double> sum_;      ///< one element, for the CPU to read
    std::unique_ptr<comm::Collective> gather_;
};

}  // namespace quartet::cg

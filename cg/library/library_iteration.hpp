#pragma once

#include "cg/native/iteration.hpp"
#include "device/matrix.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

/// The classic iteration as a user of plain MPI and BLAS would write it first: all of p by
/// MPI_Allgatherv, one gemv, sums by MPI_Allreduce, and a pass over the vectors for each operation
/// on them.
class LibraryIteration final : public Iteration {
  public:
    /// Borrows all but problem. Collective.
    LibraryIteration(bench::Session& session, comm::Transport& transport, const Problem& problem,
                     device::MatrixShare& share);

    void restart(device::View<const double> right_side) override;
    /// Nothing may watch: what it saved could not be gone on from.
    void run(std::span<double> history, Observer& watch) override;

    /// All of p, on all ranks: then it can carry any vector of rows. Collective.
    device::View<const double> gather();

    static Bytes memory(const Problem& problem, std::int64_t rows);

  private:
    void advance();
    double sum_of_products(device::View<const double> a, device::View<const double> b);

    const comm::Communicator& world_;
    device::Stream& stream_;
    device::VectorOperations& vectors_;
    device::Device& device_;
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

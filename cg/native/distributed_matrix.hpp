#pragma once

#include <memory>

#include "bench/session/arena.hpp"
#include "cg/problem/problem.hpp"
#include "cg/problem/rank_context.hpp"
#include "core/block_range.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// A square matrix over all ranks, and its product with a vector; each rank has a block of the
/// vector's rows. Full storage: a rank has its rows of the matrix and makes its part of the
/// product. Symmetric storage: a rank has a part of the triangle and contributes to all of the
/// product; the ranks' contributions are reduced and scattered. Either way every rank multiplies
/// the whole vector. Single-reduction multiplies r: the ranks gather it before each product.
/// Classic multiplies p = r + beta p: they gather r, and each computes all of p. Its reading of
/// other ranks' r then lies between the iteration's two sums, for which the ranks meet anyway.
class DistributedMatrix {
  public:
    struct Buffers {
        /// Collective where the arena allocates.
        Buffers(bench::Arena& arena, const RankContext& context, const Problem& problem);

        Range rows;  ///< of the vectors that this rank has
        device::Buffer<double> output;
        device::Buffer<double> direction;     ///< classic: all of p
        device::Buffer<double> gathered;      ///< on several ranks: all of r
        device::Buffer<double> residual;      ///< this rank's rows of r
        device::Buffer<double> contribution;  ///< of a triangle, on several ranks
    };

    /// Zeros. multiply_and_dot() writes its sum to `dot`. Throws Unavailable if the transport
    /// lacks a collective. Borrows all but the problem. Collective.
    DistributedMatrix(const RankContext& context, bench::Arena& arena, comm::Transport& transport,
                      const Problem& problem, device::View<double> dot);
    DistributedMatrix(const DistributedMatrix&) = delete;
    DistributedMatrix& operator=(const DistributedMatrix&) = delete;

    /// Counts what share(), products and collectives allocate beside the buffers. Local.
    static void count(bench::Arena& arena, const RankContext& context,
                      const comm::OperationMemory& transport, const Problem& problem);

    /// This rank's share, to be filled.
    [[nodiscard]] device::MatrixShare& share() { return *share_; }
    /// This rank's rows of vectors.
    [[nodiscard]] Range rows() const { return buffers_.rows; }
    /// This rank's rows of r, which the ranks gather, and of the product.
    [[nodiscard]] device::View<double> residual() { return buffers_.residual.view(); }
    [[nodiscard]] device::View<double> output() { return buffers_.output.view(); }
    /// All rows of the vector that is multiplied: p or r.
    [[nodiscard]] device::View<double> multiplied() { return multiplied_; }

    /// All of r, on all ranks. Between a run and the next write of r, and with classic also between
    /// the last write and the run, lies a sum of all ranks (JointSums). Collective.
    device::View<const double> gather();
    /// All rows of another vector, on all ranks, by r's place: r is lost. Needs no sums; waits.
    /// Collective.
    device::View<const double> gather(device::View<const double> rows);
    /// output = A multiplied, and this rank's share of multiplied . output. Collective.
    void multiply_and_dot();

  private:
    void prepare_collectives(comm::Transport& transport, const Problem& problem);
    void record_product(device::View<double> dot, Algorithm algorithm);

    device::Device& device_;
    device::Stream& stream_;
    const comm::Communicator& world_;
    std::unique_ptr<device::MatrixShare> share_;
    Buffers buffers_;
    device::View<double> multiplied_;
    std::unique_ptr<comm::Collective> gather_;
    std::unique_ptr<comm::Collective> reduce_;
    device::Operations product_;  ///< of this share, and the dot unless reduced
    device::Operations dot_;      ///< of what has been reduced
};

}  // namespace quartet::cg

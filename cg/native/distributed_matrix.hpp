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
/// product; the ranks' contributions are reduced and scattered. Either way all ranks gather the
/// whole vector first.
class DistributedMatrix {
  public:
    struct Buffers {
        /// Collective where the arena allocates.
        Buffers(bench::Arena& arena, const RankContext& context, const Problem& problem);

        Range rows;  ///< of the vectors that this rank has
        device::Buffer<double> output;
        device::Buffer<double> whole_input;  ///< empty on one rank, whose input is whole
        device::Buffer<double> input;
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
    /// This rank's rows of the vector to be multiplied, and of the product.
    [[nodiscard]] device::View<double> input() { return buffers_.input.view(); }
    [[nodiscard]] device::View<double> output() { return buffers_.output.view(); }

    /// output = A input, and this rank's share of input . output. Collective.
    void multiply_and_dot();
    /// The whole input, on all ranks. Collective.
    device::View<const double> gather();

  private:
    void prepare_collectives(comm::Transport& transport, const Problem& problem);
    void record_product(device::View<double> dot);

    device::Device& device_;
    device::Stream& stream_;
    int ranks_;
    std::unique_ptr<device::MatrixShare> share_;
    Buffers buffers_;
    std::unique_ptr<comm::Collective> gather_;
    std::unique_ptr<comm::Collective> reduce_;
    device::Operations product_;  ///< of this share, and the dot unless reduced
    device::Operations dot_;      ///< of what has been reduced
};

}  // namespace quartet::cg

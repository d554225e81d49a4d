#pragma once

#include <memory>

#include "bench/session/buffer_plan.hpp"
#include "cg/problem.hpp"
#include "cg/rank_context.hpp"
#include "core/block_range.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// A rank's rows of a full matrix that all ranks share.
device::RowBlock row_block(const Problem& problem, int ranks, int rank);

/// A square matrix over all ranks, and its product with a vector of which each rank has a block of
/// rows. Full storage: a rank has its rows of the matrix and makes its part of the product.
/// Symmetric storage: a rank has a part of the triangle and contributes to all of the product; the
/// ranks' contributions are reduced and scattered. Either way all ranks gather the whole vector
/// first.
class DistributedMatrix {
  public:
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                int ranks, int rank);

        Range rows;  ///< of the vectors that this rank has
        bench::PlannedBuffer<double> input;
        bench::PlannedBuffer<double> output;
        /// Empty on one rank, whose input and output are whole.
        bench::PlannedBuffer<double> whole_input;
        bench::PlannedBuffer<double> contribution;  ///< of a triangle
    };

    /// Zeros. Throws Unavailable where the transport lacks a collective. Collective.
    DistributedMatrix(const RankContext& context, const Buffers& buffers,
                      comm::Transport& transport, const Problem& problem);
    DistributedMatrix(const DistributedMatrix&) = delete;
    DistributedMatrix& operator=(const DistributedMatrix&) = delete;

    /// This rank's share, to be filled.
    [[nodiscard]] device::MatrixShare& share() { return *share_; }
    /// This rank's rows of vectors.
    [[nodiscard]] Range rows() const { return rows_; }
    /// This rank's rows of the vector to be multiplied, and of the product.
    [[nodiscard]] device::View<double> input() { return input_.view(); }
    [[nodiscard]] device::View<const double> output() const { return output_.view(); }

    /// output = A input. Collective.
    void multiply();
    /// The same for one rank, enqueued on another stream. Throws Failure on several ranks.
    void multiply_alone(device::Stream& stream);
    /// Makes multiply_and_dot() write its sum there, and records what it enqueues between its
    /// communications. Local.
    void leave_dot_in(device::View<double> dot);
    /// output = A input, and this rank's share of input . output. Collective.
    void multiply_and_dot();
    /// The whole input, on all ranks. Collective.
    device::View<const double> gather();

  private:
    void prepare_collectives(const Buffers& buffers, comm::Transport& transport,
                             const Problem& problem);
    void multiply_share(device::Stream& stream);

    device::Device& device_;
    device::Stream& stream_;
    int ranks_;
    Range rows_;
    std::unique_ptr<device::MatrixShare> share_;
    device::Buffer<double> input_;
    device::Buffer<double> output_;
    device::Buffer<double> whole_input_;
    device::Buffer<double> contribution_;
    std::unique_ptr<comm::Collective> gather_;
    std::unique_ptr<comm::Collective> reduce_;
    std::unique_ptr<device::Recording> product_;  ///< of this share, and the dot unless reduced
    std::unique_ptr<device::Recording> dot_;      ///< of what has been reduced
};

}  // namespace quartet::cg

#pragma once

#include <memory>

#include "bench/program/session.hpp"
#include "cg/problem.hpp"
#include "core/block_range.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// A rank's rows of a full matrix that all ranks share.
device::RowBlock row_block(const Problem& problem, int ranks, int rank);

/// A square matrix over all ranks, and its product with a vector of which each rank has a block of
/// rows. A multiplied vector is gathered whole on all ranks. Of a full matrix a rank has its rows
/// and makes its part of the product; of a symmetric one it has a part of the triangle, makes a
/// contribution to all of the product, and the ranks' contributions are added and scattered.
class DistributedMatrix {
  public:
    /// What a rank needs: the share, the vectors, and how much of them is in windows.
    static Bytes memory(const device::Device& device, const Problem& problem, int ranks, int rank);
    static Bytes window_memory(const Problem& problem, int ranks, int rank);

    /// Zeros. Throws Unavailable where the transport cannot do what is needed. Collective.
    DistributedMatrix(bench::Session& session, comm::Transport& transport, const Problem& problem);
    DistributedMatrix(const DistributedMatrix&) = delete;
    DistributedMatrix& operator=(const DistributedMatrix&) = delete;

    /// This rank's share, to be filled.
    [[nodiscard]] device::MatrixShare& share() { return *share_; }
    /// This rank's rows of vectors.
    [[nodiscard]] Range rows() const { return rows_; }
    /// This rank's rows of the vector that is to be multiplied, and of the product.
    [[nodiscard]] device::View<double> input() { return input_.view(); }
    [[nodiscard]] device::View<const double> output() const { return output_.view(); }

    /// output = A input. Collective.
    void multiply();
    /// The same of one rank alone, enqueued on another stream.
    void multiply_alone(device::Stream& stream);
    /// Has multiply_and_dot() leave its sum there, and records what it enqueues between its
    /// communications. Local.
    void leave_dot_in(device::View<double> dot);
    /// output = A input, and this rank's share of input . output. Collective.
    void multiply_and_dot();
    /// The whole input, on all ranks. Collective.
    device::View<const double> gather();

  private:
    void prepare_collectives(comm::Transport& transport, const Problem& problem);
    void multiply_share(device::Stream& stream);

    device::Device& device_;
    device::Stream& stream_;
    int ranks_;
    Range rows_;
    std::unique_ptr<device::MatrixShare> share_;
    device::Buffer<double> input_;
    device::Buffer<double> output_;
    /// Not needed, and empty, where there is one rank: then input and output are whole.
    device::Buffer<double> whole_input_;
    device::Buffer<double> contribution_;  ///< of a symmetric share
    std::unique_ptr<comm::Collective> gather_;
    std::unique_ptr<comm::Collective> reduce_;
    std::unique_ptr<device::Recording> product_;  ///< of this share, and the dot unless reduced
    std::unique_ptr<device::Recording> dot_;      ///< of what has been reduced
};

}  // namespace quartet::cg

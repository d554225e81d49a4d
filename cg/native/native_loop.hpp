#pragma once

#include <optional>

#include "cg/native/device_resident_cg.hpp"
#include "cg/native/distributed_matrix.hpp"
#include "cg/native/joint_sums.hpp"
#include "cg/problem/loop.hpp"

namespace quartet::cg {

/// The common part of the native loops: every rank works, and the ranks meet in collective
/// operations.
class NativeLoop : public CgLoop {
  public:
    /// Beside the matrix's.
    struct Buffers {
        Buffers(bench::Arena& arena, const RankContext& context, const Problem& problem);

        device::Buffer<double> sums;
        device::Buffer<double> x;
        device::Buffer<double> p;                           ///< of single-reduction
        device::Buffer<double> s;                           ///< of single-reduction: A p
        std::optional<DeviceResidentCg::Buffers> resident;  ///< of one rank
    };

    [[nodiscard]] device::MatrixShare* share() override { return &matrix_.share(); }
    std::vector<double> gather(device::View<const double> rows) override;

  protected:
    /// The product writes its sum to the given one of the sums. Throws Unavailable if the
    /// transport lacks a capability. Collective.
    NativeLoop(const RankContext& context, comm::Transport& transport, const Problem& problem,
               int sum_of_product);
    /// If this rank is alone, makes what runs its iterations while nobody observes them. Local.
    void make_resident(const DeviceResidentCg::MakeIterations& make,
                       DeviceResidentCg::Leaves leaves);

    Buffers buffers_;
    DistributedMatrix matrix_;
    JointSums sums_;
    std::optional<DeviceResidentCg> resident_;
};

}  // namespace quartet::cg

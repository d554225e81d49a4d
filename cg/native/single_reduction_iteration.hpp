#pragma once

#include <optional>
#include <string>

#include "cg/iteration.hpp"
#include "cg/native/device_resident_cg.hpp"
#include "cg/native/joint_sums.hpp"
#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

/// Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems" (1989), s = 1: a
/// recurrence keeps s = A p up to date from w = A r, so that p.Ap follows from r.r and r.Ar, which
/// one reduction sums.
class SingleReductionIteration final : public Iteration {
  public:
    struct Buffers {
        /// Of a rank of so many rows.
        Buffers(bench::BufferPlan& plan, std::int64_t rows, int ranks);

        JointSums::Buffer sums;
        bench::PlannedBuffer<double> x;
        bench::PlannedBuffer<double> p;
        bench::PlannedBuffer<double> s;
        std::optional<DeviceResidentCg::Buffers> resident;  ///< of one rank
    };

    /// Borrows matrix, transport and what the context borrows; `name` is what failures call the
    /// matrix. Collective.
    SingleReductionIteration(const RankContext& context, const Buffers& buffers,
                             DistributedMatrix& matrix, comm::Transport& transport,
                             std::string name);

    void restart(device::View<const double> right_side) override;
    void run(std::span<double> history, Observer& observer) override;

  private:
    bool advance(bool wants_stop);
    DeviceResidentCg::Enqueue resident_iteration();

    device::Device& device_;
    device::Stream& stream_;
    DistributedMatrix& matrix_;
    std::string name_;
    JointSums sums_;
    device::Buffer<double> x_;
    device::Buffer<double> p_;
    device::Buffer<double> s_;
    std::optional<DeviceResidentCg> resident_;
};

}  // namespace quartet::cg

#pragma once

#include <optional>
#include <string>

#include "cg/iteration.hpp"
#include "cg/native/device_resident_cg.hpp"
#include "cg/native/joint_sums.hpp"
#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

/// The paper's iteration (VI.C), after Hestenes and Stiefel (1952): two sums, one after the other.
class ClassicIteration final : public ClassicLoop {
  public:
    struct Buffers {
        /// Of a rank of so many rows.
        Buffers(bench::BufferPlan& plan, std::int64_t rows, int ranks);

        JointSums::Buffer sums;
        bench::PlannedBuffer<double> x;
        bench::PlannedBuffer<double> r;
        std::optional<DeviceResidentCg::Buffers> resident;  ///< of one rank
    };

    /// Borrows matrix, transport and what the context borrows; `name` is what failures call the
    /// matrix. Collective.
    ClassicIteration(const RankContext& context, const Buffers& buffers, DistributedMatrix& matrix,
                     comm::Transport& transport, std::string name);

    void run(std::span<double> history, Observer& observer) override;

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    DeviceResidentCg::Enqueue resident_iteration();

    DistributedMatrix& matrix_;
    std::string name_;
    JointSums sums_;
    device::Buffer<double> x_;
    device::Buffer<double> r_;
    std::optional<DeviceResidentCg> resident_;
};

}  // namespace quartet::cg

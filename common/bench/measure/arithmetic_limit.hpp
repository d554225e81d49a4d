#pragma once

#include <memory>

#include "bench/results/limit.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/device.hpp"
#include "device/multiply_add_probe.hpp"

namespace quartet::bench {

/// The component of a limit that is not memory: the time of float64 operations that all ranks do at
/// once, each as fast as its device multiplies and adds in registers.
class ArithmeticLimit {
  public:
    /// Of a rank that computes, or only waits for others. Local.
    enum class Part { computes, waits };
    explicit ArithmeticLimit(const device::Device& device, Part part = Part::computes);

    /// The time of `flops` operations of all ranks together. Collective; the ranks come to it at
    /// the same time.
    LimitComponent measure(Flops flops, const comm::Communicator& world, device::Stream& stream);

  private:
    std::unique_ptr<device::MultiplyAddProbe> probe_;
};

}  // namespace quartet::bench

#include "bench/measure/arithmetic_limit.hpp"

namespace quartet::bench {

namespace {

constexpr Seconds probed{0.005};

}  // namespace

ArithmeticLimit::ArithmeticLimit(const device::Device& device, Part part)
    : probe_(part == Part::computes ? device.make_multiply_add_probe(device::FloatFormat::float64)
                                    : nullptr) {}

LimitComponent ArithmeticLimit::measure(Flops flops, const comm::Communicator& world,
                                        device::Stream& stream) {
    const double rate = world.sum(probe_ ? probe_->measure(probed, stream) : 0);
    return LimitComponent{"float64 arithmetic", {flops.value / rate}};
}

}  // namespace quartet::bench

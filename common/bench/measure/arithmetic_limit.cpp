#include "bench/measure/arithmetic_limit.hpp"

namespace quartet::bench {

namespace {

constexpr Seconds probed{0.005};

}  // namespace

ArithmeticLimit::ArithmeticLimit(const device::Device& device, Part part)
    : exists_(device::computes(device)),
      probe_(part == Part::computes ? device.make_multiply_add_probe(device::FloatFormat::float64)
                                    : nullptr) {}

std::optional<LimitComponent> ArithmeticLimit::measure(Flops flops, const comm::Communicator& world,
                                                       device::Stream& stream) {
    if (!exists_) {
        return std::nullopt;
    }
    const double rate = world.sum(probe_ ? probe_->measure(probed, stream) : 0);
    return LimitComponent{"float64 arithmetic", {flops.value / rate}};
}

}  // namespace quartet::bench

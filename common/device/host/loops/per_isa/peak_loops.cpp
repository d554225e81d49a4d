#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::device::QUARTET_ISA {

namespace {

volatile float seed = 1;  // unknown to the compiler, like what becomes of the sums

// Sums that do not wait for each other: an addition takes four or five cycles, and a core begins
// two in each.
template <int sums>
double multiply_add(std::int64_t steps) {
    const float start = seed;
    const FloatVector factor = FloatVector{} + 0.5F * start;
    const FloatVector summand = FloatVector{} + start;
    FloatVector values[sums];
    for (int i = 0; i < sums; ++i)
        values[i] = summand * static_cast<float>(i);
    for (std::int64_t step = 0; step < steps; ++step)
        unrolled<sums>([&](auto i) __attribute__((always_inline)) {
            values[i] = values[i] * factor + summand;  // towards 2: no overflow, no denormal
        });
    FloatVector total{};
    for (const FloatVector& value : values)
        total += value;
    seed = total[0] > 0 ? 1.0F : start;
    return 2.0 * static_cast<double>(steps) * sums * 2 * lanes;
}

}  // namespace

constinit const PeakLoops peak_loops{
    {multiply_add<8>, multiply_add<10>, multiply_add<registers == 16 ? 12 : 24>}};

}  // namespace quartet::device::QUARTET_ISA

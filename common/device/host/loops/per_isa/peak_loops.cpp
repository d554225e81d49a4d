#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::device::QUARTET_ISA {

namespace {

volatile float seed = 1;  // the compiler cannot know its value, nor that the sums are not needed

// Sums that do not wait for each other: an addition takes four or five cycles, and a core begins
// two in each. Values converge to 2: no overflow, no denormal.
template <typename Values, int sums>
double multiply_add(std::int64_t steps) {
    using Number = std::remove_cvref_t<decltype(Values{}[0])>;
    const Number start = seed;
    const Values factor = Values{} + Number(0.5) * start;
    const Values summand = Values{} + start;
    Values values[sums];
    for (int i = 0; i < sums; ++i)
        values[i] = summand * static_cast<Number>(i);
    for (std::int64_t step = 0; step < steps; ++step)
        unrolled<sums>([&](auto i) __attribute__((always_inline)) {
            values[i] = values[i] * factor + summand;
        });
    Values total{};
    for (const Values& value : values)
        total += value;
    seed = total[0] > 0 ? 1.0F : static_cast<float>(start);
    constexpr int numbers = sums * (vector_bytes / static_cast<int>(sizeof(Number)));
    return 2.0 * static_cast<double>(steps) * numbers;
}

constexpr int many = registers == 16 ? 12 : 24;

}  // namespace

constinit const PeakLoops peak_loops{
    {multiply_add<FloatVector, 8>, multiply_add<FloatVector, 10>, multiply_add<FloatVector, many>},
    {multiply_add<Vector, 8>, multiply_add<Vector, 10>, multiply_add<Vector, many>}};

}  // namespace quartet::device::QUARTET_ISA

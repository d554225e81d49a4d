#include <gtest/gtest.h>

#include <random>

#include "device/four_step_fft.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/loops/loops.hpp"
#include "device/host/loops/processor.hpp"
#include "support/reference_transform.hpp"

namespace quartet::device {
namespace {

using Point = std::complex<double>;
constexpr std::size_t lanes = FourStepFft::block_bins;

/// Doubles aligned to 64 bytes.
struct alignas(64) Line {
    double values[8];
};

/// The loops of each instruction set that this processor has.
class EveryFftLoops : public ::testing::TestWithParam<const Loops*> {
  protected:
    void SetUp() override {
        if (!processor_has(GetParam()->isa)) {
            GTEST_SKIP() << "no " << GetParam()->isa << " here";
        }
    }

    // FFTs of one length over tiles, one for each bin of a block.
    std::vector<std::vector<Point>> transform(const std::vector<std::vector<Point>>& inputs,
                                              int length) const {
        const SmallFftPlan one(1, GetParam()->registers);
        const SmallFftPlan plan(length, GetParam()->registers);
        const auto size = static_cast<std::size_t>(length);
        std::vector<Line> blocks(2 * size);
        std::vector<TileSource> sources;
        for (std::size_t t = 0; t < size; ++t) {
            sources.push_back({0, static_cast<std::uint32_t>(t)});
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                blocks[2 * t].values[lane] = inputs[lane][t].real();
                blocks[2 * t + 1].values[lane] = inputs[lane][t].imag();
            }
        }
        std::vector<Line> memory(4 * size);
        const double* block = blocks.data()->values;
        std::vector<Line> bins(2 * size);
        const RowFft fft{one.fft(), plan.fft(), sources.data(), nullptr, lanes, false};
        const RowWork work{memory.data()->values, nullptr, &block, &block};
        GetParam()->ffts.rows(fft, work, lanes, bins.data()->values);
        const auto* points = reinterpret_cast<const Point*>(bins.data());
        std::vector<std::vector<Point>> outputs(lanes);
        for (std::size_t k = 0; k < size; ++k) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                outputs[lane].push_back(points[k * lanes + lane]);
            }
        }
        return outputs;
    }
};

TEST_P(EveryFftLoops, AreTheFftForEveryLengthThatHasAPlan) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int supported = 0;
    for (int length = 1; length <= SmallFftPlan::longest; ++length) {
        if (!SmallFftPlan::supports(length)) {
            continue;
        }
        ++supported;
        std::vector<std::vector<Point>> inputs(lanes);
        for (auto& input : inputs) {
            for (int j = 0; j < length; ++j) {
                input.emplace_back(uniform(engine), uniform(engine));
            }
        }
        const auto outputs = transform(inputs, length);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            EXPECT_LE(relative_error(outputs[lane], reference_transform(inputs[lane])),
                      rounding_bound(inputs[lane].size()))
                << "length " << length << ", lane " << lane;
        }
    }
    EXPECT_EQ(supported, 77) << "numbers up to 256 without a prime factor above 7";
}

INSTANTIATE_TEST_SUITE_P(Host, EveryFftLoops,
                         ::testing::ValuesIn(compiled_loops().begin(), compiled_loops().end()),
                         [](const auto& test) { return std::string(test.param->isa); });

}  // namespace
}  // namespace quartet::device

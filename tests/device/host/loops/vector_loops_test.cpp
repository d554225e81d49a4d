#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "device/host/loops/loops.hpp"
#include "device/host/loops/processor.hpp"

namespace quartet::device {
namespace {

class EveryVectorLoops : public ::testing::TestWithParam<const Loops*> {
  protected:
    void SetUp() override {
        if (!processor_has(GetParam()->isa)) {
            GTEST_SKIP() << "no " << GetParam()->isa << " here";
        }
    }
    const VectorLoops& loops = GetParam()->vectors;
};

// A restart takes the dot product of what the checkpoint holds in place of the last update's sum.
TEST_P(EveryVectorLoops, UpdatesGiveTheBitsOfADotProduct) {
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> between(-1, 1);
    for (std::int64_t size = 0; size < 200; ++size) {
        std::array<std::vector<double>, 4> vectors;
        for (auto& vector : vectors) {
            vector.resize(static_cast<std::size_t>(size));
            std::ranges::generate(vector, [&] { return between(generator); });
        }
        auto& [p, q, x, r] = vectors;
        const double classic =
            loops.update_classic(0.3, p.data(), q.data(), x.data(), r.data(), size);
        EXPECT_EQ(classic, loops.dot(r.data(), r.data(), size)) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Host, EveryVectorLoops, ::testing::ValuesIn(compiled_loops()),
                         [](const auto& loops) { return std::string(loops.param->isa); });

}  // namespace
}  // namespace quartet::device

#include "device/cuda/info/nvml_facts.hpp"

#include <gmock/gmock.h>

namespace quartet::device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NvmlFactsTest, OfAMissingGpuSayWhyTheyAreEmpty) {
    const GpuFacts facts = read_gpu_facts("ffff:ff:1f.0");

    EXPECT_FALSE(facts.why_empty.empty());
    EXPECT_EQ(facts.pci_bus, "ffff:ff:1f.0");
    EXPECT_THAT(facts.name, IsEmpty());
    EXPECT_FALSE(facts.clock_mhz);
    EXPECT_FALSE(facts.energy_joules);
}

TEST(NvmlFactsTest, PutThrottleReasonsIntoWords) {
    EXPECT_THAT(throttle_reasons(0), IsEmpty());
    EXPECT_THAT(throttle_reasons(0x4 | 0x20), ElementsAre("power cap", "thermal slowdown"));
    EXPECT_THAT(throttle_reasons(0x1000 | 0x1), ElementsAre("idle", "0x1000"));
}

}  // namespace
}  // namespace quartet::device

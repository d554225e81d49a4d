#include "device/cuda/info/nvml.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace quartet::device {
namespace {

using ::testing::HasSubstr;

constexpr const char* bus = "ffff:ff:1f.0";

/// What the pretended NVML is told while this lives.
class NvmlGpuTest : public ::testing::Test {
  protected:
    ~NvmlGpuTest() override { ::unsetenv("QUARTET_STAND_IN_NVML"); }
    static void pretend(const char* words) { ::setenv("QUARTET_STAND_IN_NVML", words, 1); }
};

TEST_F(NvmlGpuTest, OfALibraryWithoutADriverSaysWhyItsFactsAreEmpty) {
    pretend("no driver");
    EXPECT_THAT(NvmlGpu(bus, QUARTET_FAKE_NVML).facts().why_empty, HasSubstr("initialised"));
}

TEST_F(NvmlGpuTest, WhatIsRefusedIsNotKnown) {
    pretend("refuses");
    const GpuFacts facts = NvmlGpu(bus, QUARTET_FAKE_NVML).facts();

    EXPECT_EQ(facts.throttled_by, std::nullopt) << "not known, and not: by nothing";
    EXPECT_FALSE(facts.counters.energy_joules || facts.counters.power_capped ||
                 facts.counters.thermally_slowed || facts.counters.power_braked);
    EXPECT_EQ(facts.clock_mhz, 1700) << "the rest is told";
}

}  // namespace
}  // namespace quartet::device

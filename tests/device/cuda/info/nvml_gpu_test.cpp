#include "device/cuda/info/nvml.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace quartet::device {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr const char* bus = "ffff:ff:1f.0";

/// What the pretended NVML is told while this lives.
class NvmlGpuTest : public ::testing::Test {
  protected:
    ~NvmlGpuTest() override { ::unsetenv("QUARTET_STAND_IN_NVML"); }
    static void pretend(const char* words) { ::setenv("QUARTET_STAND_IN_NVML", words, 1); }
};

TEST_F(NvmlGpuTest, OfAMissingGpuSaysWhyItsFactsAreEmpty) {
    const NvmlGpu gpu(bus);

    EXPECT_FALSE(gpu.facts().why_empty.empty());
    EXPECT_EQ(gpu.facts().pci_bus, bus);
    EXPECT_THAT(gpu.facts().name, IsEmpty());
    EXPECT_FALSE(gpu.facts().clock_mhz);
    EXPECT_FALSE(gpu.facts().throttled_by);
    EXPECT_FALSE(gpu.counters().energy_joules);
}

TEST_F(NvmlGpuTest, OfALibraryWithoutADriverSaysWhyItsFactsAreEmpty) {
    pretend("no driver");
    EXPECT_THAT(NvmlGpu(bus, QUARTET_FAKE_NVML).facts().why_empty, HasSubstr("initialised"));
}

TEST_F(NvmlGpuTest, TellsHowTheGpuIsAttachedAndShared) {
    const GpuFacts facts = NvmlGpu(bus, QUARTET_FAKE_NVML).facts();

    EXPECT_THAT(facts.why_empty, IsEmpty());
    EXPECT_EQ(facts.pcie_generation, 1);
    EXPECT_EQ(facts.pcie_width, 8);
    EXPECT_EQ(facts.most_pcie_generation, 5);
    EXPECT_EQ(facts.most_pcie_width, 16);
    EXPECT_EQ(facts.nvlink_links, 2);
    EXPECT_EQ(facts.nvlink_version, "4.0");
    EXPECT_EQ(facts.compute_mode, "exclusive process");
    EXPECT_EQ(facts.persistence, true);
    EXPECT_EQ(facts.mps_processes, 2);
    EXPECT_EQ(facts.c2c, false);
    EXPECT_EQ(facts.error_correction, true);
}

TEST_F(NvmlGpuTest, WhatIsRefusedIsNotKnown) {
    pretend("refuses");
    const GpuFacts facts = NvmlGpu(bus, QUARTET_FAKE_NVML).facts();

    EXPECT_EQ(facts.throttled_by, std::nullopt) << "not known, and not: by nothing";
    EXPECT_FALSE(facts.counters.energy_joules || facts.counters.power_capped ||
                 facts.counters.thermally_slowed || facts.counters.power_braked ||
                 facts.counters.nvlink_sent || facts.counters.pcie_sent);
    EXPECT_EQ(facts.clock_mhz, 1700) << "the rest is told";
}

TEST(ThrottleReasons, AreInWords) {
    EXPECT_THAT(throttle_reasons(0), IsEmpty());
    EXPECT_THAT(throttle_reasons(0x4 | 0x20), ElementsAre("power cap", "thermal slowdown"));
    EXPECT_THAT(throttle_reasons(0x1000 | 0x1), ElementsAre("idle", "0x1000"));
}

}  // namespace
}  // namespace quartet::device

#include "system/processor.hpp"

#include <gtest/gtest.h>

namespace quartet::system {
namespace {

TEST(ProcessorName, IsWhatTheKernelTells) {
    EXPECT_EQ(
        processor_name("vendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9R14\n"),
        "AMD EPYC 9R14");
}

TEST(ProcessorName, IsOneOfAKnownNumberOnArm) {
    EXPECT_EQ(processor_name("BogoMIPS\t: 2100.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                             "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n"),
              "Arm Neoverse V2");
}

TEST(ProcessorName, IsTheNumbersOfAnUnknownOneOnArm) {
    EXPECT_EQ(processor_name("CPU implementer\t: 0x41\nCPU part\t: 0x123\n"),
              "Arm processor (implementer 0x41, part 0x123)");
}

TEST(ProcessorName, IsUnknownWhereNothingIsTold) {
    EXPECT_EQ(processor_name(""), "processor of unknown model");
}

}  // namespace
}  // namespace quartet::system

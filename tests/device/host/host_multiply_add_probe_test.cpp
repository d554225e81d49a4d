#include "device/multiply_add_probe.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "device/host/host_device.hpp"

namespace quartet::device {
namespace {

class HostMultiplyAddProbe : public testing::TestWithParam<FloatFormat> {
  protected:
    double measured() { return probe->measure({0.005}, *stream); }

    Trace trace{16};
    std::unique_ptr<Stream> stream =
        make_host_stream(HostStreams::inline_call, trace.track("peak"));
    std::unique_ptr<MultiplyAddProbe> probe = make_host_multiply_add_probe(GetParam(), 1);
};

// A loop that leaves out what a compiler makes of it would count operations that nobody does.
TEST_P(HostMultiplyAddProbe, CountsNoMoreThanAProcessorCanDo) {
    constexpr double most_per_second = 2.0 * 32 * 8e9;  // two registers of 16 floats, 8 GHz
    const double rate = measured();
    EXPECT_GT(rate, 1e6);
    EXPECT_LT(rate, GetParam() == FloatFormat::float32 ? most_per_second : most_per_second / 2);
}

INSTANTIATE_TEST_SUITE_P(Formats, HostMultiplyAddProbe,
                         testing::Values(FloatFormat::float32, FloatFormat::float64));

}  // namespace
}  // namespace quartet::device

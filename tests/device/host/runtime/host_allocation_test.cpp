#include <gtest/gtest.h>

#include "device/host/runtime/host_stream.hpp"
#include "support/counted_memory.hpp"

namespace quartet::device {
namespace {

class HostAllocationTest : public ::testing::TestWithParam<HostStreams> {};

TEST_P(HostAllocationTest, StreamsAllocateNothingOnceMade) {
    Track track("stream", 0);
    Track other_track("other", 0);
    const auto stream = make_host_stream(GetParam(), track);
    const auto other = make_host_stream(GetParam(), other_track);
    const auto event = make_host_event();
    int done = 0;
    const long before = allocations();

    for (int i = 0; i < 1000; ++i) {
        stream->enqueue(Phase::compute, "count", [&done] { ++done; });
        stream->record(*event);
        other->wait(*event);
        other->enqueue(Phase::compute, "count", [&done] { ++done; });
        other->record(*event);
        stream->wait(*event);
    }
    stream->synchronize();
    other->synchronize();

    EXPECT_EQ(allocations() - before, 0);
    EXPECT_EQ(done, 2000);
}

INSTANTIATE_TEST_SUITE_P(Streams, HostAllocationTest,
                         ::testing::Values(HostStreams::inline_call, HostStreams::threaded));

}  // namespace
}  // namespace quartet::device

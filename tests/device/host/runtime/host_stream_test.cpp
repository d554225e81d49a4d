#include "device/host/runtime/host_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "device/contract/gate.hpp"

namespace quartet::device {
namespace {

TEST(HostStreamTest, EnqueueBlocksWhileTheQueueIsFull) {
    constexpr int far_too_many = 5000;
    Track track("threaded", 0);
    const auto stream = make_host_stream(HostStreams::threaded, track);
    Gate gate;
    std::atomic<int> enqueued = 0;

    std::thread caller([&] {
        for (int i = 0; i < far_too_many; ++i) {
            stream->enqueue(Phase::compute, "hold", [&gate] { gate.pass(); });
            ++enqueued;
        }
        stream->synchronize();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int enqueued_while_held = enqueued;
    gate.open();
    caller.join();

    EXPECT_LT(enqueued_while_held, far_too_many);
    EXPECT_EQ(enqueued, far_too_many);
}

}  // namespace
}  // namespace quartet::device

#include "device/host/runtime/host_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "device/contract/gate.hpp"

namespace quartet::device {
namespace {

TEST(HostStreamTest, InlineStreamsRunInTheCallingThread) {
    Track track("inline", 0);
    const auto stream = make_host_stream(HostStreams::inline_call, track);
    std::thread::id runner;

    stream->enqueue(Phase::compute, "work", [&runner] { runner = std::this_thread::get_id(); });

    EXPECT_EQ(runner, std::this_thread::get_id());  // before any synchronize()
}

TEST(HostStreamTest, ThreadedStreamsRunInOneThreadOfTheirOwn) {
    Track track("threaded", 0);
    const auto stream = make_host_stream(HostStreams::threaded, track);
    std::thread::id first;
    std::thread::id second;

    stream->enqueue(Phase::compute, "work", [&first] { first = std::this_thread::get_id(); });
    stream->enqueue(Phase::compute, "work", [&second] { second = std::this_thread::get_id(); });
    stream->synchronize();

    EXPECT_NE(first, std::this_thread::get_id());
    EXPECT_EQ(first, second);
}

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

TEST(HostStreamTest, InlineStreamsWaitForThreadedOnes) {
    Track first_track("threaded", 0);
    Track second_track("inline", 0);
    const auto first = make_host_stream(HostStreams::threaded, first_track);
    const auto second = make_host_stream(HostStreams::inline_call, second_track);
    const auto event = make_host_event();
    int value = 0;
    int seen = -1;

    first->enqueue(Phase::compute, "make", [&value] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        value = 7;
    });
    first->record(*event);
    second->wait(*event);
    second->enqueue(Phase::compute, "look", [&value, &seen] { seen = value; });
    first->synchronize();

    EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace quartet::device

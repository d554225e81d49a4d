#include <gtest/gtest.h>

#include <stdexcept>

#include "device/contract/contract.hpp"
#include "device/contract/gate.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

namespace {

Task failing() {
    return [] { throw std::domain_error("work"); };
}

}  // namespace

TEST_P(StreamContract, RunsWorkInOrder) {
    std::vector<int> done;
    done.reserve(2000);

    for (int i = 0; i < 2000; ++i)  // more than any queue holds
        stream->enqueue(Phase::compute, "number", [&done, i] { done.push_back(i); });
    stream->synchronize();

    ASSERT_EQ(done.size(), 2000U);
    for (int i = 0; i < 2000; ++i)
        EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST_P(StreamContract, OrdersHostWorkAndOperations) {
    Buffer<double> staging = allocate<double>(*device, 1000, MemoryKind::pinned);
    Buffer<double> buffer = empty<double>(1000);
    const std::span<double> values = staging.span();

    for (int step = 0; step < 50; ++step) {
        stream->enqueue(Phase::read, "make", [values, step] { values[999] = step; });
        device->copy(as_bytes(std::as_const(staging).view()), as_bytes(buffer.view()), *stream);
        device->vectors().add(buffer.view(), buffer.view(), *stream);
        device->copy(as_bytes(std::as_const(buffer).view()), as_bytes(staging.view()), *stream);
        stream->enqueue(Phase::reduce, "look", [values, step] {
            if (values[999] != 2 * step)
                throw std::logic_error("out of order");
        });
    }

    EXPECT_NO_THROW(stream->synchronize());
}

TEST_P(StreamContract, FinishesItsWorkWhenDestroyed) {
    int done = 0;
    {
        const std::unique_ptr<Stream> other = device->make_stream("other");
        for (int i = 0; i < 100; ++i)
            other->enqueue(Phase::compute, "count", [&done] { ++done; });
    }
    EXPECT_EQ(done, 100);
}

TEST_P(StreamContract, TransfersRunBesideTheirCaller) {
    const std::unique_ptr<Stream> reading = device->make_stream("read", StreamKind::transfer);
    const std::unique_ptr<Event> read = device->make_event();
    Gate gate;
    int value = 0;

    reading->enqueue(Phase::read, "hold", [&gate] { gate.pass(); });
    reading->enqueue(Phase::read, "read", [&value] { value = 7; });
    reading->record(*read);
    EXPECT_EQ(value, 0);  // and the caller has not been held
    gate.open();
    stream->wait(*read);
    stream->enqueue(Phase::compute, "use", [&value] { value *= 6; });
    stream->synchronize();

    EXPECT_EQ(value, 42);
}

TEST_P(StreamContract, SynchronizeThrowsTheFirstErrorOnce) {
    EXPECT_NO_THROW(stream->enqueue(Phase::compute, "fail", failing()));
    stream->enqueue(Phase::compute, "fail too", [] { throw std::range_error("later"); });

    EXPECT_THROW(stream->synchronize(), std::domain_error);
    EXPECT_NO_THROW(stream->synchronize());
}

TEST_P(StreamContract, SkipsWorkAfterAnErrorUntilItIsThrown) {
    int done = 0;

    stream->enqueue(Phase::compute, "fail", failing());
    stream->enqueue(Phase::compute, "work", [&done] { done += 1; });
    EXPECT_THROW(stream->synchronize(), std::domain_error);
    stream->enqueue(Phase::compute, "work", [&done] { done += 10; });
    EXPECT_NO_THROW(stream->synchronize());

    EXPECT_EQ(done, 10);
}

TEST_P(StreamContract, AccountsWorkToItsPhase) {
    stream->enqueue(Phase::read, "first", [] { give_time(); });
    stream->enqueue(Phase::merge, "second", [] {});
    stream->synchronize();

    const Track& track = stream->track();
    EXPECT_EQ(track.name(), "contract");
    EXPECT_GE(track.busy()[static_cast<std::size_t>(Phase::read)], 0.005);
    ASSERT_EQ(track.spans().size(), 2U);
    EXPECT_STREQ(track.spans()[0].label, "first");
    EXPECT_EQ(track.spans()[1].phase, Phase::merge);
    EXPECT_LE(track.spans()[0].end, track.spans()[1].begin);
}

INSTANTIATE_TEST_SUITE_P(Devices, StreamContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device

#include <memory>

#include "device/contract/contract.hpp"
#include "device/contract/gate.hpp"

namespace quartet::device {

namespace {

/// An event that no device made.
class StrangeEvent final : public Event {
  public:
    void synchronize() override {}
    [[nodiscard]] bool reached() override { return true; }
};

}  // namespace

TEST_P(StreamContract, EventsOrderStreams) {
    const std::unique_ptr<Stream> other = device->make_stream("other");
    const std::unique_ptr<Event> made = device->make_event();
    int value = 0;
    int seen = -1;

    stream->enqueue(Phase::compute, "make", [&value] {
        give_time();
        value = 7;
    });
    stream->record(*made);
    other->wait(*made);
    other->enqueue(Phase::compute, "look", [&value, &seen] { seen = value; });
    other->synchronize();
    stream->synchronize();

    EXPECT_EQ(seen, 7);
}

TEST_P(StreamContract, WaitingForAnUnrecordedEventDoesNotWait) {
    const std::unique_ptr<Event> event = device->make_event();
    bool done = false;

    stream->wait(*event);
    stream->enqueue(Phase::compute, "work", [&done] { done = true; });
    stream->synchronize();
    event->synchronize();

    EXPECT_TRUE(done);
}

TEST_P(StreamContract, AnEventIsReachedOnceTheWorkBeforeItIsDone) {
    if (GetParam().execution == Execution::at_once)
        GTEST_SKIP() << "work that runs at once cannot be held back";
    const std::unique_ptr<Event> event = device->make_event();
    Gate gate;

    EXPECT_TRUE(event->reached()) << "nothing was recorded";
    stream->enqueue(Phase::compute, "hold", [&gate] { gate.pass(); });
    stream->record(*event);
    EXPECT_FALSE(event->reached());
    gate.open();
    event->synchronize();
    EXPECT_TRUE(event->reached());
    stream->synchronize();
}

TEST_P(StreamContract, WaitRefersToTheRecordingBeforeIt) {
    if (GetParam().execution == Execution::at_once)
        GTEST_SKIP() << "work that runs at once cannot be held back";
    const std::unique_ptr<Stream> other = device->make_stream("other");
    const std::unique_ptr<Event> event = device->make_event();
    Gate gate;

    stream->record(*event);
    other->wait(*event);
    stream->enqueue(Phase::compute, "hold", [&gate] { gate.pass(); });
    stream->record(*event);
    other->synchronize();  // hangs if it waits for the second recording
    other->wait(*event);
    gate.open();

    EXPECT_NO_THROW(other->synchronize());
}

TEST_P(StreamContract, RecordingElsewhereDoesNotMoveWhatIsWaitedFor) {
    if (GetParam().execution == Execution::at_once)
        GTEST_SKIP() << "work that runs at once cannot be held back";
    const std::unique_ptr<Stream> other = device->make_stream("other");
    const std::unique_ptr<Stream> idle = device->make_stream("idle");
    const std::unique_ptr<Event> event = device->make_event();
    Gate gate;
    int value = 0;
    int seen = -1;

    stream->enqueue(Phase::compute, "make", [&] {
        gate.pass();
        value = 7;
    });
    stream->record(*event);
    other->wait(*event);
    idle->record(*event);
    other->enqueue(Phase::compute, "look", [&] { seen = value; });
    event->synchronize();  // the recording on the idle stream: hangs if it is the first one
    give_time();
    gate.open();
    other->synchronize();
    stream->synchronize();

    EXPECT_EQ(seen, 7);
}

TEST_P(StreamContract, EventsMayBeDestroyedWhileWaitedFor) {
    const std::unique_ptr<Stream> other = device->make_stream("other");
    int value = 0;
    int seen = -1;

    {
        const std::unique_ptr<Event> event = device->make_event();
        stream->enqueue(Phase::compute, "make", [&value] {
            give_time();
            value = 7;
        });
        stream->record(*event);
        other->wait(*event);
    }
    other->enqueue(Phase::compute, "look", [&value, &seen] { seen = value; });
    other->synchronize();
    stream->synchronize();

    EXPECT_EQ(seen, 7);
}

TEST_P(StreamContract, EventsOutliveTheirStream) {
    const std::unique_ptr<Event> event = device->make_event();
    {
        const std::unique_ptr<Stream> other = device->make_stream("other");
        other->enqueue(Phase::compute, "work", [] { give_time(); });
        other->record(*event);
    }

    event->synchronize();
    stream->wait(*event);
    EXPECT_NO_THROW(stream->synchronize());
}

TEST_P(StreamContract, RefusesEventsOfOtherDevices) {
    StrangeEvent event;

    EXPECT_THROW(stream->record(event), Failure);
    EXPECT_THROW(stream->wait(event), Failure);
}

}  // namespace quartet::device

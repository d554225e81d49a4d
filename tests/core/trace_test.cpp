#include "core/trace.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace quartet {
namespace {

using nlohmann::json;

double busy(const PhaseSeconds& seconds, Phase phase) {
    return seconds[static_cast<std::size_t>(phase)];
}

json document_of(const std::vector<std::string>& events_by_rank) {
    std::ostringstream out;
    write_chrome_trace(out, events_by_rank);
    return json::parse(out.str());
}

TEST(Phase, HasANameOfItsOwn) {
    EXPECT_EQ(name(Phase::read), "read");
    EXPECT_EQ(name(Phase::copy_in), "copy_in");
    EXPECT_EQ(name(Phase::compute), "compute");
    EXPECT_EQ(name(Phase::copy_out), "copy_out");
    EXPECT_EQ(name(Phase::push), "push");
    EXPECT_EQ(name(Phase::exchange), "exchange");
    EXPECT_EQ(name(Phase::reduce), "reduce");
    EXPECT_EQ(name(Phase::merge), "merge");
    EXPECT_EQ(name(Phase::wait), "wait");
    EXPECT_EQ(name(Phase::checkpoint), "checkpoint");
    EXPECT_EQ(static_cast<std::size_t>(Phase::checkpoint) + 1, phase_count);
}

TEST(Track, SumsBusyTimeByPhase) {
    Track track("main", 0);
    track.add({Phase::read, "a", Seconds{1}, Seconds{3}});
    track.add({Phase::read, "b", Seconds{4}, Seconds{5}});
    track.add({Phase::compute, "c", Seconds{2}, Seconds{2.5}});
    EXPECT_DOUBLE_EQ(busy(track.busy(), Phase::read), 3);
    EXPECT_DOUBLE_EQ(busy(track.busy(), Phase::compute), 0.5);
    EXPECT_DOUBLE_EQ(busy(track.busy(), Phase::wait), 0);
    track.reset_busy();
    EXPECT_DOUBLE_EQ(busy(track.busy(), Phase::read), 0);
}

TEST(Track, KeepsNoSpansWhereItOnlySums) {
    Track track("main", 0);
    track.add({Phase::read, "a", Seconds{1}, Seconds{3}});
    EXPECT_TRUE(track.spans().empty());
    EXPECT_EQ(track.dropped(), 0U) << "none was asked for";
}

TEST(Track, CountsSpansBeyondItsCapacityAndStillSumsThem) {
    Track track("main", 2);
    const auto add = [&] { track.add({Phase::push, "p", Seconds{0}, Seconds{1}}); };
    add();
    const SpanRecord* storage = track.spans().data();
    add();
    add();
    EXPECT_EQ(track.spans().size(), 2U);
    EXPECT_EQ(track.spans().data(), storage) << "allocated again";
    EXPECT_EQ(track.dropped(), 1U);
    EXPECT_DOUBLE_EQ(busy(track.busy(), Phase::push), 3);
}

TEST(Span, LastsFromConstructionToDestruction) {
    Track track("main", 1);
    const Seconds before = now();
    { const Span span(track, Phase::merge, "merge"); }
    const Seconds after = now();
    ASSERT_EQ(track.spans().size(), 1U);
    const SpanRecord& record = track.spans().front();
    EXPECT_EQ(record.phase, Phase::merge);
    EXPECT_GE(record.begin, before);
    EXPECT_GE(record.end, record.begin);
    EXPECT_LE(record.end, after);
}

TEST(Trace, SumsOverItsTracksWhoseReferencesStayValid) {
    Trace trace;
    Track& first = trace.track("first");
    for (int k = 0; k < 1000; ++k) {
        trace.track("other").add({Phase::wait, "w", Seconds{0}, Seconds{1}});
    }
    first.add({Phase::wait, "w", Seconds{0}, Seconds{0.5}});
    EXPECT_DOUBLE_EQ(busy(trace.busy(), Phase::wait), 1000.5);
    trace.reset_busy();
    EXPECT_DOUBLE_EQ(busy(trace.busy(), Phase::wait), 0);
}

TEST(Trace, WritesEventsThatChromeReads) {
    Trace trace(8);
    trace.track("main");
    trace.track("copy").add({Phase::copy_in, "tile", Seconds{10.5}, Seconds{10.75}});

    const json document = document_of({trace.events(3, Seconds{10})});

    const json& events = document.at("traceEvents");
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[1], json::parse(R"({"name": "thread_name", "ph": "M", "pid": 3, "tid": 1,
                                         "args": {"name": "copy", "dropped": 0}})"));
    EXPECT_EQ(events[2], json::parse(R"({"name": "tile", "cat": "copy_in", "ph": "X", "pid": 3,
                                         "tid": 1, "ts": 500000.0, "dur": 250000.0})"));
}

TEST(Trace, EscapesNamesAndLabels) {
    constexpr const char* label = "a \"b\" \\ \n \t \x01 c";
    Trace trace(1);
    trace.track("the \"first\"\n").add({Phase::read, label, Seconds{0}, Seconds{1}});

    const json events = document_of({trace.events(0, Seconds{0})}).at("traceEvents");

    EXPECT_EQ(events.at(0).at("args").at("name"), "the \"first\"\n");
    EXPECT_EQ(events.at(1).at("name"), label);
}

TEST(Trace, StaysValidForLabelsThatAreNotUtf8) {
    Trace trace(1);
    trace.track("main").add({Phase::read, "\xff\xfe", Seconds{0}, Seconds{1}});
    EXPECT_EQ(document_of({trace.events(0, Seconds{0})}).at("traceEvents").size(), 2U);
}

TEST(Trace, SaysHowManySpansWereDropped) {
    Trace trace(1);
    Track& track = trace.track("main");
    track.add({Phase::read, "a", Seconds{0}, Seconds{1}});
    track.add({Phase::read, "b", Seconds{1}, Seconds{2}});
    const json events = document_of({trace.events(0, Seconds{0})}).at("traceEvents");
    EXPECT_EQ(events.at(0).at("args").at("dropped"), 1);
}

TEST(Trace, JoinsAllRanksAndSkipsThoseWithoutTracks) {
    Trace trace(1);
    trace.track("main");
    const std::string zero = trace.events(0, Seconds{0});
    const std::string two = trace.events(2, Seconds{0});
    EXPECT_EQ(document_of({zero, "", two}).at("traceEvents").size(), 2U);
    EXPECT_EQ(document_of({"", zero}).at("traceEvents").size(), 1U);
    EXPECT_EQ(document_of({}).at("traceEvents").size(), 0U);
}

}  // namespace
}  // namespace quartet

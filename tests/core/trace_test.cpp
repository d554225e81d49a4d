#include "core/trace.hpp"

#include <gtest/gtest.h>

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
    write_chrome_trace(out, events_by_rank, 0);
    return json::parse(out.str());
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

TraceProcess process(int rank, Seconds origin = {}) {
    return {.rank = rank, .name = "rank " + std::to_string(rank), .clock = {}, .origin = origin};
}

// The events of one kind of one rank's trace.
json events_of(const Trace& trace, const std::string& name, const TraceProcess& of = process(0)) {
    json found = json::array();
    const json document = document_of({trace.events(of)});
    for (const json& event : document.at("traceEvents")) {
        if (event.at("name") == name) {
            found.push_back(event);
        }
    }
    return found;
}

TEST(Trace, WritesEventsThatChromeReads) {
    Trace trace(8);
    trace.track("main");
    trace.track("copy").add({Phase::copy_in, "tile", Seconds{10.5}, Seconds{10.75}});

    EXPECT_EQ(events_of(trace, "tile", process(3, Seconds{10})),
              json::parse(R"([{"name": "tile", "cat": "copy_in", "ph": "X", "pid": 3,
                               "tid": 2, "ts": 500000.0, "dur": 250000.0}])"));
}

TEST(Trace, NamesItsProcessAndALineForEachTrack) {
    Trace trace(8);
    trace.track("main");
    trace.track("copy");

    EXPECT_EQ(events_of(trace, "process_name", process(3)),
              json::parse(R"([{"name": "process_name", "ph": "M", "pid": 3,
                               "args": {"name": "rank 3"}}])"));
    EXPECT_EQ(events_of(trace, "process_sort_index", process(3)).at(0).at("args").at("sort_index"),
              3);
    const json lines = events_of(trace, "thread_name", process(3));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].at("args").at("name"), "runs");
    EXPECT_EQ(lines[2], json::parse(R"({"name": "thread_name", "ph": "M", "pid": 3, "tid": 2,
                                        "args": {"name": "copy", "dropped": 0}})"));
}

TEST(Trace, ShowsPeriodsOnALineOfTheirOwn) {
    Trace trace(8);
    trace.note_period("run", Seconds{1}, Seconds{3});
    EXPECT_EQ(events_of(trace, "run"),
              json::parse(R"([{"name": "run", "cat": "run", "ph": "X", "pid": 0, "tid": 0,
                               "ts": 1000000.0, "dur": 2000000.0}])"));
    Trace sums_only;
    sums_only.note_period("run", Seconds{1}, Seconds{3});
    EXPECT_TRUE(events_of(sums_only, "run").empty());
}

TEST(Trace, ReadsItsTimesByTheClockOfTheTimeline) {
    Trace trace(8);
    trace.track("main").add({Phase::read, "tile", Seconds{15}, Seconds{20}});
    // At 10 the other clock is 100 ahead, at 20 it is 101.
    const LinearClock clock({Seconds{10}, Seconds{100}}, {Seconds{20}, Seconds{101}});
    const TraceProcess other{.rank = 1, .name = "rank 1", .clock = clock, .origin = Seconds{110}};

    const json event = events_of(trace, "tile", other).at(0);

    EXPECT_DOUBLE_EQ(event.at("ts").get<double>(), 5.5e6);
    EXPECT_DOUBLE_EQ(event.at("dur").get<double>(), 5.5e6);
}

TEST(Trace, StaysValidForLabelsThatAreNotUtf8) {
    Trace trace(1);
    trace.track("main").add({Phase::read, "\xff\xfe", Seconds{0}, Seconds{1}});
    EXPECT_EQ(events_of(trace, "\uFFFD\uFFFD").size(), 1U);
}

TEST(Trace, SaysHowManySpansWereDropped) {
    Trace trace(1);
    Track& track = trace.track("main");
    track.add({Phase::read, "a", Seconds{0}, Seconds{1}});
    track.add({Phase::read, "b", Seconds{1}, Seconds{2}});
    EXPECT_EQ(events_of(trace, "thread_name").at(1).at("args").at("dropped"), 1);
    EXPECT_EQ(trace.dropped(), 1U);
    std::ostringstream out;
    write_chrome_trace(out, {}, trace.dropped());
    EXPECT_EQ(json::parse(out.str()).at("otherData").at("dropped_spans"), 1);
}

}  // namespace
}  // namespace quartet

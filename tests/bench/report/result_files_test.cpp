#include "bench/report/result_files.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/fake_session.hpp"

namespace quartet::bench {
namespace {

using nlohmann::json;

CommonOptions traced() {
    CommonOptions options;
    options.trace = "unused.json";
    return options;
}

TEST(Timeline, NamesTheRolesOfADataFlow) {
    Session session = fake_session(traced());
    if (session.world().size() < 2) {
        return;
    }
    PlannedCase flow;
    flow.roles = comm::Roles::with_reducers(session.world().size(), 1);
    session.add(flow);
    const bool reduces = session.is_root();
    const int rank = session.world().rank();
    EXPECT_EQ(role_of(session, rank), reduces ? "reducer" : "worker");

    session.add({});
    EXPECT_EQ(role_of(session, rank), reduces ? "worker or reducer" : "worker");
}

TEST(Timeline, PutsWhatRanksDoAtOnceAtOneTime) {
    Session session = fake_session(traced());
    const Timeline timeline(session);
    session.world().barrier();
    session.trace().track("made up").add({Phase::wait, "meeting", now(), now()});

    const TimelineDocument document = timeline.document();

    if (!session.is_root()) {
        return;
    }
    constexpr double near = 0.1e6;  // microseconds: ranks share few cores
    double first = -1;
    const json trace = json::parse(document.text);
    for (const json& event : trace.at("traceEvents")) {
        if (event.at("name") == "meeting") {
            const double time = event.at("ts");
            EXPECT_GE(time, 0);
            first = first < 0 ? time : first;
            EXPECT_NEAR(time, first, near);
        }
    }
    EXPECT_GE(first, 0);
}

TEST(Timeline, SaysHowManySpansItLacks) {
    Session session = fake_session(traced());
    const Timeline timeline(session);
    Track& track = session.trace().track("full");
    for (std::size_t span = 0; span < traced_spans_per_track + 2; ++span) {
        track.add({Phase::wait, "w", Seconds{0}, Seconds{1}});
    }

    const TimelineDocument document = timeline.document();

    const int lacking = 2 * session.world().size();
    EXPECT_THAT(document.warning, session.is_root() ? testing::HasSubstr(fmt::format(
                                                          "lacks its last {} spans", lacking))
                                                    : testing::HasSubstr(""));
}

}  // namespace
}  // namespace quartet::bench

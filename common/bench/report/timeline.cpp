#include "bench/report/timeline.hpp"

#include <fmt/format.h>

#include <sstream>

#include "bench/report/cluster.hpp"
#include "comm/mpi/clock_comparison.hpp"

namespace quartet::bench {

std::string process_name(const Session& session) {
    const int rank = session.world().rank();
    return fmt::format("rank {}, {}, {}", rank, session.topology().of(rank).host,
                       role_of(session, rank));
}

Timeline::Timeline(Session& session)
    : session_(session),
      origin_{session.world().broadcast(now().value, 0)},
      first_(comm::compare_with_root(session.world())) {}

TimelineDocument Timeline::document() const {
    const comm::Communicator& world = session_.world();
    const ClockReading last = comm::compare_with_root(world);
    const auto events =
        world.gather_to_root(session_.trace().events({.rank = world.rank(),
                                                      .name = process_name(session_),
                                                      .clock = {first_, last},
                                                      .origin = origin_}));
    const double dropped = world.sum(static_cast<double>(session_.trace().dropped()));
    if (!session_.is_root()) {
        return {};
    }
    std::ostringstream text;
    write_chrome_trace(text, events, static_cast<std::size_t>(dropped));
    TimelineDocument document{text.str(), {}};
    if (dropped > 0) {
        document.warning = fmt::format(
            "--trace: the timeline lacks its last {:.0f} spans (each line keeps {}): fewer --runs, "
            "or larger tiles",
            dropped, traced_spans_per_track);
    }
    return document;
}

}  // namespace quartet::bench

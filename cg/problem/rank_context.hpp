#pragma once

#include "bench/session/session.hpp"

namespace quartet::cg {

/// The parts of a session that a rank needs to solve. Borrowed.
struct RankContext {
    RankContext(bench::Session& session)  // implicit: a session has all of it
        : world(session.world()),
          device(session.device()),
          stream(session.stream()),
          trace(session.trace()),
          threads(session.threads()),
          queue(session.options().queue) {}
    RankContext(const comm::Communicator& communicator, device::Device& on, device::Stream& order,
                Trace& spans)
        : world(communicator), device(on), stream(order), trace(spans) {}

    [[nodiscard]] int rank() const { return world.rank(); }
    [[nodiscard]] int ranks() const { return world.size(); }

    const comm::Communicator& world;
    device::Device& device;
    device::Stream& stream;
    Trace& trace;
    int threads = 1;
    int queue = 16;  ///< items of a queue
};

}  // namespace quartet::cg

#pragma once

#include <memory>

#include "bench/session/session.hpp"
#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

/// A session of the cg program on the host. Collective.
inline std::unique_ptr<bench::Session> make_session(bench::CommonOptions options = {}) {
    options.device = "host";
    if (!options.threads) {
        options.threads = 1;
    }
    return std::make_unique<bench::Session>(bench::ProgramDescription{.name = "cg"}, options,
                                            comm::TransportRegistry::standard());
}

/// The buffers of this rank's part of a matrix. Local.
inline DistributedMatrix::Buffers buffers_of(bench::Session& session, const Problem& problem) {
    bench::BufferPlan plan;
    return {plan, session.device(), problem, session.world().size(), session.world().rank()};
}

}  // namespace quartet::cg

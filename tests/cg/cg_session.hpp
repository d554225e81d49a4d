#pragma once

#include <memory>

#include "bench/session/session.hpp"

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

}  // namespace quartet::cg

#pragma once

#include "bench/session/session.hpp"

namespace quartet::bench {

/// A session of a program without the library formulation, on the host.
/// Collective.
inline Session fake_session(CommonOptions options) {
    options.device = "host";
    return Session({.name = "kernel",
                    .summary = "made up",
                    .formulations = {Formulation::native, Formulation::dataflow}},
                   options, comm::TransportRegistry::standard());
}

}  // namespace quartet::bench

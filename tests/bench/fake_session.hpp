#pragma once

#include "bench/program/session.hpp"

namespace quartet::bench {

/// A session of a program that has every formulation, on the host. Collective.
inline Session fake_session(CommonOptions options) {
    options.device = "host";
    return Session({.name = "kernel",
                    .summary = "made up",
                    .formulations = {"native", "dataflow"},
                    .least_ranks = 1},
                   options, comm::TransportRegistry::standard());
}

}  // namespace quartet::bench

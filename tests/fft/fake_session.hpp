#pragma once

#include <memory>

#include "bench/session/session.hpp"

namespace quartet::fft {

/// A session of the fft program.
inline std::unique_ptr<bench::Session> make_session(const bench::CommonOptions& options) {
    const bench::ProgramDescription description{.name = "fft"};
    return std::make_unique<bench::Session>(description, options,
                                            comm::TransportRegistry::standard());
}

/// Options of a short run on the host.
inline bench::CommonOptions short_runs() {
    bench::CommonOptions options;
    options.device = "host";
    options.threads = 1;
    options.runs = {2, 0.05, 1};
    return options;
}

}  // namespace quartet::fft

#pragma once

#include <memory>

#include "bench/session/session.hpp"
#include "fft/formulations.hpp"

namespace quartet::fft {

/// A session of the fft program.
inline std::unique_ptr<bench::Session> make_session(const bench::CommonOptions& options) {
    const bench::ProgramDescription description{.name = "fft"};
    return std::make_unique<bench::Session>(description, options,
                                            comm::TransportRegistry::standard());
}

/// The case of a plan, ready to run.
inline std::unique_ptr<TransformCase> make_case(bench::Session& session, const NativePlan& plan) {
    device::Arena arena(session.device(), device::Arena::Mode::allocate);
    auto made = make_native_case(arena, session, plan);
    made->set_up();
    return made;
}
inline std::unique_ptr<TransformCase> make_case(bench::Session& session, const DataflowPlan& plan) {
    device::Arena arena(session.device(), device::Arena::Mode::allocate);
    auto made = make_dataflow_case(arena, session, plan);
    made->set_up();
    return made;
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

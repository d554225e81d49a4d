#include "cg/loop.hpp"

#include <fmt/format.h>

#include "cg/scalars.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

CgLoop::CgLoop(bench::Session& session, comm::Transport& transport, const Problem& problem)
    : session_(session),
      world_(session.world()),
      device_(session.device()),
      stream_(session.stream()),
      problem_(problem),
      name_(problem.title()),
      arena_(device_, transport) {}

void CgLoop::restart(device::View<const double> right_side) {
    for (const device::View<double>& vector : {state_.residual, state_.direction}) {
        device_.copy(device::as_bytes(right_side), device::as_bytes(vector), stream_);
    }
    device_.vectors().fill(0.0, state_.solution, stream_);
    state_.residual_dot = 0;
    state_.alpha = 0;
    state_.done = 0;
}

void CgLoop::run(std::span<double> history, Observer& observer) {
    auto& done = state_.done;
    const auto note_residual = [&] {
        history[static_cast<std::size_t>(done)] = state_.residual_dot;
    };
    if (done == 0) {
        state_.residual_dot = first_residual_dot();
    }
    note_residual();
    if (!observer.observes_iterations() && run_unobserved(history)) {
        return;
    }
    begin();
    for (bool going = done + 1 < std::ssize(history); going;) {
        const bool stop = iterate(observer.wants_stop());
        ++done;
        const auto before = history.first(static_cast<std::size_t>(done));
        going =
            observer.after(state_, before, stop) == Next::go_on && done + 1 < std::ssize(history);
        note_residual();
    }
}

std::unique_ptr<Limit> CgLoop::make_limit() {
    return std::make_unique<Limit>(session_, problem_, share(), state_.solution.size());
}

std::vector<double> CgLoop::on_host(device::View<const double> vector) {
    auto host = device::allocate<double>(device_, vector.size(), device::MemoryKind::pinned);
    device_.copy(device::as_bytes(vector), device::as_bytes(host.view()), stream_);
    stream_.synchronize();
    return {host.span().begin(), host.span().end()};
}

double alpha_of(double residual_dot, double curvature, std::int64_t iteration,
                const std::string& matrix) {
    if (!are_of_positive_definite(residual_dot, curvature)) {
        throw Failure(fmt::format(
            "{} is not positive definite (p.Ap = {:.3g}, r.r = {:.3g} in iteration {}): conjugate "
            "gradients need a symmetric positive definite matrix",
            matrix, curvature, residual_dot, iteration + 1));
    }
    return alpha_of(residual_dot, curvature);
}

Next IterationClock::after(const IterationState& /*state*/, std::span<const double> /*history*/,
                           bool /*stop*/) {
    if (seconds_.size() < seconds_.capacity()) {  // a timed step allocates nothing
        const Seconds end = now();
        seconds_.push_back((end - last_).value);
        last_ = end;
    }
    return Next::go_on;
}

std::unique_ptr<CgLoop> make_loop(bench::Session& session, comm::Transport& transport,
                                  const Problem& problem, bench::Formulation formulation) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            return make_dataflow_loop(session, transport, problem);
        case bench::Formulation::library:
            return make_library_loop(session, transport, problem);
        case bench::Formulation::native:
            break;
    }
    return make_native_loop(session, transport, problem);
}

void count_loop(bench::Arena& arena, bench::Session& session,
                const comm::OperationMemory& transport, const Problem& problem,
                bench::Formulation formulation) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            return count_dataflow_loop(arena, session, transport, problem);
        case bench::Formulation::library:
            return count_library_loop(arena, session, problem);
        case bench::Formulation::native:
            return count_native_loop(arena, session, transport, problem);
    }
}

}  // namespace quartet::cg

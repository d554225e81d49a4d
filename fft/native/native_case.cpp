#include "fft/native/native_case.hpp"

#include <vector>

#include "bench/session/variants.hpp"
#include "device/host_access.hpp"

namespace quartet::fft {

namespace {

comm::Transport& usable_transport(bench::Session& session, const NativePlan& plan) {
    bench::require_formulation(session, bench::Formulation::native);
    comm::Transport& transport = session.transport(plan.transport);
    // Before there are windows: they could not be freed while an exception unwinds.
    if (plan.shape.ranks > 1) {
        comm::require(transport, comm::Capability::all_to_all, "fft");
    }
    return transport;
}

}  // namespace

NativeCase::NativeCase(bench::Session& session, const NativePlan& plan)
    : session_(session),
      plan_(plan),
      transport_(usable_transport(session, plan)),
      arena_(session.device(), transport_),
      input_(arena_.make<Point>(plan.shape.input_points())),
      tiles_(make_input_tiles(session, plan, input_.view(),
                              plan.in_place() ? InputUse::overwritten : InputUse::kept)),
      guard_(session.threads()),
      check_(plan.problem.points, session.options().seed,
             plan.problem.input_order(plan.shape.ranks, plan.shape.rank),
             plan.problem.output_order(plan.shape.ranks, plan.shape.rank), session.threads(),
             session.world()) {
    if (session.options().verify == bench::Switch::on) {
        if (!plan.data.in_files() && !plan.in_place()) {
            guard_.remember(device::View<const Point>(input_.view()));
        }
        check_.expect(pieces_of(input_.view()));
    }
    buffers_.emplace(arena_, plan);
    transform_ =
        make_native_transform(plan, session.device(), transport_, input_.view(), *buffers_);
}

ReadPieces NativeCase::pieces_of(device::View<const Point> array) {
    return [this, array](const UsePiece& use) {
        device::HostAccess(session_.device(), session_.stream()).read(array, use);
    };
}

void NativeCase::run(bench::Clocks&) {
    tiles_->load();
    transform_->run(session_.stream());
}

void NativeCase::prepare_limit() {
    device::View<const Point> source = input_.view();
    device::View<Point> target = result();
    if (plan_.in_place()) {  // one half to the other
        const std::int64_t half = source.size() / 2;
        source = source.part(0, half);
        target = target.part(half, half);
    }
    limit_.emplace(session_, transport_, plan_.problem, source, target);
}

std::string NativeCase::note() const {
    const std::string transport = transport_.description();
    const std::string text = transform_->description();
    return transport.empty() ? text : text + "; " + transport;
}

void NativeCase::finish() {
    if (plan_.data.keep == bench::Switch::off) {
        return;
    }
    std::vector<Point> bins;
    bins.reserve(static_cast<std::size_t>(result().size()));
    pieces_of(result())([&](std::int64_t, std::span<const Point> piece) {
        bins.insert(bins.end(), piece.begin(), piece.end());
    });
    keep_result(plan_.data, plan_.problem, bins, result_layout(plan_.problem, std::ssize(bins)),
                session_);
}

}  // namespace quartet::fft
